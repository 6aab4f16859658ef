package bankapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// exchange is a request and, in the end, its answer.
type exchange struct {
	*Handler
	w       http.ResponseWriter
	r       *http.Request
	only    string // the sandbox that is served; empty: the one that the base URL names
	request addressed
	started time.Time
	call    call
	sandbox *sandbox.Sandbox // nil: not known yet, or there is none

	preflighted bool // whether the answer is that to a preflight

	held     time.Duration // how long a fault means to hold the connection while it delivers the answer
	recorded bool          // whether the answer is decided: it is in the journal, and counted
	id       string        // in the journal; empty: it has none
}

// deliver records a reply and sends it.
func (x *exchange) deliver(rep reply) {
	rep, release := x.takeRoom(rep)
	defer release()
	if id := x.call.requestID(); id != "" {
		rep.header(x.call.family.RequestID, id)
	}
	if x.call.From != nil && x.call.behavior().Headers.Scenario {
		rep.header(contract.ScenarioHeader.Name, x.call.From.Tag)
	}
	x.share(&rep)
	unframed := x.unframed()
	if unframed {
		rep.closeUnframed()
	}
	rep.frame()
	sent := rep.sent()
	if x.r.Method == http.MethodHead {
		sent = sent.withoutBody()
	}
	x.lintIgnoredName()
	x.held = rep.held(x.r.Method)
	x.record(sent)
	if err := rep.wait(x.r.Context(), x.Draining); err == nil { // the answer stands, even if the client gives up
		x.meet(sent)
	}
	if x.id != "" && x.call.behavior().Headers.Exchange && !x.call.Journal.Closed() {
		rep.header(contract.ExchangeHeader.Name, x.id)
	}
	err := rep.write(x.w, x.r, x.Draining)
	if err != nil && err != http.ErrAbortHandler {
		x.Log.Error("a fault was not delivered", "fault", rep.injected.AnsweredBy, "exchange", x.id, "error", err)
	}
	x.logRequest(&sent)
	if unframed && err == nil && x.r.Context().Value(http.ServerContextKey) != nil { // it has a connection
		endUnframed(x.w)
	}
	if err == http.ErrAbortHandler { // a fault
		panic(err)
	}
}

// takeRoom takes the room that a large answer needs until it is written: clients that don't read would fill the memory. Where there is
// none, a request that has changed nothing is refused instead.
func (x *exchange) takeRoom(rep reply) (_ reply, release func()) {
	size := int64(len(rep.body))
	if size <= largeAnswer || x.Answers == nil || x.call.committed || rep.connection() != nil {
		return rep, func() {}
	}
	if !x.Answers.TryAcquire(size) {
		c := &x.call
		return refuse(c.family, c.behavior(), sim.Refuse(contract.Overloaded,
			"too many large answers are being written, and there is no room for this one: send the request again later")), func() {}
	}
	return rep, func() { x.Answers.Release(size) }
}

// record adds the exchange to the journal and counts it. That comes before a delay of the answer and before the answer
// itself: whoever has an answer finds its exchange, and readers of the journal wait for no delay.
func (x *exchange) record(sent reply) {
	took := time.Since(x.started) + sent.delay() + x.held
	if x.call.Journal != nil { // an unknown sandbox has none
		x.id = x.add(x.raw(sent, took))
	}
	x.counter(sent.status).Inc()
	journal.Note(x.r.Context(), x.id)
	x.recorded = true
}

// add adds an exchange to the journal and returns its id. One that can't be redacted is recorded without what its caller
// sent, because the answer may have been decided by a change that is made.
func (x *exchange) add(raw journal.Raw) (id string) {
	defer func() {
		if p := recover(); p != nil {
			x.report(p)
			id = x.call.addToJournal(journal.Raw{
				Sandbox: raw.Sandbox, Operation: raw.Operation, Dialect: raw.Dialect, At: raw.At, RealAt: raw.RealAt, Took: raw.Took,
				HTTP2: raw.HTTP2, Method: raw.Method, BaseURL: raw.BaseURL, Status: raw.Status, Decision: raw.Decision, Step: raw.Step,
			})
		}
	}()
	return x.call.addToJournal(raw)
}

// addToJournal adds an exchange at its place in the journal, if the call has one.
func (c *call) addToJournal(raw journal.Raw) (id string) {
	if c.place.Reserved() {
		return c.place.Fill(raw)
	}
	return c.Journal.Add(raw)
}

// recover answers in place of code that has panicked. An answer that is decided stands: its connection is aborted.
// http.ErrAbortHandler is no failure, but asks for that.
func (x *exchange) recover() {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	x.report(p)
	if x.recorded {
		panic(http.ErrAbortHandler)
	}
	defer func() {
		if p := recover(); p != nil { // now even that can't be answered
			panic(http.ErrAbortHandler)
		}
	}()
	c := &x.call
	if c.Journal == nil && x.sandbox != nil {
		c.Moment = x.sandbox.Now()
	}
	x.deliver(refuse(c.family, c.behavior(), errors.New("panic")))
}

func (x *exchange) report(panicked any) {
	x.Log.Error("panic", "sandbox", x.request.sandbox, "operation", x.call.operationName(), "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
}

// over replies to a request whose generation of the sandbox is over, and that has changed nothing. It belongs to the
// present generation then.
func (x *exchange) over(err error) reply {
	c := &x.call
	if errors.Is(err, sandbox.ErrDeleted) {
		c.Moment = sandbox.Moment{}
		return x.unknownSandbox()
	}
	c.Moment = x.sandbox.Now()
	rep := refuse(c.family, c.behavior(), sim.Refuse(contract.GenerationEnded,
		"the sandbox was reset while the request was under way: nothing was changed, so send it again"))
	if c.waited() {
		rep.injected = &injected{Fault: journal.Fault{Fired: c.fired.Fired, DelayMicros: c.fired.DelayMicros}}
	}
	return rep
}
