package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/export"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/store"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// exportCommand is described at length in docs/staging.md.
type exportCommand struct {
	Data string `arg:"" optional:"" name:"dir|url" help:"Directory or database of --data. Default: the running simulator."`
	controlFlags
}

// Run prints all banks of a store, or of a running simulator.
func (c exportCommand) Run(ctx context.Context, s streams) error {
	out := bufio.NewWriterSize(s.document, 64<<10)
	var err error
	if c.Data == "" {
		err = c.copyRunning(ctx, out, s)
	} else {
		err = c.writeStored(ctx, out, s)
	}
	return errors.Join(err, out.Flush())
}

// copyRunning copies the export of a running simulator.
func (c exportCommand) copyRunning(ctx context.Context, out io.Writer, s streams) error {
	client, err := c.client(ctx, "")
	if err != nil {
		return err
	}
	answer, err := client.Open(ctx, http.MethodGet, "/v1/export", nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	progress := s.line.start("exporting, kilobytes")
	counted := &countingReader{answer, func(bytes int64) { progress(int(bytes>>10), 0) }, 0}
	if _, err := io.Copy(out, counted); err != nil {
		return fmt.Errorf("the export was broken off, and is of no use: %w", err)
	}
	return nil
}

// writeStored writes the banks of a directory or of a database.
func (c exportCommand) writeStored(ctx context.Context, out io.Writer, s streams) error {
	opened, err := openStore(ctx, c.Data, true)
	switch {
	case errors.Is(err, store.ErrInUse):
		return wrongUse{fmt.Errorf("another process has the banks of %s open: leave the directory out, and say with "+
			"--control where that process listens", wording.Quote(c.Data))}
	case errors.Is(err, store.ErrNoBanks):
		return wrongUse{err}
	case err != nil:
		return err
	}
	defer func() { _ = opened.Close() }() // nothing was written
	names, err := namesIn(ctx, opened)
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return wrongUse{fmt.Errorf("%s %w", opened.Location(), store.ErrNoBanks)}
	}
	progress := s.line.start("exporting, rows")
	h := export.Header{Version: version(), ExportedAt: time.Now().UTC(), FingerprintKey: redact.Key()}
	counts, err := export.Write(ctx, out, h, opened, names, func(rows int) { progress(rows, 0) })
	if err != nil {
		return err
	}
	return printCounts(s, "exported", counts)
}

// printCounts says what an export holds.
func printCounts(s streams, verb string, c export.Counts) error {
	_, err := fmt.Fprintf(s.err, "%s: %s, %s, %s\n", verb, wording.Count(c.Banks, "bank"),
		wording.Count(c.Exchanges, "exchange"), wording.Count(c.Rows, "row"))
	return err
}

// namesIn returns the names of the banks of a store.
func namesIn(ctx context.Context, st sandbox.Store) (names []string, err error) {
	heads, err := st.List(ctx)
	for _, head := range heads {
		names = append(names, head.Name)
	}
	return names, err
}

// countingReader tells how much was read.
type countingReader struct {
	io.Reader
	tell func(bytes int64)
	read int64
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (n int, err error) {
	n, err = c.Reader.Read(p)
	c.read += int64(n)
	c.tell(c.read)
	return n, err
}

// importCommand is described at length in docs/staging.md.
type importCommand struct {
	File string `arg:"" help:"An export, or - for stdin."`
	Data string `arg:"" name:"dir|url" help:"New directory or database for --data."`
}

// Run creates the banks of an export in an empty store.
func (c importCommand) Run(ctx context.Context, s streams) error {
	file, size, err := c.open(ctx, s)
	if err != nil {
		return wrongUse{err}
	}
	defer func() { _ = file.Close() }()
	opened, err := openStore(ctx, c.Data, false)
	if err != nil {
		return wrongUse{err}
	}
	names, err := namesIn(ctx, opened)
	if err == nil && len(names) > 0 {
		err = wrongUse{fmt.Errorf("%s holds banks already (%s): name a new directory, or another schema of the "+
			"database (?search_path=NAME)", opened.Location(), wording.Names(names))}
	}
	var counts export.Counts
	if err == nil {
		progress := s.line.start("importing, kilobytes")
		counted := &countingReader{file, func(bytes int64) { progress(int(bytes>>10), int(size>>10)) }, 0}
		counts, err = readExport(ctx, c.File, counted, opened)
	}
	if err := errors.Join(err, opened.Close()); err != nil {
		return err
	}
	if left := counts.Exchanges; left > 0 && !opened.Shared() {
		counts.Exchanges = 0
		_, _ = fmt.Fprintf(s.err, "left out: %s, because a file keeps no journals\n", wording.Count(left, "exchange"))
	}
	return printCounts(s, "imported", counts)
}

// open opens the file. The size of a pipe is 0.
func (c importCommand) open(ctx context.Context, s streams) (file io.ReadCloser, size int64, err error) {
	if c.File == stdin {
		return io.NopCloser(s.in), 0, nil
	}
	opened, err := await(ctx, func() (*os.File, error) { return os.Open(c.File) })
	if err != nil {
		return nil, 0, err
	}
	info, err := opened.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s is a directory: name the file of the export first, and then the directory or the database",
			wording.Quote(c.File))
	case info.Mode().IsRegular():
		size = info.Size()
	}
	return opened, size, err
}

// awaitedReader is a file or a pipe. The end of the context ends the wait for an empty pipe.
type awaitedReader struct {
	ctx  context.Context
	file io.Reader
}

// Read implements io.Reader.
func (r awaitedReader) Read(p []byte) (int, error) {
	return await(r.ctx, func() (int, error) { return r.file.Read(p) })
}

// readExport creates the banks of an export in a target. Its errors name the file.
func readExport(ctx context.Context, name string, file io.Reader, to export.Target) (export.Counts, error) {
	counts, err := export.Read(ctx, awaitedReader{ctx, file}, to)
	switch {
	case errors.Is(err, errEndedEarly), errors.Is(err, context.Canceled):
		return counts, errEndedEarly
	case err != nil:
		return counts, fmt.Errorf("%s: %w", name, err)
	}
	return counts, nil
}

// importInto reads the export of --import into a registry in memory.
func importInto(ctx context.Context, registry *sandbox.Registry, name string) error {
	file, err := await(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = readExport(ctx, name, file, export.Memory{Registry: registry})
	return err
}
