package controlapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

const (
	// maxPerSecond is the most that ?perSecond= can be (choice).
	maxPerSecond = 1000
	// chosenAtOnce is how many exchanges a stream with filters writes together at most, and chosenBytes about how large they are
	// (choice).
	chosenAtOnce = 100
	chosenBytes  = 64 << 10
	// lookPace is how long a stream with filters rests after exchanges none of which match (choice).
	lookPace = 10 * time.Millisecond
	// lookShare is how many times longer all streams together rest than one of them looks for exchanges that match (choice). So
	// they look for a tenth of the time of one processor, however many they are and whatever they look for.
	lookShare = 9
)

// choice says which exchanges a stream has.
type choice struct {
	query     journal.Query
	perSecond int // 0: as they come
}

func (c choice) all() bool { return c.query.All() && c.perSecond == 0 }

// choiceOf returns the choice of ?operation=&status=&outcome=&text=&perSecond=. A status is not compared with what the operation
// can answer: a fault that isn't there yet may.
func choiceOf(r *http.Request) (c choice, err error) {
	values := r.URL.Query()
	if c.query, err = filters(values); err != nil {
		return c, err
	}
	if err := c.query.Check(); err != nil {
		return c, refuse(http.StatusBadRequest, "%v", err)
	}
	c.perSecond, err = number(values, "perSecond", 1, maxPerSecond, 0)
	return c, err
}

// followChosen is follow for the exchanges of a choice. It shares nothing with other streams, and encodes only what it writes.
func (a control) followChosen(ctx context.Context, s eventStream, sb *sandbox.Sandbox, of *journal.Journal, after uint64, chosen choice) {
	c := chosenStream{eventStream: s, choice: chosen, of: of, held: of.Last()}
	c.query.After = after
	c.cursor = of.Follow(c.query)
	beat := time.Now().Add(heartbeat)
	for {
		wrote, err := c.next(ctx, beat)
		if a.ended(ctx, s, sb, err) {
			return
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.heartbeat()
			wrote = true
		}
		if err != nil {
			return
		}
		open := time.Duration(a.streams.open())
		pace := max(streamPace*(open-1), lookShare*c.looked*open)
		switch {
		case !wrote:
			pace = max(pace, lookPace)
		case c.perSecond > 0:
			pace = max(pace, time.Second/time.Duration(c.perSecond))
		}
		if wrote {
			beat = time.Now().Add(heartbeat)
		}
		rest(ctx, pace)
	}
}

// chosenStream writes the exchanges of a choice.
type chosenStream struct {
	eventStream
	choice
	of     *journal.Journal
	held   uint64 // the number of the newest exchange when the stream began: up to there, none is skipped
	cursor *journal.Cursor
	looked time.Duration // for exchanges that match, last time
	text   []byte
}

// next waits for exchanges until it is time for a heartbeat, and writes those that match. It reports whether it wrote any.
func (c *chosenStream) next(ctx context.Context, beat time.Time) (wrote bool, err error) {
	waiting, cancel := context.WithDeadline(ctx, beat)
	defer cancel()
	if err := c.cursor.Wait(waiting); err != nil {
		return false, err
	}
	most, began := 1, time.Now()
	if c.perSecond > 0 {
		err = c.cursor.Sample(c.perSecond)
	} else {
		most, err = chosenAtOnce, c.look()
	}
	c.looked = time.Since(began)
	if err != nil {
		return false, err
	}
	c.text = c.text[:0]
	for range most {
		found, ok := c.cursor.Next()
		if !ok || err != nil {
			break
		}
		c.text = appendSampled(appendGap(c.text, found.Missed), found.Passed)
		if c.text, err = appendExchange(c.text, found.Exchange); err != nil {
			return false, err
		}
		if len(c.text) > chosenBytes {
			break
		}
	}
	if len(c.text) == 0 {
		return false, nil
	}
	return true, c.write(c.text)
}

// look looks for exchanges that match. If the stream is too far behind, it skips to the newest.
func (c *chosenStream) look() error {
	if skipped := lag(c.of, c.cursor.Looked(), c.held); skipped > 0 {
		if err := c.cursor.Skip(c.cursor.Looked() + skipped); err != nil {
			return err
		}
	}
	return c.cursor.Look(chosenAtOnce)
}
