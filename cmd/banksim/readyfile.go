package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// readyFile is what the file says that is written once both listeners answer.
type readyFile struct {
	Service      string `json:"service"`
	Control      string `json:"control"`
	ControlToken string `json:"controlToken,omitzero"` // only one that was drawn: a given one is known already
}

// write writes the file in one step, so that who waits for it never reads half of it. Everybody may read it, unless it
// holds a token: then only its owner may. No name: no file.
func (f readyFile) write(name string) error {
	if name == "" {
		return nil
	}
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(name), ".ready-*") // for the owner alone
	if err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	_, err = draft.Write(append(line, '\n'))
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
