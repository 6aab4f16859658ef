package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// maxDocument limits files that are read (choice).
const maxDocument = 1 << 20

// stdin names standard input among files.
const stdin = "-"

// errEndedEarly ends a command that a signal has interrupted.
var errEndedEarly = errors.New("interrupted")

// await returns what fn returns, or errEndedEarly if the context ends first. Then fn goes on until the program ends.
func await[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := fn()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), errEndedEarly
	}
}

// readFile reads a file, a pipe or, by the name -, standard input. If it is larger than the limit, readFile returns an
// error and the beginning. It follows links, and waits for a pipe until the context ends.
func readFile(ctx context.Context, name string, limit int) ([]byte, error) {
	return await(ctx, func() (data []byte, err error) {
		file := os.Stdin
		if name != stdin {
			if file, err = os.Open(name); err != nil {
				return nil, err
			}
			defer func() { _ = file.Close() }()
		}
		data, err = io.ReadAll(io.LimitReader(file, int64(limit)+1))
		if err == nil && len(data) > limit {
			err = fmt.Errorf("it is larger than %d MiB", limit>>20)
		}
		return data, err
	})
}

// documentReader returns readFile with the limit of documents.
func documentReader(ctx context.Context) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) { return readFile(ctx, name, maxDocument) }
}

// plainMode is the mode of files that everybody may read.
const plainMode fs.FileMode = 0o644

// writeFile writes a file in one step, so that readers never see half of it: a draft takes its place. It writes into a
// pipe, a device or the target of a link instead.
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

// addresses are the content of the ready file.
type addresses struct {
	Service      string   `json:"service"`  // of the first service listener
	Services     []string `json:"services"` // of all of them
	Control      string   `json:"control"`
	ConsoleURL   string   `json:"consoleUrl"`
	ControlToken string   `json:"controlToken,omitzero"` // only a generated one: the caller knows one that was given
}

// newAddresses returns the addresses of a server. A generated token is in the link to the console as well: browsers
// keep the fragment of a URL to themselves.
func newAddresses(srv *server.Server, givenToken string) addresses {
	a := addresses{Service: srv.ServiceURL(), Services: srv.ServiceURLs(), Control: srv.ControlURL(), ConsoleURL: srv.ConsoleURL()}
	if givenToken == "" && srv.ControlToken() != "" {
		a.ControlToken = srv.ControlToken()
		a.ConsoleURL += "#token=" + a.ControlToken
	}
	return a
}

// logConsole logs where the console is. It logs a generated token whatever the level, because every call needs the
// token.
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
	written fs.FileInfo // of the regular file; nil: none was written
}

// removeOld removes a file that an earlier run left behind: readers would take it for this run's.
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
