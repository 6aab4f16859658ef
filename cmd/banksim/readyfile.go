package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// addresses are the content of the ready file.
type addresses struct {
	Service      string   `json:"service"`  // of the first service listener
	Services     []string `json:"services"` // of all of them
	Control      string   `json:"control"`
	ConsoleURL   string   `json:"consoleUrl"`
	ControlToken string   `json:"controlToken,omitzero"` // a generated one: a caller knows a token that it gave
}

// newAddresses returns the addresses of a server. The link to the console has a generated token, too: browsers keep the
// fragment of a URL to themselves.
func newAddresses(srv *server.Server, givenToken string) addresses {
	a := addresses{
		Service: srv.ServiceURL(), Services: srv.ServiceURLs(), Control: srv.ControlURL(), ConsoleURL: srv.ConsoleURL(),
	}
	if givenToken == "" && srv.ControlToken() != "" {
		a.ControlToken = srv.ControlToken()
		a.ConsoleURL += "#token=" + a.ControlToken
	}
	return a
}

// logConsole logs where the console is. It logs a generated token at any level, because every call needs the token.
func (a addresses) logConsole(ctx context.Context, log *slog.Logger, lowest slog.Level) {
	level := slog.LevelInfo
	if a.ControlToken != "" {
		level = max(slog.LevelWarn, lowest)
		log.Log(ctx, level, "the control listener is not on loopback: its calls need this token",
			"control", a.Control, "token", a.ControlToken)
	}
	log.Log(ctx, level, "console", "url", a.ConsoleURL)
}

// readyFile exists while all listeners answer, unless its name is empty.
type readyFile struct {
	name    string
	written []byte
}

// removeOld removes a ready file that an earlier run left behind: readers would take it for the file of this run. It
// refuses any other file, and one that can't be written later. Call it when the ports are open: until then, the file
// may be of a simulator that runs.
func (f *readyFile) removeOld(ctx context.Context) error {
	if f.name == "" {
		return nil
	}
	err := checkWritable(f.name)
	if info, missing := os.Lstat(f.name); err == nil && !errors.Is(missing, fs.ErrNotExist) {
		var old addresses
		content, unreadable := readFile(ctx, f.name)
		switch {
		case errors.Is(unreadable, errEndedEarly):
			return unreadable
		case missing != nil, info.Mode()&fs.ModeSymlink != 0, unreadable != nil,
			strictjson.DecodeKnown(content, &old) != nil, old.Service == "", old.Control == "":
			err = fmt.Errorf("%s is not a ready file, and is left as it is: name another file, or remove it",
				wording.Quote(f.name))
		default:
			err = os.Remove(f.name)
		}
	}
	if err != nil {
		return wrongUse{fmt.Errorf("--ready-file: %w", err)}
	}
	return nil
}

// write writes the file. Everybody may read it, but if it has a token, only its owner.
func (f *readyFile) write(content addresses) error {
	if f.name == "" {
		return nil
	}
	mode := plainMode
	if content.ControlToken != "" {
		mode = 0o600
	}
	f.written = append(strictjson.MustEncode(content), '\n')
	if err := writeFile(f.name, f.written, mode); err != nil {
		return fmt.Errorf("--ready-file: %w", err)
	}
	return nil
}

// remove removes the file, unless another program has written it since.
func (f *readyFile) remove() {
	if checkRegular(f.name) != nil { // reading a pipe could take for ever
		return
	}
	if now, err := os.ReadFile(f.name); err == nil && bytes.Equal(now, f.written) {
		_ = os.Remove(f.name) // if it fails, the program still ends well
	}
}
