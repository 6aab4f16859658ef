package controlapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const (
	heartbeat     = 15 * time.Second // interval of comments on a stream without events (choice)
	streamTimeout = 10 * time.Second // for one write to a stream; a client that takes longer is disconnected (choice)
)

// Why a stream ends.
const (
	endReset    = "reset"
	endDeleted  = "deleted"
	endShutdown = "shutdown"
)

// stream answers with server-sent events: the exchanges that the journal holds, then new ones as they happen. A stream that
// broke off resumes after Last-Event-ID or, without it, after ?after=. Its events are
//
//   - exchange: an exchange, with its id
//   - gap: {missed}: how many exchanges before the next one are no longer held
//   - end: {reason}: the sandbox was reset or deleted, or the server is shutting down; it is the last event. Its id is empty,
//     so that a client that reconnects starts at the beginning, because ids restart after a reset
//
// and a comment every 15 seconds without events.
func (a api) stream(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	after, err := resumeAfter(r)
	if err != nil {
		return err
	}
	ctx, cancel := a.untilDraining(r.Context())
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // so that no proxy buffers events
	of := sb.Now().Journal                    // before the first write, so that the client sees the end of this generation
	s := eventStream{w, http.NewResponseController(w)}
	// The request was read completely. From here on, the server reads only to notice that the client has disconnected.
	_ = s.controller.SetReadDeadline(time.Time{})
	if err := s.write(": stream of sandbox " + sb.Name() + "\n\n"); err != nil {
		return nil
	}
	a.follow(ctx, s, sb, of, after)
	return nil
}

// untilDraining returns a context that also ends when the server begins to shut down.
func (a api) untilDraining(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-a.Draining:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// resumeAfter returns the number of the exchange after which a stream begins.
func resumeAfter(r *http.Request) (uint64, error) {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return exchangeNumber("Last-Event-ID", id)
	}
	if query := r.URL.Query(); query.Has("after") {
		return exchangeNumber("after", query.Get("after"))
	}
	return 0, nil
}

// follow writes the events of a journal until the client disconnects, the journal is closed or the server shuts down.
func (a api) follow(ctx context.Context, s eventStream, sb *sandbox.Sandbox, of *journal.Journal, after uint64) {
	for {
		exchanges, gap, err := nextOrHeartbeat(ctx, of, after)
		switch {
		case errors.Is(err, io.EOF):
			reason := endReset
			if now, ok := a.Sandboxes.Get(sb.Name()); !ok || now != sb {
				reason = endDeleted
			}
			_ = s.end(reason)
			return
		case ctx.Err() != nil:
			_ = s.end(endShutdown) // if the client has disconnected instead, nobody reads it
			return
		case errors.Is(err, context.DeadlineExceeded):
			err = s.write(": heartbeat\n\n")
		case err == nil:
			err = s.exchanges(exchanges, gap)
		}
		if err != nil {
			return
		}
		if len(exchanges) > 0 {
			after = exchanges[len(exchanges)-1].Number()
		}
	}
}

// nextOrHeartbeat waits for exchanges until it is time for a heartbeat.
func nextOrHeartbeat(ctx context.Context, of *journal.Journal, after uint64) ([]journal.Exchange, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	return of.Next(ctx, after)
}

// eventStream writes server-sent events.
type eventStream struct {
	w          io.Writer
	controller *http.ResponseController
}

// write writes and flushes within a time limit, if the writer supports one.
func (s eventStream) write(text string) error {
	if err := s.controller.SetWriteDeadline(time.Now().Add(streamTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.controller.Flush()
}

func (s eventStream) exchanges(exchanges []journal.Exchange, gap uint64) error {
	if gap > 0 {
		if err := s.write(fmt.Sprintf("event: gap\ndata: {\"missed\":%d}\n\n", gap)); err != nil {
			return err
		}
	}
	for _, x := range exchanges {
		data, err := wire.Encode(x) // on one line, as an event needs it
		if err != nil {
			return err
		}
		if err := s.write(fmt.Sprintf("id: %s\nevent: exchange\ndata: %s\n\n", x.ID, data)); err != nil {
			return err
		}
	}
	return nil
}

func (s eventStream) end(reason string) error {
	return s.write(fmt.Sprintf("id:\nevent: end\ndata: {\"reason\":%q}\n\n", reason))
}
