package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// addresses are the content of the ready file.
type addresses struct {
	Service      string `json:"service"`
	HTTPS        string `json:"https,omitzero"`
	Control      string `json:"control"`
	ConsoleURL   string `json:"consoleUrl"`
	ControlToken string `json:"controlToken,omitzero"` // only a generated one: the caller knows one that was given
}

// readyFile is the file that exists while both listeners answer.
type readyFile struct {
	name string      // empty: there is none
	ours fs.FileInfo // of the regular file that was written; nil: none was
}

// newReadyFile removes a file that an earlier run left behind, so that nobody takes it for this run's. What is no regular file, such as a
// pipe, is left as it is.
func newReadyFile(name string) (*readyFile, error) {
	f := &readyFile{name: name}
	if name == "" {
		return f, nil
	}
	info, err := os.Lstat(name)
	if err == nil && info.IsDir() {
		return nil, wrongUse{fmt.Errorf("--ready-file %s is a directory: name a file", name)}
	}
	if err == nil && info.Mode().IsRegular() {
		err = os.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ready file: %w", err)
	}
	return f, nil
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
	if err := writeFile(f.name, append(wire.MustEncode(content), '\n'), mode); err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	if info, err := os.Lstat(f.name); err == nil && info.Mode().IsRegular() {
		f.ours = info
	}
	return nil
}

// remove removes the file, unless another one has taken its place.
func (f *readyFile) remove() {
	if f.ours == nil {
		return
	}
	now, err := os.Lstat(f.name)
	if err == nil && os.SameFile(f.ours, now) && now.ModTime().Equal(f.ours.ModTime()) { // the inode alone may have been used again
		_ = os.Remove(f.name) // if it fails, the program still ends well
	}
}
