package bankapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// record completes the answer, and returns the exchange for the journal. It comes before a delay of the answer and
// before the answer itself: a client that has an answer finds its exchange, and readers of the journal wait for no
// delay.
func (x *exchange) record() *journal.Raw {
	x.decideAnswer()
	if x.only != "" && len(x.r.Header[contract.SandboxHeader]) > 0 {
		x.lint("sandbox-header-ignored", "header "+contract.SandboxHeader+" is ignored: this listener serves one sandbox alone")
	}
	raw := x.raw()
	return &raw
}

// decideAnswer completes the answer, and decides what a fault makes of it.
func (x *exchange) decideAnswer() {
	x.takeAnswerRoom()
	x.complete()
	x.sent = x.reply
	if broken := x.connection(); broken != nil {
		altered, _ := broken.Alter(x.reply.plain()) // zero: the fault loses the answer
		x.sent.status, x.sent.headers, x.sent.body = altered.Status, altered.Header, altered.Body
		x.held = broken.Holds(x.withoutBodyOfHEAD(x.reply).plain())
	}
	x.sent = x.withoutBodyOfHEAD(x.sent)
}

// takeAnswerRoom takes the room that a large answer needs until it is written: clients that don't read would fill the memory. Where
// there is none, a request that has changed nothing is refused instead.
func (x *exchange) takeAnswerRoom() {
	size := int64(len(x.reply.body))
	if size <= largeAnswer || x.handler.Answers == nil || x.committed || x.connection() != nil {
		return
	}
	if x.rooms.takeAnswer(size) {
		return
	}
	x.reply = x.refuse(sim.Refuse(contract.Overloaded,
		"too many large answers are being written, and there is no room for this one: send the request again later"))
}

// complete adds the headers that all answers have, and replaces headers by those that a fault sets.
func (x *exchange) complete() {
	rep := &x.reply
	if id := x.requestID(); id != "" {
		rep.header(x.family.RequestID, id)
	}
	if x.at.Scenario != nil && x.behavior.Headers.Scenario {
		rep.header(contract.ScenarioHeader.Name, x.at.Scenario.Tag)
	}
	x.share()
	if x.isUnframed() {
		rep.header("Connection", "close")
	}
	if rep.body != nil {
		rep.header(contract.ContentType.Name, mediaJSON)
	}
	if rep.status != http.StatusNoContent { // RFC 9110 8.6
		rep.header("Content-Length", strconv.Itoa(len(rep.body)))
	}
	if x.injected == nil {
		return
	}
	for _, h := range x.injected.headers {
		rep.headers = slices.DeleteFunc(rep.headers, func(own [2]string) bool { return strings.EqualFold(own[0], h[0]) })
		rep.header(h[0], h[1])
	}
}

// withoutBodyOfHEAD returns a reply as it is sent to HEAD: its headers are those of the whole (RFC 9110 9.3.2).
func (x *exchange) withoutBodyOfHEAD(rep reply) reply {
	if x.r.Method == http.MethodHead {
		rep.body = nil
	}
	return rep
}

// raw returns the exchange as the journal takes it.
func (x *exchange) raw() journal.Raw {
	r, m := x.request, x.at
	step := journal.Step{Before: x.before, After: x.before, Changed: x.changed, Running: m.Running, Since: m.Since}
	if x.committed {
		step.After = m.World
	}
	switch {
	case x.faults[0] != nil:
		step.Faults = [2]journal.Kept{x.faults[0], x.faults[1]}
	case m.Faults != nil && !m.Faults.Empty(): // the request is none's that they are for
		step.Faults = [2]journal.Kept{m.Faults, m.Faults}
	}
	var injected *journal.Fault
	took := time.Since(x.started) + x.held
	if x.injected != nil {
		injected = &x.injected.Fault
		took += x.injected.after
	}
	return journal.Raw{
		Sandbox:          x.sandboxName,
		Operation:        x.operationName(),
		Dialect:          x.dialect(),
		At:               m.Now,
		RealAt:           x.started,
		Took:             took,
		HTTP2:            r.ProtoMajor > 1,
		Method:           r.Method,
		BaseURL:          x.baseURL,
		Path:             r.URL.EscapedPath(),
		RawQuery:         r.URL.RawQuery,
		RequestHeader:    r.Header,
		RequestBody:      x.content.data,
		RequestBodyBytes: x.content.size,
		Status:           x.sent.status,
		ResponseHeader:   x.sent.headers,
		ResponseBody:     x.sent.body,
		Decision:         x.sent.decision,
		Step:             step,
		Fault:            injected,
		Lints:            x.lints,
	}
}

// meet counts what the client of a request to an operation meets. That comes before the answer is sent, so whoever has an
// answer finds it counted.
func (x *exchange) meet() {
	if x.op == nil || x.at.World == nil { // the request is no operation's, or its sandbox was deleted
		return
	}
	met := coverage.Point{Operation: x.op.Name, Dialect: x.dialect(), Kind: coverage.Accepted, Status: x.sent.status}
	switch f := x.injected; {
	case f != nil && f.AnsweredBy != "" && f.Connection != "":
		met.Kind, met.Status, met.Connection = coverage.Connection, 0, f.Connection
		if x.op.Changes { // for others the phases are the same
			met.Phase = f.Phase
		}
	case f != nil && f.AnsweredBy != "":
		met.Kind, met.Code = coverage.Injected, x.sent.code
	case x.sent.status == 0: // the client disconnected while a fault delayed its request
		return
	case x.sent.decision.Outcome == journal.Refused:
		met.Kind, met.Rule = coverage.Refused, x.sent.decision.Rule
		met.Code = x.family.Refusal(sim.Code(met.Rule)).Code
	}
	x.sandbox.Coverage().Count(met, x.sent.decision.Entries, x.at.World.Policies())
}
