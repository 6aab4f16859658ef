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

// stdin names standard input among files.
const stdin = "-"

// errEndedEarly ends a command that a signal has interrupted while it read something.
var errEndedEarly = interrupted{errors.New("interrupted")}

// readFile reads a file, a pipe or, by the name -, standard input, up to a limit. Links are followed. A pipe that nobody writes to is
// waited for until the context ends.
func readFile(ctx context.Context, name string, limit int) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	read := make(chan content, 1) // nobody may be waiting any more
	go func() {
		data, err := readUpTo(name, limit)
		read <- content{data, err}
	}()
	select {
	case c := <-read:
		return c.data, c.err
	case <-ctx.Done():
		return nil, errEndedEarly
	}
}

func readUpTo(name string, limit int) ([]byte, error) {
	file := os.Stdin
	if name != stdin {
		var err error
		if file, err = os.Open(name); err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
	}
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return data, err
}

// plainMode is that of files that everybody may read.
const plainMode fs.FileMode = 0o644

// writeFile writes a file in one step, so that nobody reads half of it: a draft beside it takes its place. A pipe, a device and what a
// link leads to are written to instead.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	info, err := os.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return writeInto(name, data)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".banksim-*")
	if err != nil {
		return err
	}
	_, err = draft.Write(data)
	if err == nil {
		err = draft.Chmod(mode)
	}
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}

func writeInto(name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, plainMode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// writeNew writes a file that doesn't exist yet.
func writeNew(name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, plainMode)
	if errors.Is(err, fs.ErrExist) {
		return wrongUse{fmt.Errorf("%s exists, and is left as it is: choose another name, or remove it", name)}
	}
	if err != nil {
		return wrongUse{err}
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
