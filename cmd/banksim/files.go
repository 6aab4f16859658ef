package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxDocument limits files that are read (choice).
const maxDocument = 1 << 20

// stdin names standard input among files.
const stdin = "-"

// errEndedEarly ends a command that a signal has interrupted while it read something.
var errEndedEarly = interrupted{errors.New("interrupted")}

// readFile reads a file, a pipe or, by the name -, standard input, up to a limit. Links are followed. A pipe that nobody writes to is
// waited for until the context ends.
func readFile(ctx context.Context, name string, limit int) ([]byte, error) {
	var data []byte
	read := make(chan error, 1) // nobody may be waiting any more
	go func() {
		file, err := os.Stdin, error(nil)
		if name != stdin {
			file, err = os.Open(name)
			defer func() { _ = file.Close() }()
		}
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(file, int64(limit)+1))
		}
		if err == nil && len(data) > limit {
			err = fmt.Errorf("it is larger than %d MiB", limit>>20)
		}
		read <- err
	}()
	select {
	case err := <-read:
		return data, err
	case <-ctx.Done():
		return nil, errEndedEarly
	}
}

// documentReader returns readFile with the limit of documents.
func documentReader(ctx context.Context) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) { return readFile(ctx, name, maxDocument) }
}

// plainMode is that of files that everybody may read.
const plainMode fs.FileMode = 0o644

// writeFile writes a file in one step, so that nobody reads half of it: a draft beside it takes its place. A pipe, a device and what a
// link leads to are written to instead.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, data, mode)
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".banksim-*")
	if err != nil {
		return err
	}
	_, err = draft.Write(data)
	if err = errors.Join(err, draft.Chmod(mode), draft.Close()); err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}
