package controlapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const (
	maxStreams    = 100                   // event streams that are open at a time (choice)
	heartbeat     = 15 * time.Second      // interval of comments on a stream without events (choice)
	streamTimeout = 10 * time.Second      // for one write to a stream; a client that takes longer is disconnected (choice)
	streamPace    = 10 * time.Millisecond // how long a stream rests after it has looked at exchanges, to have several at once (choice)
	sharedPace    = time.Second           // interval at which a stream looks for exchanges of other processes (choice)
	streamBatch   = 100                   // exchanges that a stream looks for at a time (choice)
)

// stream answers with server-sent events: the exchanges that the journal holds, then new ones as they happen. A stream that
// broke off resumes after Last-Event-ID or, without it, after ?after=. Its events are
//
//   - exchange: an exchange, with its id
//   - gap: {missed}: how many exchanges before the next one are no longer held, whether they match or not
//   - end: {reason}: the sandbox was reset or deleted, or the server is shutting down; it is the last event. Its id is empty,
//     so that a client that reconnects starts at the beginning, because ids restart after a reset
//
// and a comment every 15 seconds without events. A status is not compared with what the operation can answer: a fault that isn't there
// yet may.
func (a control) stream(w http.ResponseWriter, r *http.Request, sb bank) error {
	query := filters(r.URL.Query())
	err := query.Check()
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	query.Limit = streamBatch
	after := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"), "0")
	if query.After, err = exchangeNumber("Last-Event-ID or after", after); err != nil {
		return err
	}
	defer a.streams.Add(-1)
	if a.streams.Add(1) > maxStreams {
		return refuse(http.StatusTooManyRequests, "%d event streams are open, as many as the simulator has: close some", maxStreams)
	}
	ctx, cancel := a.untilDraining(r.Context())
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // so that no proxy buffers events
	of := sb.now.Journal                      // before the first write, so that the client sees the end of this generation
	s := eventStream{w, http.NewResponseController(w)}
	// The request was read completely. From here on, the server reads only to notice that the client has disconnected.
	_ = s.controller.SetReadDeadline(time.Time{})
	if err := s.write(": stream of sandbox " + sb.Name() + "\n\n"); err != nil {
		return nil
	}
	if query.After > of.Last() { // it comes from another generation
		query.After = 0
	}
	err = s.follow(ctx, sb, a.Sandboxes.IsShared(), of, query)
	reason := "shutdown"
	if errors.Is(err, io.EOF) {
		reason = "reset"
		if now, err := a.Sandboxes.Find(ctx, sb.Name()); err != nil || now != sb.Sandbox {
			reason = "deleted"
		}
	}
	_ = s.write(fmt.Sprintf("id:\nevent: end\ndata: {\"reason\":%q}\n\n", reason)) // a client that has disconnected doesn't read it
	return nil
}

// untilDraining returns a context that also ends when the server begins to shut down.
func (a control) untilDraining(ctx context.Context) (context.Context, context.CancelFunc) {
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

// eventStream writes server-sent events.
type eventStream struct {
	w          io.Writer
	controller *http.ResponseController
}

// follow writes the exchanges of a journal that match a query, until the client disconnects, the context ends or the journal is
// closed, which is io.EOF. Exchanges of other processes have to be looked for.
func (s eventStream) follow(
	ctx context.Context, sb bank, isShared bool, of *journal.Journal, query journal.Query,
) error {
	beat := time.Now().Add(heartbeat)
	for {
		if _, err := sb.Latest(ctx); errors.Is(err, sandbox.ErrDeleted) { // until the store can be used, there is nothing new
			return io.EOF
		}
		found := of.Select(query)
		query.After = found.Looked
		var events []string
		if found.Missed > 0 {
			events = append(events, fmt.Sprintf("event: gap\ndata: {\"missed\":%d}\n\n", found.Missed))
		}
		for x := range found.Exchanges() {
			data, err := wire.Encode(x) // on one line, as an event needs it
			if err != nil {
				return err
			}
			events = append(events, fmt.Sprintf("id: %s\nevent: exchange\ndata: %s\n\n", x.ID, data))
		}
		if len(events) == 0 && !time.Now().Before(beat) {
			events = []string{": heartbeat\n\n"}
		}
		if len(events) > 0 {
			if err := s.write(events...); err != nil {
				return err
			}
			beat = time.Now().Add(heartbeat)
		}
		until := beat
		if isShared && time.Until(until) > sharedPace {
			until = time.Now().Add(sharedPace)
		}
		waiting, cancel := context.WithDeadline(ctx, until)
		err := of.Wait(waiting, query.After)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		if err == nil && found.Next == "" {
			_ = fault.Wait(ctx, nil, streamPace)
		}
	}
}

// write writes and flushes within a time limit, if the writer supports one. Between two events there is none.
func (s eventStream) write(events ...string) error {
	defer func() { _ = s.controller.SetWriteDeadline(time.Time{}) }()
	if err := s.controller.SetWriteDeadline(time.Now().Add(streamTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	for _, event := range events {
		if _, err := io.WriteString(s.w, event); err != nil {
			return err
		}
	}
	return s.controller.Flush()
}
