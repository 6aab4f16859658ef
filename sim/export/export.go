// Package export writes all banks of a simulator as a stream of lines, and reads such a stream. Each line is a JSON
// object:
//
//	{"banksim":"export","format":2,"version":"v1.4.0","exportedAt":"2026-11-29T04:00:00Z","fingerprintKey":"…"}
//	{"bank":{"name":"default","description":{…},"scenario":"…","last":2}}
//	{"exchange":{"number":1,"data":"…"}}
//	{"row":{"world":7,"table":"groups","key":"…","value":{…}}}
//	{"end":{"banks":1,"exchanges":1,"rows":1,"sha256":"…"}}
//
// A bank's exchanges and rows follow it. The counts and the checksum of all earlier lines are at the end, because a
// stream can't know them before. Rows are passed on as they come, so a bank may be of any size.
package export

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// MaxLine bounds a line in bytes (choice). The longest one has the scenario of a bank.
const MaxLine = 16 << 20

// Header is the first line.
type Header struct {
	Kind       string    `json:"banksim"` // kind
	Format     int       `json:"format"`  // see sandbox.Format
	Version    string    `json:"version"` // of the program
	ExportedAt time.Time `json:"exportedAt"`
	// FingerprintKey is the key of the fingerprints of secrets in the exchanges; see redact.UseKey.
	FingerprintKey []byte `json:"fingerprintKey"`
}

const kind = "export"

// minKey is how many bytes the key of fingerprints has at least.
const minKey = 16

// Counts says what a stream holds.
type Counts struct {
	Banks     int `json:"banks"`
	Exchanges int `json:"exchanges"`
	Rows      int `json:"rows"`
}

// line is a line after the header. It has one member.
type line struct {
	Bank     *bank                     `json:"bank,omitempty"`
	Exchange *sandbox.NumberedExchange `json:"exchange,omitempty"`
	Row      *sandbox.Row              `json:"row,omitempty"`
	End      *end                      `json:"end,omitempty"`
}

type bank struct {
	Name        string          `json:"name"`
	Description json.RawMessage `json:"description"`
	Scenario    string          `json:"scenario"`
	Last        uint64          `json:"last"` // number of the newest exchange
}

type end struct {
	Counts
	SHA256 string `json:"sha256"` // of all earlier lines, in hexadecimal
}

// Source has banks. Its Export is described at sandbox.Store.
type Source interface {
	Export(ctx context.Context, name string, fn func(sandbox.Bank, sandbox.Rows) error) error
}

// Write writes banks of a source, each at one version. A bank that is deleted before its turn is left out. Write calls
// progress with the number of rows that it has written until now.
func Write(
	ctx context.Context, w io.Writer, h Header, from Source, names []string, progress func(rows int),
) (Counts, error) {
	out := &writer{hash: sha256.New()}
	out.lines = json.NewEncoder(io.MultiWriter(w, out.hash))
	out.lines.SetEscapeHTML(false)
	h.Kind, h.Format = kind, sandbox.Format
	if err := out.lines.Encode(h); err != nil {
		return Counts{}, err
	}
	for _, name := range names {
		before := out.counts
		err := from.Export(ctx, name, func(b sandbox.Bank, rows sandbox.Rows) error {
			return out.bank(ctx, name, b, rows, progress)
		})
		isGone := errors.Is(err, sandbox.ErrNoSandbox) || errors.Is(err, sandbox.ErrDeleted)
		if err != nil && !(isGone && out.counts == before) {
			return out.counts, fmt.Errorf("the bank %s: %w", name, err)
		}
	}
	last := end{out.counts, hex.EncodeToString(out.hash.Sum(nil))}
	return out.counts, out.lines.Encode(line{End: &last})
}

type writer struct {
	lines  *json.Encoder
	hash   hash.Hash
	counts Counts
}

func (w *writer) bank(
	ctx context.Context, name string, b sandbox.Bank, rows sandbox.Rows, progress func(int),
) error {
	w.counts.Banks++
	err := w.lines.Encode(line{Bank: &bank{name, b.Description, string(b.Scenario), b.Last}})
	for _, x := range b.Exchanges {
		if err == nil {
			w.counts.Exchanges++
			err = w.lines.Encode(line{Exchange: &x})
		}
	}
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := w.lines.Encode(line{Row: &row}); err != nil {
			return err
		}
		w.counts.Rows++
		progress(w.counts.Rows)
	}
	return nil
}

// Target takes banks. It is empty before.
type Target interface {
	SetFingerprintKey(ctx context.Context, key []byte) error
	// Create is described at sandbox.Store.
	Create(ctx context.Context, name string, b sandbox.Bank, rows sandbox.Rows) (sandbox.Version, error)
	Delete(ctx context.Context, name string, v sandbox.Version) error
}

