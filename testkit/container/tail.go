package container

import (
	"strings"
	"sync"

	"github.com/testcontainers/testcontainers-go"
)

// tail is the end of a container's log.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Accept keeps a line and drops the oldest bytes beyond the limit.
func (t *tail) Accept(line testcontainers.Log) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, line.Content...)
	if more := len(t.text) - logTail; more > 0 {
		t.text = append(t.text[:0], t.text[more:]...)
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(string(t.text)); text != "" {
		return text
	}
	return "(none)"
}
