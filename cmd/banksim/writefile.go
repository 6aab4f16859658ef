package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// plainMode is the mode of files that everybody may read.
const plainMode fs.FileMode = 0o644

// writeFile writes a file in one step: readers see the old file or the new one, also after a crash. It writes to
// regular files only.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	if err := checkRegular(name); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".banksim-*")
	if err != nil { // which names the draft
		return fmt.Errorf("%s can't be written: %w", phrase.Quote(name), errors.Unwrap(err))
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

// checkRegular returns an error if a name stands for a folder, a pipe or a device.
func checkRegular(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a folder, a pipe or a device: name a file", phrase.Quote(name))
	}
	return nil
}