// Read creates the banks of a stream in a target. If it fails, it deletes them again. Errors about the stream name the
// line.
func Read(ctx context.Context, r io.Reader, to Target) (Counts, error) {
	in := &reader{scanner: bufio.NewScanner(r), hash: sha256.New()}
	in.scanner.Buffer(make([]byte, 0, 64<<10), MaxLine)
	var created []func() error
	err := in.readAll(ctx, to, func(undo func() error) { created = append(created, undo) })
	if err == nil {
		return in.counts, nil
	}
	for _, undo := range created {
		err = errors.Join(err, undo())
	}
	return in.counts, err
}

type reader struct {
	scanner *bufio.Scanner
	hash    hash.Hash // of the lines before the present one
	number  int       // of the present line
	line    line      // the present one
	counts  Counts
}

func (r *reader) readAll(ctx context.Context, to Target, created func(undo func() error)) error {
	h, err := r.header()
	if err == nil {
		err = r.next()
	}
	for err == nil && r.line.Bank != nil {
		var undo func() error
		if undo, err = r.createBank(ctx, to); undo != nil {
			created(undo)
		}
	}
	switch {
	case err != nil:
		return err
	case r.line.End == nil:
		return r.wrong("a bank or the end must be here")
	case r.line.End.Counts != r.counts || r.line.End.SHA256 != hex.EncodeToString(r.hash.Sum(nil)):
		return r.wrong(
			"its counts or its checksum are wrong, so the file was changed: take the file as it was exported")
	case r.scanner.Scan():
		return r.wrong("there is more after the end: give one export")
	}
	return cmp.Or(r.scanner.Err(), to.SetFingerprintKey(ctx, h.FingerprintKey))
}

// header reads the first line.
func (r *reader) header() (h Header, err error) {
	const remedy = "give a file that banksim export has written"
	text, err := r.text()
	if err != nil {
		return h, err
	}
	switch err := json.Unmarshal(text, &h); {
	case err != nil || h.Kind != kind:
		return h, r.wrong("this is no export: " + remedy)
	case h.Format > sandbox.Format:
		return h, r.wrong(fmt.Sprintf("it has format %d of version %s, and this version reads format %d: "+
			"use a newer version", h.Format, wording.Quote(h.Version), sandbox.Format))
	case h.Format < sandbox.Format || len(h.FingerprintKey) < minKey:
		return h, r.wrong("this is no whole export: " + remedy)
	}
	r.add(text)
	return h, nil
}

// createBank creates the bank of the present line from it and the lines that belong to it. It returns the function that
// deletes the bank again, or nil if the bank isn't there.
func (r *reader) createBank(ctx context.Context, to Target) (undo func() error, err error) {
	name := r.line.Bank.Name
	b := sandbox.Bank{
		Description: r.line.Bank.Description, Scenario: []byte(r.line.Bank.Scenario), Last: r.line.Bank.Last,
	}
	r.counts.Banks++
	for err = r.next(); err == nil && r.line.Exchange != nil; err = r.next() {
		r.counts.Exchanges++
		b.Exchanges = append(b.Exchanges, *r.line.Exchange)
	}
	if err == nil {
		if b, err = sandbox.ForImport(name, b); err != nil {
			return nil, r.wrong(fmt.Sprintf("the bank %s before this line can't be read: %v", wording.Quote(name), err))
		}
	}
	if err != nil {
		return nil, err
	}
	v, err := to.Create(ctx, name, b, func(yield func(sandbox.Row, error) bool) {
		for r.line.Row != nil {
			r.counts.Rows++
			row := *r.line.Row
			if !yield(row, nil) {
				return
			}
			if err := cmp.Or(ctx.Err(), r.next()); err != nil {
				yield(row, err)
				return
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("the bank %s: %w", name, err)
	}
	return func() error { return to.Delete(context.WithoutCancel(ctx), name, v) }, nil
}

// next reads the next line.
func (r *reader) next() error {
	text, err := r.text()
	if err != nil {
		return err
	}
	r.line = line{}
	if err := json.Unmarshal(text, &r.line); err != nil {
		return r.wrong("it is not the JSON of an export, or the file is cut off here: " + err.Error())
	}
	if r.line.End == nil {
		r.add(text)
	}
	return nil
}

// text returns the next line. It is valid until the next call.
func (r *reader) text() ([]byte, error) {
	r.number++
	if r.scanner.Scan() && r.scanner.Err() == nil { // else the line may be a part of one
		return r.scanner.Bytes(), nil
	}
	switch err := r.scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, r.wrong(fmt.Sprintf("it is longer than %d MiB", MaxLine>>20))
	case err != nil:
		return nil, err
	}
	return nil, r.wrong("the end is missing: the file is cut off, so export again")
}

func (r *reader) add(text []byte) {
	_, _ = r.hash.Write(text) // it never fails
	_, _ = r.hash.Write([]byte("\n"))
}

func (r *reader) wrong(why string) error { return fmt.Errorf("line %d: %s", r.number, why) }
