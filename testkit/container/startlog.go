package container

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

const (
	logTail   = 4 << 10         // bytes at the end of its log that an error shows
	lastWords = 2 * time.Second // for the end of the log of a container that has ended
)

// startLog is what a container logs while it starts. It is attached to the container before that starts: the engine removes a
// container with its log as soon as it ends, so the last words of one that ends at once couldn't be asked for.
type startLog struct {
	docker client.APIClient
	stop   func()
	ended  chan struct{} // closed at the end of the log; nil: it isn't followed
	text   bytes.Buffer  // complete when ended is closed
}

// follow follows the log of a container, unless it does so already. It is called before the start and after it, because
// podman refuses it before. Without it, an error of the start has no log.
func (l *startLog) follow(ctx context.Context, id string) {
	if l.ended != nil {
		return
	}
	options := client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true, Logs: true}
	attached, err := l.docker.ContainerAttach(ctx, id, options)
	if err != nil {
		return
	}
	l.stop, l.ended = attached.Close, make(chan struct{})
	go func() {
		defer close(l.ended)
		_, _ = stdcopy.StdCopy(&l.text, &l.text, attached.Reader)
	}()
}

// end ends the following. It returns the error of a start with the end of the log: a container that has failed may still be
// about to log why.
func (l *startLog) end(err error) error {
	if l.ended == nil {
		l.ended = make(chan struct{}) // a later start of the container isn't followed
		return err
	}
	if err != nil {
		select {
		case <-l.ended:
		case <-time.After(lastWords):
		}
	}
	l.stop()
	<-l.ended
	if err == nil {
		return nil
	}
	text := bytes.TrimSpace(l.text.Bytes())
	return fmt.Errorf("%w\nthe end of its log:\n%s", err, text[max(0, len(text)-logTail):])
}
