package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// MaxFile is how many bytes a file of coverage may have (choice). A run takes less than a thousandth of it.
const MaxFile = 256 << 20

var errTooLarge = fmt.Errorf("it is larger than %d MiB, and no file of coverage is", MaxFile>>20)

// Read reads a file of coverage. It may be of another version of banksim, which knows other points, as long as the format is
// the same.
func Read(from io.Reader) (File, error) {
	data, err := io.ReadAll(io.LimitReader(from, MaxFile+1))
	switch {
	case err != nil:
		return File{}, err
	case len(data) > MaxFile:
		return File{}, errTooLarge
	case len(bytes.TrimSpace(data)) == 0:
		return File{}, errors.New("it is empty: write it again")
	}
	var f File
	if err := wire.Decode(data, &f); err != nil || f.Format != Format {
		return File{}, unreadable(data, err)
	}
	return f, f.check()
}

// ReadFile reads a file of coverage by its name. The error names it.
func ReadFile(name string) (File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return File{}, err
	case !info.Mode().IsRegular(): // a pipe could be waited for without an end
		return File{}, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = file.Close() }()
	f, err := File{}, errTooLarge
	if info.Size() <= MaxFile {
		f, err = Read(file)
	}
	if err != nil {
		return File{}, fmt.Errorf("%s can't be read as coverage: %w", name, err)
	}
	return f, nil
}

// unreadable returns why data is no file of coverage; err is what decoding it returned.
func unreadable(data []byte, err error) error {
	var head struct {
		Format string `json:"format"`
	}
	var wrong *wire.Error
	switch errors.As(err, &wrong); {
	case wrong != nil && wrong.Kind == wire.EndsEarly:
		return errors.New("it is cut off, because its JSON has no end: write it again")
	case wrong != nil && (wrong.Kind == wire.Invalid || wrong.Kind == wire.Ambiguous):
		return fmt.Errorf("it is not JSON (at byte %d)", wrong.Offset)
	case wire.Decode(data, &head) == nil && head.Format != Format:
		return wrongFormat(head.Format)
	case wrong != nil && wrong.Member != "":
		return fmt.Errorf("its member %s is not what format %s has there", wrong.Member, Format)
	}
	return errors.New("it is not a JSON object of format " + Format)
}

// wrongFormat returns why a file has a format that isn't read.
func wrongFormat(format string) error {
	if format == "" {
		return errors.New(`it has no member "format", which is ` + Format + " in files of coverage")
	}
	kind, ours, _ := strings.Cut(Format, "/")
	if other, ok := strings.CutPrefix(format, kind+"/"); ok {
		version, err := strconv.Atoi(other)
		if known, _ := strconv.Atoi(ours); err == nil && version > known {
			return fmt.Errorf("its format %s is newer than %s, which this version of banksim reads: use that which wrote it", format, Format)
		}
	}
	return fmt.Errorf("its format is %s, and that of a file of coverage is %s", phrase.Quote(format), Format)
}

// check returns an error if a run can't be told from others, or could not be written again, or a point belongs to no operation.
func (f File) check() error {
	for i, r := range f.Runs {
		if r.ID == "" {
			return fmt.Errorf("its member runs.%d.id is missing, by which runs are told apart", i)
		}
		if year := r.Started.UTC().Year(); year < 0 || year > 9999 { // RFC 3339 has no other
			return fmt.Errorf("its member runs.%d.started is beyond the years that a time can be written in", i)
		}
		for name, points := range map[string][]Met{"points": r.Points, "besides": r.Besides} {
			for j, p := range points {
				if p.Operation == "" {
					return fmt.Errorf("its member runs.%d.%s.%d.operation is missing", i, name, j)
				}
			}
		}
	}
	return nil
}

// Write writes a file of coverage. It leaves out points of the contract that were neither met nor possible: [Summarize] knows them.
func Write(to io.Writer, f File) error {
	text, err := encode(f)
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

func encode(f File) ([]byte, error) {
	lean := File{Format: Format, Runs: make([]Run, len(f.Runs))}
	for i, r := range f.Runs {
		r.Points = counting(r.Points)
		lean.Runs[i] = r
	}
	text, err := wire.Encode(lean)
	return append(text, '\n'), err
}

// counting returns the points that were met, could have been, or are not the contract's.
func counting(points []Met) []Met {
	kept := make([]Met, 0, len(points))
	for _, p := range points {
		if p.Possible || p.met() || !known()[p.Point] {
			kept = append(kept, p)
		}
	}
	return kept
}

// known returns the points of the contract.
var known = sync.OnceValue(func() map[Point]bool {
	all := map[Point]bool{}
	for _, p := range catalogue().points {
		all[p] = true
	}
	return all
})

// WriteFile writes a file of coverage in one step, so that nobody reads half of it. If it fails, a file of that name stays as
// it is.
func WriteFile(name string, f File) error {
	text, err := encode(f)
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".coverage-*.tmp")
	if err != nil {
		return err
	}
	_, err = draft.Write(text)
	err = errors.Join(err, draft.Chmod(0o644), draft.Close()) //nolint:gosec // as that of a compiler's output
	if err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return nil
}
