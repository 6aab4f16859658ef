package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/server"
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

// newAddresses returns the addresses of a server. A generated token is in the link to the console as well: browsers keep the fragment of
// a URL to themselves.
func newAddresses(srv *server.Server, givenToken string) addresses {
	a := addresses{Service: srv.ServiceURL(), HTTPS: srv.HTTPSURL(), Control: srv.ControlURL(), ConsoleURL: srv.ConsoleURL()}
	if givenToken == "" && srv.ControlToken() != "" {
		a.ControlToken = srv.ControlToken()
		a.ConsoleURL += "#token=" + a.ControlToken
	}
	return a
}

// logConsole logs where the console is. A generated token is logged whatever the level, for without it nobody could call.
func (a addresses) logConsole(ctx context.Context, log *slog.Logger, lowest slog.Level) {
	level := slog.LevelInfo
	if a.ControlToken != "" {
		level = max(slog.LevelWarn, lowest)
		log.Log(ctx, level, "the control listener is not on loopback: its calls need this token",
			"control", a.Control, "token", a.ControlToken)
	}
	log.Log(ctx, level, "console", "url", a.ConsoleURL)
}

// readyFile exists while both listeners answer, unless its name is empty.
type readyFile struct {
	name    string
	written fs.FileInfo // of the regular file; nil: none was written
}

// removeOld removes a file that an earlier run left behind, so that nobody takes it for this run's.
func (f *readyFile) removeOld() error {
	if info, err := os.Lstat(f.name); err != nil || !info.Mode().IsRegular() {
		return nil // writing says what is wrong
	}
	if err := os.Remove(f.name); err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	return nil
}

// write writes the file. Everybody may read it, but if it has a token only its owner.
func (f *readyFile) write(content addresses) error {
	if f.name == "" {
		return nil
	}
	mode, line := plainMode, append(wire.MustEncode(content), '\n')
	if content.ControlToken != "" {
		mode = 0o600
	}
	if info, err := os.Stat(f.name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		go func() { _ = os.WriteFile(f.name, line, mode) }() // which waits for a reader, and there may be none
		return nil
	}
	if err := writeFile(f.name, line, mode); err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	if info, err := os.Lstat(f.name); err == nil && info.Mode().IsRegular() {
		f.written = info
	}
	return nil
}

// remove removes the file, unless another one has taken its place.
func (f *readyFile) remove() {
	now, err := os.Lstat(f.name)
	if err == nil && f.written != nil && os.SameFile(f.written, now) && now.ModTime().Equal(f.written.ModTime()) { // inodes are used again
		_ = os.Remove(f.name) // if it fails, the program still ends well
	}
}
