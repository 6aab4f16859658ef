package main

import (
	"fmt"
	"io"
	"sync"
)

// exploredShown shows how an exploration goes on: lines, and on a terminal below them one with the progress. Its methods may be
// called by several goroutines. The zero value shows nothing.
type exploredShown struct {
	to       io.Writer
	terminal bool

	mu       sync.Mutex
	progress string
}

// line prints a line.
func (s *exploredShown) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf(format, args...) + "\n"
	if s.progress != "" {
		text = clearLine + text + s.progress
	}
	s.write(text)
}

// now replaces the progress. Empty: there is none any more.
func (s *exploredShown) now(progress string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal && progress != s.progress {
		s.progress = progress
		s.write(clearLine + progress)
	}
}

// write writes a text at once, as the queue of a log wants it. An error is nobody's: there is no other place to report it.
func (s *exploredShown) write(text string) { _, _ = io.WriteString(s.to, text) }
