package container

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	logTail   = 4 << 10         // bytes at the end of its log that an error shows
	lastWords = 2 * time.Second // for the end of the log of a container that has ended
)

// tail is the end of a container's log. It is attached to the container before that starts, where the engine can do that: it
// removes a container with its log as soon as it ends, so the last words of one that ends at once couldn't be asked for.
type tail struct {
	mu    sync.Mutex
	text  []byte
	close func()
	ended chan struct{} // closed at the end of the log; nil: not attached
}

// attach follows the log of a container, unless it does so already. It is called before the start and after it, because
// podman refuses it before. Without it, an error of the start has no log.
func (t *tail) attach(ctx context.Context, docker *testcontainers.DockerClient, id string) {
	if t.hasEnded() != nil {
		return
	}
	attached, err := docker.ContainerAttach(ctx, id, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true, Logs: true})
	if err != nil {
		return
	}
	ended := make(chan struct{})
	t.mu.Lock()
	t.close, t.ended = attached.Close, ended
	t.mu.Unlock()
	go func() {
		defer close(ended)
		_, _ = stdcopy.StdCopy(t, t, attached.Reader)
	}()
}

// detach ends the following.
func (t *tail) detach() {
	t.mu.Lock()
	stop, ended := t.close, t.ended
	t.close = nil
	t.mu.Unlock()
	if stop != nil {
		stop()
		<-ended
	}
}

// hasEnded is closed when the log ends, which it does with the container. Nil: the tail isn't attached.
func (t *tail) hasEnded() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// words returns the end of the log, after a moment for a container that is about to end.
func (t *tail) words() string {
	if ended := t.hasEnded(); ended != nil {
		select {
		case <-ended:
		case <-time.After(lastWords):
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(string(t.text)); text != "" {
		return text
	}
	return "(none)"
}

// Write keeps what is logged and drops the oldest bytes beyond the limit.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if more := len(t.text) - logTail; more > 0 {
		t.text = append(t.text[:0], t.text[more:]...)
	}
	return len(p), nil
}
