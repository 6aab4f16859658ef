package controlapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const (
	heartbeat     = 15 * time.Second // interval of comments on a stream without events (choice)
	streamTimeout = 10 * time.Second // for one write to a stream; a client that takes longer is disconnected (choice)

	// maxLag is how many new exchanges a stream may be behind; one that is slower skips to the newest keptLag (choice).
	maxLag  = 5000
	keptLag = 100

	// streamPace is how long a stream rests after each batch of exchanges, for each other stream that is open (choice). So
	// they write about 1,000 batches a second together, however many they are, and exchanges that are added meanwhile wake
	// nobody. A single stream doesn't rest.
	streamPace = time.Millisecond
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
//   - gap: {missed}: how many exchanges before the next one are no longer held, or were skipped because the client is slow;
//     {missed, sampled: true}: how many were left out because of ?perSecond=
//   - end: {reason}: the sandbox was reset or deleted, or the server is shutting down; it is the last event. Its id is empty,
//     so that a client that reconnects starts at the beginning, because ids restart after a reset
//
// and a comment every 15 seconds without events. It has only the exchanges that match ?operation=&status=&outcome=&text=, and at
// most ?perSecond= of them a second.
func (a control) stream(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	after, err := resumeAfter(r)
	if err != nil {
		return err
	}
	chosen, err := choiceOf(r)
	if err != nil {
		return err
	}
	leave, err := a.streams.enter(sb.Name())
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := a.untilDraining(r.Context())
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // so that no proxy buffers events
	of := sb.Now().Journal                    // before the first write, so that the client sees the end of this generation
	s := eventStream{w, http.NewResponseController(w)}
	// The request was read completely. From here on, the server reads only to notice that the client has disconnected.
	_ = s.controller.SetReadDeadline(time.Time{})
	if err := s.write([]byte(": stream of sandbox " + sb.Name() + "\n\n")); err != nil {
		return nil
	}
	if held := of.Last(); after > held { // it comes from another generation
		after = 0
	}
	if chosen.all() {
		a.follow(ctx, s, sb, of, after)
	} else {
		a.followChosen(ctx, s, sb, of, after, chosen)
	}
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
func (a control) follow(ctx context.Context, s eventStream, sb *sandbox.Sandbox, of *journal.Journal, after uint64) {
	held := of.Last() // what the journal holds already is never skipped
	for {
		err := waitOrHeartbeat(ctx, of, after)
		var next batch
		var skipped uint64
		if err == nil {
			skipped = lag(of, after, held)
			next, err = a.batches.get(of, after+skipped)
		}
		if a.ended(ctx, s, sb, err) {
			return
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			err = s.heartbeat()
		case err == nil && next.last > 0:
			after = next.last
			if err = s.batch(next, skipped); err == nil {
				rest(ctx, streamPace*time.Duration(a.streams.open()-1))
			}
		}
		if err != nil {
			return
		}
	}
}

// ended ends a stream whose journal is closed, or whose context has ended, and reports whether it did. err is that of waiting
// for exchanges.
func (a control) ended(ctx context.Context, s eventStream, sb *sandbox.Sandbox, err error) bool {
	reason := ""
	switch {
	case errors.Is(err, io.EOF):
		reason = endReset
		if now, ok := a.Sandboxes.Get(sb.Name()); !ok || now != sb {
			reason = endDeleted
		}
	case ctx.Err() != nil:
		reason = endShutdown // if the client has disconnected instead, nobody reads it
	default:
		return false
	}
	_ = s.end(reason)
	return true
}

// lag returns how many exchanges a stream skips that is too far behind: it has written those up to after, and the journal
// held those up to held when it began. The streams that skip at about the same time continue at the same exchange.
func lag(of *journal.Journal, after, held uint64) uint64 {
	last := of.Last()
	if after < held || last <= after+maxLag {
		return 0
	}
	return (last-keptLag)/keptLag*keptLag - after
}

// waitOrHeartbeat waits for exchanges until it is time for a heartbeat.
func waitOrHeartbeat(ctx context.Context, of *journal.Journal, after uint64) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	return of.Wait(ctx, after)
}

// rest waits for a time, or until the context ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// eventStream writes server-sent events.
type eventStream struct {
	w          io.Writer
	controller *http.ResponseController
}

// write writes and flushes within a time limit, if the writer supports one. Between two events there is none.
func (s eventStream) write(texts ...[]byte) error {
	defer func() { _ = s.controller.SetWriteDeadline(time.Time{}) }()
	if err := s.controller.SetWriteDeadline(time.Now().Add(streamTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	for _, text := range texts {
		if _, err := s.w.Write(text); err != nil {
			return err
		}
	}
	return s.controller.Flush()
}

// appendGap appends the event of exchanges that were missed, if there were any.
func appendGap(text []byte, missed uint64) []byte {
	if missed == 0 {
		return text
	}
	return fmt.Appendf(text, "event: gap\ndata: {\"missed\":%d}\n\n", missed)
}

// appendSampled appends the event of exchanges that were left out, if there were any.
func appendSampled(text []byte, missed uint64) []byte {
	if missed == 0 {
		return text
	}
	return fmt.Appendf(text, "event: gap\ndata: {\"missed\":%d,\"sampled\":true}\n\n", missed)
}

// appendExchange appends the event of an exchange.
func appendExchange(text []byte, x journal.Exchange) ([]byte, error) {
	data, err := wire.Encode(x) // on one line, as an event needs it
	if err != nil {
		return text, err
	}
	return fmt.Appendf(text, "id: %s\nevent: exchange\ndata: %s\n\n", x.ID, data), nil
}

// batch writes exchanges, after the number of those that were missed before them.
func (s eventStream) batch(b batch, skipped uint64) error {
	if missed := skipped + b.gap; missed > 0 {
		return s.write(appendGap(nil, missed), b.text)
	}
	return s.write(b.text)
}

func (s eventStream) heartbeat() error { return s.write([]byte(": heartbeat\n\n")) }

func (s eventStream) end(reason string) error {
	return s.write(fmt.Appendf(nil, "id:\nevent: end\ndata: {\"reason\":%q}\n\n", reason))
}

// How many event streams are open at most (choice).
const (
	maxStreams        = 500
	maxSandboxStreams = 100 // of one sandbox
)

// streamCount counts the open event streams.
type streamCount struct {
	mu    sync.Mutex
	total int
	of    map[string]int // by the name of the sandbox
}

func newStreamCount() *streamCount { return &streamCount{of: map[string]int{}} }

// enter counts a stream in until leave is called. It refuses (429) one too many.
func (c *streamCount) enter(sandbox string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.total >= maxStreams:
		return nil, refuse(http.StatusTooManyRequests, "%d event streams are open, as many as the simulator has: close some", maxStreams)
	case c.of[sandbox] >= maxSandboxStreams:
		return nil, refuse(http.StatusTooManyRequests, "%d event streams of this sandbox are open, as many as it has: close some", maxSandboxStreams)
	}
	c.total++
	c.of[sandbox]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.total--
		if c.of[sandbox]--; c.of[sandbox] == 0 {
			delete(c.of, sandbox)
		}
	}, nil
}

// open returns how many streams are open.
func (c *streamCount) open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// keptBatches is how many batches of exchanges are kept for other streams (choice).
const keptBatches = 32

// batch is a part of a journal as the text of a stream. Streams share it.
type batch struct {
	text        []byte // events, without that of the gap
	gap         uint64 // how many exchanges before the first are no longer held
	first, last uint64 // the numbers of its exchanges; 0: it has none
	limited     bool   // there were more when it was made
}

// batches makes batches and keeps the last ones: streams of one journal mostly need the same, and making them takes much
// longer than writing them.
type batches struct {
	mu   sync.Mutex
	kept map[batchKey]*keptBatch
	keys []batchKey // of kept, the oldest first
}

type batchKey struct {
	of    *journal.Journal
	after uint64
}

type keptBatch struct {
	mu sync.Mutex // held while the batch is made
	batch
}

func newBatches() *batches { return &batches{kept: map[batchKey]*keptBatch{}} }

// get returns the exchanges of a journal after a number, as far as they are one batch; it may have none. It returns io.EOF
// once the journal is closed.
func (b *batches) get(of *journal.Journal, after uint64) (batch, error) {
	k := b.keep(batchKey{of, after})
	k.mu.Lock()
	defer k.mu.Unlock()
	oldest, newest := of.Held()
	if k.first > 0 && k.first >= oldest && (k.limited || k.last == newest) {
		return k.batch, nil
	}
	made, err := newBatch(of, after)
	k.batch = made
	return made, err
}

// keep returns the kept batch of a key, or a new one in place of the oldest.
func (b *batches) keep(key batchKey) *keptBatch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k, ok := b.kept[key]; ok {
		return k
	}
	if len(b.keys) == keptBatches {
		delete(b.kept, b.keys[0])
		b.keys = append(b.keys[:0], b.keys[1:]...)
	}
	k := &keptBatch{}
	b.kept[key] = k
	b.keys = append(b.keys, key)
	return k
}

func newBatch(of *journal.Journal, after uint64) (batch, error) {
	exchanges, gap, err := of.Batch(after)
	if err != nil || len(exchanges) == 0 {
		return batch{}, err
	}
	made := batch{gap: gap, first: exchanges[0].Number(), last: exchanges[len(exchanges)-1].Number()}
	for _, x := range exchanges {
		if made.text, err = appendExchange(made.text, x); err != nil {
			return batch{}, err
		}
	}
	made.limited = made.last < of.Last()
	return made, nil
}
