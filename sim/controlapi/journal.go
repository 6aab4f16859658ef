package controlapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// The size of a page, in exchanges (choice).
const (
	defaultPage = 100
	maxPage     = 1000
)

// verifyTimeout is how long the journal is compared with an expectation at most (choice).
const verifyTimeout = 5 * time.Second

// getJournal takes ?operation=&dialect=&status=&outcome=&text=&after=&limit= and answers {exchanges, evicted, cleared, next}: the
// exchanges that match, the newest last, how many were evicted and cleared, and the id after which there are more. An operation
// is a name, or a prefix of names and "*". With after, the answer has the first exchanges after that id (0: from the
// beginning), otherwise the newest. It refuses (400) an operation and an outcome that there is not, and a status that the
// operation can't answer with.
func (a control) getJournal(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	query := r.URL.Query()
	q, err := filters(query)
	if err != nil {
		return err
	}
	q.Newest = !query.Has("after")
	if q.Limit, err = number(query, "limit", 1, maxPage, defaultPage); err != nil {
		return err
	}
	if !q.Newest {
		if q.After, err = exchangeNumber("after", query.Get("after")); err != nil {
			return err
		}
	}
	now := sb.Now()
	if err := now.Journal.CheckQuery(q, now.CanInject); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	found := now.Journal.Select(q)
	return a.replyLarge(w, func(s *wire.Stream) {
		s.Text(`{"exchanges":`)
		wire.Array(s, found.Exchanges(), func(x journal.Exchange) { s.Value(x) })
		s.Text(`,"evicted":` + strconv.FormatUint(found.Evicted, 10) + `,"cleared":` + strconv.FormatUint(found.Cleared, 10) + `,"next":`)
		s.Value(found.Next)
		s.Text("}")
	})
}

// filters returns the query that asks for the exchanges that match ?operation=&dialect=&status=&outcome=&text=.
func filters(values url.Values) (q journal.Query, err error) {
	if values.Has("outcome") && values.Get("outcome") == "" {
		return q, refuse(http.StatusBadRequest, "outcome must be one of %s", strings.Join(journal.Outcomes, ", "))
	}
	q = journal.Query{Operation: values.Get("operation"), Dialect: values.Get("dialect"), Outcome: values.Get("outcome"), Text: values.Get("text")}
	q.Status, err = number(values, "status", 100, 599, 0)
	return q, err
}

// exchangeNumber parses the id of an exchange, or 0, which precedes them all.
func exchangeNumber(name, id string) (uint64, error) {
	n, ok := journal.ParseID(id)
	if !ok && id != "0" {
		return 0, refuse(http.StatusBadRequest, "%s must be the id of an exchange, or 0", name)
	}
	return n, nil
}

// clearJournal removes all exchanges, and the worlds around them.
func (a control) clearJournal(w http.ResponseWriter, _ *http.Request, sb *sandbox.Sandbox) error {
	sb.ClearJournal()
	return done(w)
}

// getExchange answers with an exchange; 404 if the journal doesn't hold it.
func (a control) getExchange(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	id := pathVar(r, "exchange")
	exchange, ok := sb.Now().Journal.Get(id)
	if !ok {
		return unknownExchange(id)
	}
	return reply(w, exchange)
}

// unknownExchange refuses (404) an exchange that the journal doesn't hold.
func unknownExchange(id string) *api.Problem {
	return refuse(http.StatusNotFound, "the journal holds no exchange %s: it may have been evicted, cleared or reset", phrase.Quote(id))
}

// getHAR answers with all exchanges as a HAR 1.2 document, for saving as a file.
func (a control) getHAR(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	all := sb.Now().Journal.Select(journal.Query{}).Exchanges()
	w.Header().Set("Content-Disposition", `attachment; filename="`+sb.Name()+`.har"`) // a name needs no escapes
	return a.replyLarge(w, func(s *wire.Stream) { journal.WriteHAR(s, all, a.Version) })
}

// verify takes an expectation, {operation?, dialect?, status?, method?, path?, header?, query?, body?, exactly?, atLeast?,
// atMost?}, and answers {verified, matched, matches, nearMisses}: whether the journal meets it. It refuses an expectation
// that contradicts itself, or that no request can fulfil (400), one whose verdict evicted exchanges could change (409), and
// one whose comparison takes too long (503).
func (a control) verify(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	var expectation journal.Expectation
	if err := decode(r, &expectation); err != nil {
		return err
	}
	ctx, cancel := a.untilDraining(r.Context())
	defer cancel()
	ctx, cancelTimeout := context.WithTimeout(ctx, verifyTimeout)
	defer cancelTimeout()
	now := sb.Now()
	err := now.Journal.CheckPossible(ctx, expectation, now.CanInject)
	var verdict journal.Verdict
	if err == nil {
		verdict, err = now.Journal.Verify(ctx, expectation)
	}
	switch {
	case errors.Is(err, journal.ErrEvicted):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return refuse(http.StatusServiceUnavailable, "the journal could not be compared within %s: name the operation, simplify "+
			"the regular expressions, or clear the journal before what is verified", verifyTimeout)
	case errors.Is(err, context.Canceled):
		return refuse(http.StatusServiceUnavailable, "the comparison was ended: the simulator is shutting down, or the caller has disconnected")
	case err != nil:
		return refuse(http.StatusBadRequest, "%v", err)
	}
	return reply(w, verdict)
}

// explain answers with an exchange and why it was answered as it was; 404 if the journal doesn't hold it.
func (a control) explain(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	id := pathVar(r, "exchange")
	now := sb.Now()
	exchange, ok := now.Journal.Get(id)
	if !ok {
		return unknownExchange(id)
	}
	return reply(w, explanation.New(exchange, explanation.Bank{Behavior: now.World.Behavior()}))
}

// exchangeChanges is what an exchange has changed.
type exchangeChanges struct {
	exchangeChangesStart
	Changes []changedRow `json:"changes"`
}

// exchangeChangesStart is what the changes of an exchange begin with.
type exchangeChangesStart struct {
	Exchange string `json:"exchange"`
}

// getChanges answers {exchange, changes: [...]}: the rows that an exchange has changed; 404 if the journal doesn't hold it, 410
// if the worlds around it are no longer kept.
func (a control) getChanges(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	id := pathVar(r, "exchange")
	changes, err := sb.Changes(id)
	switch {
	case errors.Is(err, sandbox.ErrNoExchange):
		return unknownExchange(id)
	case err != nil:
		return err
	}
	return a.replyLarge(w, func(s *wire.Stream) {
		s.Open(exchangeChangesStart{id})
		s.Text(`,"changes":`)
		wire.Array(s, changes, func(c sim.Change) { s.Value(newChangedRow(c)) })
		s.Text("}")
	})
}

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
