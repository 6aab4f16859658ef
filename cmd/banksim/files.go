package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/infer/capture"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// maxFile bounds what readFile reads: no file that a command takes is larger than a capture.
const maxFile = capture.MaxBytes

// readFile reads a file or a pipe. The end of the context ends the wait for an empty pipe.
func readFile(ctx context.Context, name string) ([]byte, error) {
	return await(ctx, func() ([]byte, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
		if len(data) > maxFile {
			err = fmt.Errorf("%s is larger than %d MiB", wording.Quote(name), maxFile>>20)
		}
		return data, err
	})
}

// plainMode is the mode of files that everybody may read.
const plainMode fs.FileMode = 0o644

// writeFile writes a file in one step: readers see the old file or the new one, also after a crash. It writes to
// regular files only.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	draft, err := newDraft(name)
	if err != nil {
		return err
	}
	_, err = draft.Write(data)
	err = errors.Join(err, draft.Chmod(mode), draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}

// checkWritable returns an error if writeFile can't write a file.
func checkWritable(name string) error {
	draft, err := newDraft(name)
	if err != nil {
		return err
	}
	return errors.Join(draft.Close(), os.Remove(draft.Name()))
}

// newDraft creates a file in the folder of a name, to be renamed to it.
func newDraft(name string) (*os.File, error) {
	if err := checkRegular(name); err != nil {
		return nil, err
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".banksim-*")
	if err != nil { // which names the draft
		return nil, fmt.Errorf("%s can't be written: %w", wording.Quote(name), errors.Unwrap(err))
	}
	return draft, nil
}

// checkRegular returns an error if a name stands for a folder, a pipe or a device.
func checkRegular(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a folder, a pipe or a device: name a file", wording.Quote(name))
	}
	return nil
}
