package main

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// tail keeps the last bytes that are written to it. Its methods may be called by several goroutines.
type tail struct {
	limit int
	live  io.Writer // gets all of it, too; nil: nothing does

	mu   sync.Mutex
	kept []byte
	cut  bool // whether there was more
}

// Write never fails.
func (t *tail) Write(text []byte) (int, error) {
	if t.live != nil {
		_, _ = t.live.Write(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text...)
	if len(t.kept) > 2*t.limit { // not each time, since it copies what stays
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.limit:]...)
		t.cut = true
	}
	return len(text), nil
}

// last returns the end of what was written, at most so many bytes, in whole characters, and marked where it is not all.
func (t *tail) last(most int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, cut := t.kept, t.cut
	if more := len(text) - min(most, t.limit); more > 0 {
		text, cut = text[more:], true
	}
	for cut && len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	valid := strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD"))
	if cut {
		return "… " + valid
	}
	return valid
}

// endsLine reports whether nothing was written, or a whole line at last.
func (t *tail) endsLine() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.kept) == 0 || t.kept[len(t.kept)-1] == '\n'
}
