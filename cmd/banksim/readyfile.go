package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// addresses are the content of the ready file.
type addresses struct {
	Service      string `json:"service"`
	Control      string `json:"control"`
	ConsoleURL   string `json:"consoleUrl"`
	ControlToken string `json:"controlToken,omitzero"` // only a generated one: the caller knows one that was given
}

// readyFile is the file that exists while both listeners answer.
type readyFile struct {
	name string      // empty: there is none
	ours fs.FileInfo // of the file that was written; nil: none was
}

// newReadyFile checks whether a file can be the ready file, and removes one that an earlier run left behind, so that nobody
// takes it for this run's.
func newReadyFile(name string) (*readyFile, error) {
	f := &readyFile{name: name}
	if name == "" {
		return f, nil
	}
	if err := f.checkReplaceable(); err != nil {
		return nil, err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ready file: %w", err)
	}
	return f, nil
}

// checkReplaceable returns an error if the name is that of anything but a regular file, such as a device or a symbolic link.
func (f *readyFile) checkReplaceable() error {
	info, err := os.Lstat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("ready file: %w", err)
	case !info.Mode().IsRegular():
		return wrongUse{fmt.Errorf("--ready-file %s is %s, and only a regular file is replaced: name a file, or one that doesn't exist yet",
			phrase.Quote(f.name), kindOf(info.Mode()))}
	}
	return nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// write writes the file. Everybody may read it, but if it has a token only its owner.
func (f *readyFile) write(content addresses) error {
	if f.name == "" {
		return nil
	}
	mode := fs.FileMode(0o644)
	if content.ControlToken != "" {
		mode = 0o600
	}
	// Something else may have come to be there since the start.
	ours, err := replaceFile(f.name, ".ready-*", append(wire.MustEncode(content), '\n'), mode, f.checkReplaceable)
	if err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	f.ours = ours
	return nil
}

// remove removes the file, unless another one has taken its place.
func (f *readyFile) remove() {
	if f.ours == nil {
		return
	}
	// The inode alone may have been used again.
	now, err := os.Lstat(f.name)
	if err == nil && os.SameFile(f.ours, now) && now.ModTime().Equal(f.ours.ModTime()) {
		_ = os.Remove(f.name) // if it fails, the program still ends well
	}
}
