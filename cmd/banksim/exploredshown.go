package main

import (
	"fmt"
	"io"
	"sync"
)

// exploredShown shows how an exploration goes on, line by line. Its methods may be called by several goroutines.
type exploredShown struct {
	mu sync.Mutex
	to io.Writer
}

// line prints a line. An error is nobody's: there is no other place to report it.
func (s *exploredShown) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.to, format+"\n", args...)
}
