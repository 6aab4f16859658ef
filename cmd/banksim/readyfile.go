package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// readyFile is the content of the file that is written once both listeners answer.
type readyFile struct {
	Service      string `json:"service"`
	Control      string `json:"control"`
	ControlToken string `json:"controlToken,omitzero"` // only a generated one: the caller knows one that was given
}

// write writes the file in one step, so that nobody reads half of it. Everybody may read it, but if it has a token only
// its owner. Without a name it writes nothing.
func (f readyFile) write(name string) error {
	if name == "" {
		return nil
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".ready-*") // readable by its owner only
	if err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	_, err = draft.Write(append(wire.MustEncode(f), '\n'))
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err == nil && f.ControlToken == "" {
		err = os.Chmod(draft.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
		return fmt.Errorf("ready file: %w", err)
	}
	return nil
}
