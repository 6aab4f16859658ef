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

// progressLine is a line on a terminal that says how far a command is. Without a terminal it shows nothing.
type progressLine struct {
	mu       sync.Mutex
	terminal io.Writer // or nil
	text     string
	due      time.Time   // when it may be written next
	timer    *time.Timer // writes it then, or nil
	shown    bool
}

// newProgressLine returns a line for standard error.
func newProgressLine(errs io.Writer) *progressLine {
	if file, ok := errs.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &progressLine{terminal: errs}
	}
	return &progressLine{}
}

// start begins a piece of work, and returns the function that takes how much of it is done.
func (p *progressLine) start(what string) func(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due = time.Now().Add(progressAfter)
	return func(done, total int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.terminal == nil {
			return
		}
		p.text = fmt.Sprintf("%s: %d of %d", what, done, total)
		if p.timer == nil {
			p.timer = time.AfterFunc(time.Until(p.due), p.show)
		}
	}
}

func (p *progressLine) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer, p.shown, p.due = nil, true, time.Now().Add(progressEvery)
		_, _ = fmt.Fprintf(p.terminal, "\r%s\x1b[K", p.text)
	}
}

// clear removes the line until there is more progress.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.shown {
		p.shown = false
		_, _ = io.WriteString(p.terminal, "\r\x1b[K")
	}
}

// end removes the line for good.
func (p *progressLine) end() {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.terminal = nil
}

// before returns a writer that removes the line before it writes to w.
func (p *progressLine) before(w io.Writer) io.Writer {
	if p.terminal == nil {
		return w
	}
	return clearing{w, p}
}

type clearing struct {
	io.Writer
	line *progressLine
}

// Write implements io.Writer.
func (c clearing) Write(b []byte) (int, error) {
	c.line.clear()
	return c.Writer.Write(b)
}
