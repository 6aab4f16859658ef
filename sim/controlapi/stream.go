package controlapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

const (
	maxStreams = 100              // event streams that are open at a time (choice)
	heartbeat  = 15 * time.Second // interval of comments on a stream without events (choice)
	// For one write to a stream: a client that takes longer is disconnected (choice).
	streamTimeout = 10 * time.Second
	// How long a stream rests after it has looked at exchanges, to have several at once (choice).
	streamPace  = 10 * time.Millisecond
	sharedPace  = time.Second // interval at which a stream looks for exchanges of other processes (choice)
	streamBatch = 100         // exchanges that a stream looks for at a time (choice)
)

type streamInput struct {
	SandboxPath
	JournalFilter
	After       string `query:"after" doc:"Only exchanges after the one with this id; 0 means from the first. The header Last-Event-ID takes precedence."`
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event before a stream broke off. The new stream goes on after it."`
}

// streamJournal answers with server-sent events: the exchanges that the journal holds, then new ones as they happen. A
// stream that broke off goes on after Last-Event-ID or, without it, after ?after=. Its events are
//
//   - exchange: an exchange, with its id
//   - gap: {missed}: how many exchanges before the next one are no longer held, whether they match or not
//   - end: {reason}: the sandbox was reset or deleted, or the server is shutting down. It is the last event. Its id is
//     empty, so that a client that reconnects starts at the beginning, because ids restart after a reset
//
// and a comment every 15 seconds without events. The events of huma can't have an empty id or comments, so they are
// written here. A status is not compared with what the operation can answer: a fault that isn't there yet may.
func (c control) streamJournal(ctx context.Context, b bank, in *streamInput) (*huma.StreamResponse, error) {
	query := in.query()
	if err := query.Check(); err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	query.Limit = streamBatch
	var err error
	if query.After, err = exchangeNumber("Last-Event-ID or after", cmp.Or(in.LastEventID, in.After, "0")); err != nil {
		return nil, err
	}
	if c.streams.Add(1) > maxStreams {
		c.streams.Add(-1)
		return nil, refuse(http.StatusTooManyRequests,
			"%d event streams are open, as many as the simulator has: close some", maxStreams)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer c.streams.Add(-1)
		ctx.SetHeader("Content-Type", "text/event-stream")
		ctx.SetHeader("Cache-Control", "no-store")
		ctx.SetHeader("X-Accel-Buffering", "no") // so that no proxy buffers events
		c.writeEvents(ctx.Context(), newEventStream(ctx), b, query)
	}}, nil
}

// writeEvents writes the events of a stream until it ends.
func (c control) writeEvents(ctx context.Context, s eventStream, b bank, query journal.Query) {
	ctx, cancel := c.untilDraining(ctx)
	defer cancel()
	of := b.now.Journal // before the first write, so that the client sees the end of this generation
	if s.write(": stream of sandbox "+b.Name()+"\n\n") != nil {
		return
	}
	if query.After > of.Last() { // it comes from another generation
		query.After = 0
	}
	err := s.follow(ctx, b, c.Sandboxes.IsShared(), of, query)
	reason := "shutdown"
	if errors.Is(err, io.EOF) {
		reason = "reset"
		if now, err := c.Sandboxes.Find(ctx, b.Name()); err != nil || now != b.Sandbox {
			reason = "deleted"
		}
	}
	// A client that is gone doesn't read it.
	_ = s.write(fmt.Sprintf("id:\nevent: end\ndata: {\"reason\":%q}\n\n", reason))
}

// untilDraining returns a context that also ends when the server begins to shut down.
func (c control) untilDraining(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.Draining:
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

// newEventStream returns a stream that may go on for any time.
func newEventStream(ctx huma.Context) eventStream {
	_, w := humago.Unwrap(ctx)
	return eventStream{w, http.NewResponseController(w)}
}

// follow writes the exchanges of a journal that match a query. It returns when the client disconnects or the context
// ends, and io.EOF when the journal is closed. Exchanges of other processes have to be looked for.
func (s eventStream) follow(
	ctx context.Context, sb bank, isShared bool, of *journal.Journal, query journal.Query,
) error {
	beat := time.Now().Add(heartbeat)
	for {
		// Until the store can be used, there is nothing new.
		if _, err := sb.Latest(ctx); errors.Is(err, sandbox.ErrDeleted) {
			return io.EOF
		}
		found := of.Select(query)
		query.After = found.Looked
		written, err := s.writeFound(found)
		if err == nil && !written && !time.Now().Before(beat) {
			written, err = true, s.write(": heartbeat\n\n")
		}
		if err != nil {
			return err
		}
		if written {
			beat = time.Now().Add(heartbeat)
		}
		until := beat
		if isShared && time.Until(until) > sharedPace {
			until = time.Now().Add(sharedPace)
		}
		waiting, cancel := context.WithDeadline(ctx, until)
		err = of.Wait(waiting, query.After)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		if err == nil && found.Next == "" {
			_ = fault.Wait(ctx, nil, streamPace)
		}
	}
}

// writeFound writes an event for each exchange that was found. It encodes one at a time, so that a client that doesn't
// read holds one. It reports whether it has written any.
func (s eventStream) writeFound(found journal.Selection) (written bool, err error) {
	if found.Missed > 0 {
		written, err = true, s.write(fmt.Sprintf("event: gap\ndata: {\"missed\":%d}\n\n", found.Missed))
	}
	for x := range found.Exchanges() {
		data, wrong := strictjson.Encode(x) // an event needs the data on one line
		if err = cmp.Or(err, wrong); err != nil {
			return written, err
		}
		written, err = true, s.write(fmt.Sprintf("id: %s\nevent: exchange\ndata: %s\n\n", x.ID, data))
	}
	return written, err
}

// write writes and flushes within a time limit, if the writer supports one. Between two events there is no limit.
func (s eventStream) write(event string) error {
	defer func() { _ = s.controller.SetWriteDeadline(time.Time{}) }()
	err := s.controller.SetWriteDeadline(time.Now().Add(streamTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err = io.WriteString(s.w, event); err != nil {
		return err
	}
	return s.controller.Flush()
}
