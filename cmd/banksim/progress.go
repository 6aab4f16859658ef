package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// When a progressLine is shown (choice).
const (
	progressAfter = time.Second
	progressEvery = time.Second / 4
)

// never is later than any command.
var never = time.Unix(1<<40, 0)

// progressLine is a line on a terminal that says how far a command is. Without a terminal it shows nothing.
type progressLine struct {
	mu       sync.Mutex
	terminal io.Writer // or nil
	next     time.Time // when the line may change
	shown    bool
}

// newProgressLine returns a line for standard error.
func newProgressLine(errs io.Writer) *progressLine {
	if file, ok := errs.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &progressLine{terminal: errs}
	}
	return &progressLine{}
}

// start begins a piece of work, and returns the function that takes how much of it is done, of a total or of 0 if that
// isn't known.
func (p *progressLine) start(what string) func(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = time.Now().Add(progressAfter)
	return func(done, total int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if now := time.Now(); p.terminal != nil && !now.Before(p.next) {
			p.next, p.shown = now.Add(progressEvery), true
			of := ""
			if total > 0 {
				of = fmt.Sprint(" of ", total)
			}
			_, _ = fmt.Fprintf(p.terminal, "\r%s: %d%s\x1b[K", what, done, of)
		}
	}
}

// clear removes the line until there is more progress.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.shown = false
		_, _ = io.WriteString(p.terminal, "\r\x1b[K")
	}
}

// end removes the line for good.
func (p *progressLine) end() {
	p.mu.Lock()
	p.next = never
	p.mu.Unlock()
	p.clear()
}

// before returns a writer that removes the line before it writes to w.
func (p *progressLine) before(w io.Writer) io.Writer { return clearing{w, p} }

type clearing struct {
	io.Writer
	line *progressLine
}

// Write implements io.Writer.
func (c clearing) Write(b []byte) (int, error) {
	c.line.clear()
	return c.Writer.Write(b)
}
