package scenario

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// endings are those of the names of scenario files.
var endings = []string{".yaml", ".yml"}

// isFile reports whether a name is that of a file, wherever it is used. Another name is an embedded scenario's, or else that of
// a file beside, without its ending.
func isFile(name string) bool { return strings.ContainsAny(name, `/\`) || hasEnding(name) }

func hasEnding(name string) bool { return slices.Contains(endings, path.Ext(name)) }

// candidates returns the files that a name may stand for, in the order of their preference.
func candidates(name string) []string {
	if hasEnding(name) || name == "" || strings.HasSuffix(name, "/") {
		return []string{name}
	}
	var files []string
	if isFile(name) {
		files = append(files, name)
	}
	for _, ending := range endings {
		files = append(files, name+ending)
	}
	return files
}

// hiddenFile returns the file beside that a name would stand for if no embedded scenario had it; empty: there is none.
func hiddenFile(folder, name string) string {
	if _, err := Source(name); err != nil || folder == "" {
		return ""
	}
	for _, file := range candidates(name) {
		if info, err := os.Stat(filepath.Join(folder, file)); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// Watchable reports whether a name is that of a file, which can change, or would be: see [Load].
func Watchable(nameOrFile string) bool {
	_, err := Source(nameOrFile)
	return isFile(nameOrFile) || err != nil && nameOrFile != ""
}

// firstOf reads the first of the files that exists, with a function that reads one. It returns the error for the first of them if
// there is none.
func firstOf(files []string, read func(string) ([]byte, error)) (file string, source []byte, err error) {
	for i, candidate := range files {
		content, failure := read(candidate)
		if i == 0 || !errors.Is(failure, fs.ErrNotExist) {
			file, source, err = candidate, content, failure
		}
		if !errors.Is(failure, fs.ErrNotExist) {
			break
		}
	}
	return file, source, err
}

// file reads the file that an extends names in a scenario, as it was held, or else as it is now.
func (l *loader) file(name, in string) (found, error) {
	fail := func(err error) error { return fmt.Errorf("extends %s: %w", phrase.Quote(name), err) }
	switch {
	case l.folder == "":
		return found{}, fail(fmt.Errorf("only a scenario that is a file itself can extend a file: name one of %s", phrase.Names(Names())))
	case filepath.IsAbs(name) || path.IsAbs(filepath.ToSlash(name)):
		return found{}, fail(errors.New("the path is absolute: write it relative to this file, such as ../shared.yaml"))
	}
	named := filepath.ToSlash(name)
	if strings.HasSuffix(named, "/") {
		return found{}, fail(errors.New("this is a folder: name a scenario file in it"))
	}
	files := candidates(l.fromFolder(path.Join(path.Dir(in), named)))
	file, source, err := firstOf(files, func(file string) ([]byte, error) {
		if _, again := l.loaded[file]; again || l.held != nil {
			return l.readHeld(file)
		}
		return l.readNow(file)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isFile(name):
		return found{}, unknownName(name)
	case errors.Is(err, fs.ErrNotExist):
		return found{}, fail(fmt.Errorf("there is no file %s: correct the name", phrase.Quote(filepath.Join(l.folder, files[0]))))
	case err != nil:
		return found{}, fail(err)
	}
	return found{file: filepath.Join(l.folder, filepath.FromSlash(file)), name: file, source: source}, nil
}

// fromFolder returns a path from the scenario's folder in the one form that it has, so that a file has one name.
func (l *loader) fromFolder(name string) string {
	if filepath.IsLocal(filepath.FromSlash(name)) {
		return name
	}
	folder, err := filepath.Abs(l.folder)
	if err != nil {
		return name
	}
	short, err := filepath.Rel(folder, filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		return name
	}
	return filepath.ToSlash(short)
}

// readHeld returns a file as it was read before.
func (l *loader) readHeld(name string) ([]byte, error) {
	if source, ok := l.held[name]; ok {
		return source, nil
	}
	if source, ok := l.report.held[name]; ok {
		return source, nil
	}
	return nil, fs.ErrNotExist
}

// readNow reads a file and notes what it was like.
func (l *loader) readNow(name string) ([]byte, error) {
	folder, file := l.folder, filepath.Join(l.folder, filepath.FromSlash(name))
	read := func() ([]byte, error) { return readExtended(folder, file) } // without l, whose tree would stay in memory
	source, err := read()
	l.report.sources.note(file, source, err, read)
	if err == nil {
		l.report.held[name] = source
	}
	return source, err
}

// readExtended reads a file that a scenario in a folder extends. One outside the folder needs the ending of a scenario file, so
// that a scenario of somebody else's leads to no other files, not by links either.
func readExtended(folder, file string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, unreadable(err)
	}
	if home, err := filepath.EvalSymlinks(folder); err == nil && !hasEnding(real) && !isIn(home, real) {
		return nil, errors.New("the file is outside the scenario's folder, so its name must end in .yaml or .yml: rename it, or move it into the folder")
	}
	switch info, err := os.Stat(real); {
	case err != nil:
		return nil, unreadable(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("this is not a file: name a scenario file")
	}
	source, err := readPath(real)
	if err != nil {
		return nil, unreadable(err)
	}
	return source, nil
}

// isIn reports whether a file is in a folder, or below.
func isIn(folder, file string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	if file, err = filepath.Abs(file); err != nil {
		return false
	}
	from, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(from)
}

// unreadable describes why a file can't be read, without its path, which the message has already.
func unreadable(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return fmt.Errorf("the file can't be read: %w", err)
}

// readLimited reads a file, but only as much as shows that it is too large.
func readLimited(from io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(from, maxBytes+4)) }
