package bankapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

const mediaJSON = "application/json"

// outcome is the end of a request: the answer to record, to count and to send. It never changes.
type outcome struct {
	moment
	effects effects
	reply   reply         // with all of its headers, before a connection fault breaks it
	sent    fault.Answer  // the reply as it goes over the wire
	holdFor time.Duration // how long a connection fault means to hold the connection
	lints   []journal.Lint

	committed bool           // whether the request has replaced the world of its moment
	changed   bool           // whether rows of the two differ
	fault     *journal.Fault // to record, or nil if no fault fired
}

// exchange is an outcome that is recorded.
type exchange struct {
	*outcome
	id string // in the journal, or "" if it is in no journal
}

// newOutcome completes the answer to a request, and decides what a connection fault makes of it. If a large answer has
// no room, a request that has changed nothing is refused instead.
func (h *Handler) newOutcome(req *request, m moment, d decided, e effects) *outcome {
	if !d.committed && e.connection == nil {
		if err := req.leases.takeAnswer(len(d.reply.body)); err != nil {
			d.reply = refusalReply(m, err)
		}
	}
	readable, corsLints := h.addCORSHeaders(req, m, e, withHeaders(req, m, d.reply))
	whole := framed(req, e, readable)
	sent, holdFor := onTheWire(req, e, whole.plain())
	return &outcome{
		moment:    m,
		effects:   e,
		reply:     whole,
		sent:      sent,
		holdFor:   holdFor,
		lints:     slices.Concat(d.lints, corsLints, listenerLints(req)),
		committed: d.committed,
		changed:   d.changed,
		fault:     e.record(m, d),
	}
}

// onTheWire returns an answer as it goes over the wire under a connection fault, and how long the fault means to hold
// the connection. Without such a fault, only the body of an answer to HEAD is left out.
func onTheWire(req *request, e effects, whole fault.Answer) (sent fault.Answer, holdFor time.Duration) {
	if e.connection == nil {
		return withoutBodyOfHEAD(req.Method, whole), 0
	}
	altered, _ := e.connection.Alter(whole) // zero if the fault loses the answer
	return withoutBodyOfHEAD(req.Method, altered), e.connection.Holds(withoutBodyOfHEAD(req.Method, whole))
}

// listenerLints says that a listener of one sandbox ignores the header that names another.
func listenerLints(req *request) []journal.Lint {
	if req.soleSandbox == "" || len(req.Header[contract.SandboxHeader]) == 0 {
		return nil
	}
	return []journal.Lint{{
		Code:    "sandbox-header-ignored",
		Message: "header " + contract.SandboxHeader + " is ignored: this listener serves one sandbox alone",
	}}
}

// withHeaders returns a reply with the headers that say which request and which scenario it is about.
func withHeaders(req *request, m moment, rep reply) reply {
	if id := req.header(m.family.RequestID); id != "" {
		rep = rep.with(m.family.RequestID, id)
	}
	if m.Scenario != nil && m.policy.Headers.Scenario {
		rep = rep.with(contract.ScenarioHeader.Name, m.Scenario.Tag)
	}
	return rep
}

// framed returns a reply with the headers about its body and its connection, and those that faults set.
func framed(req *request, e effects, rep reply) reply {
	if req.unframed {
		rep = rep.with("Connection", "close")
	}
	if rep.body != nil && !rep.has(contract.ContentType.Name) {
		rep = rep.with(contract.ContentType.Name, mediaJSON)
	}
	isWhole := rep.rest == nil && (rep.body != nil || req.Method != http.MethodHead)
	hasContent := rep.status != http.StatusNoContent && rep.status != http.StatusNotModified
	if hasContent && isWhole { // RFC 9110 8.6
		rep = rep.with("Content-Length", strconv.Itoa(len(rep.body)))
	}
	for _, h := range e.headers {
		rep = rep.withInPlace(h.Name, h.Values...)
	}
	return rep
}

// draft returns what records the exchange, or nil if there is no outcome, because the request pauses.
func (out *outcome) draft(req *request) sandbox.Draft {
	if out == nil {
		return nil
	}
	return func() journal.Record { return journal.Record{Exchange: out.journalExchange(req), Step: out.step()} }
}

func (out *outcome) journalExchange(req *request) *journal.Exchange {
	_, user := subjectOf(req, out.moment)
	_, delay := out.effects.Delays() // before the answer is sent
	x := &journal.Exchange{
		Sandbox:    req.sandboxName,
		Operation:  nameOf(out.op),
		Dialect:    dialectOf(out.op),
		User:       strings.ToValidUTF8(user, "\uFFFD"),
		At:         out.Now,
		RealAt:     req.started,
		TookMicros: (time.Since(req.started) + out.holdFor + delay).Microseconds(),
		Decision:   out.reply.decision,
		Changed:    out.changed,
		Fault:      out.fault,
		Lints:      out.lints,
		SentBy:     journal.SenderIn(req.Context()).Name,
	}
	sent := journal.Messages{
		Request: req.Request, BaseURL: req.baseURL, Path: req.path(), RawQuery: req.below.RawQuery,
		Body: req.content.data, BodyBytes: req.content.size,
		Status: out.sent.Status, Header: out.sent.Header, Answer: out.sent.Body,
		AnswerGoesOn: out.reply.rest != nil,
	}
	x.Request, x.Response = sent.Redacted(x.Operation, out.op == nil || out.fault != nil)
	return x
}

func (out *outcome) step() journal.Step {
	step := journal.Step{Before: out.before, After: out.before, Running: out.Running, Since: out.Since}
	if out.committed && out.changed { // faults that count let a read commit, too
		step.After = out.World
	}
	switch {
	case out.effects.uncounted != nil:
		step.Faults = [2]journal.Attachment{out.effects.uncounted, out.effects.counted}
	case out.Faults != nil && !out.Faults.Empty(): // the faults were not asked, so they stay as they are
		step.Faults = [2]journal.Attachment{out.Faults, out.Faults}
	}
	return step
}

// recordRefusal refuses a request whatever was decided before, and records that in its sandbox. Faults that have fired
// for it stay on record.
func (h *Handler) recordRefusal(req *request, refusal error, fired effects) (done exchange) {
	err := h.Sandboxes.Use(req.Context(), req.sandboxName, func(sb *sandbox.Sandbox) (err error) {
		done, err = h.refuseIn(sb, req, refusal, fired)
		return err
	})
	if err != nil {
		return h.refuseWithoutSandbox(req, err)
	}
	return done
}

// refuseIn refuses a request in a sandbox, and records that. It fails with ErrDeleted.
func (h *Handler) refuseIn(sb *sandbox.Sandbox, req *request, refusal error, fired effects) (exchange, error) {
	var out *outcome
	ctx := context.WithoutCancel(req.Context()) // the refusal is recorded even if the client has gone
	id, err := sb.View(ctx, func(v sandbox.View) (sandbox.Draft, error) {
		m := momentOf(req, sb, v, v.World)
		out = h.newOutcome(req, m, decided{reply: refusalReply(m, refusal)}, effects{all: fired.all})
		return out.draft(req), nil
	})
	switch {
	case err == nil:
		return exchange{out, id}, nil
	case errors.Is(err, sandbox.ErrDeleted):
		return exchange{}, err
	}
	return h.refuseUnstored(req, sb, err), nil
}

// refuseWithoutSandbox refuses a request whose sandbox doesn't exist, or can't be read from the store.
func (h *Handler) refuseWithoutSandbox(req *request, err error) exchange {
	if !errors.Is(err, sandbox.ErrNoSandbox) && !errors.Is(err, sandbox.ErrDeleted) {
		return h.refuseUnstored(req, nil, err)
	}
	m := nowhere(req)
	refusal := req.refusal
	if refusal == nil {
		name, isNamed := sandboxOfHost(h.SandboxHosts, h.host(req.Request))
		refusal = unknownSandbox(req.sandboxName, isNamed && name == req.sandboxName)
	}
	d := h.refuseOrPreflight(req, m, refusalReply(m, refusal))
	return exchange{outcome: h.newOutcome(req, m, d, noEffects)}
}

// refuseUnstored refuses a request because of the store, and records that where the journal is in memory. The request
// has changed nothing, unless the store doesn't say.
func (h *Handler) refuseUnstored(req *request, sb *sandbox.Sandbox, err error) exchange {
	if !errors.Is(err, context.Canceled) { // else the client has gone
		h.Log.Error("not stored", "sandbox", wording.Shorten(req.sandboxName), "error", err)
	}
	m := nowhere(req)
	if sb != nil {
		v := sb.Known()
		m = momentOf(req, sb, v, v.World)
	}
	rep := refusalReply(m, sim.Refuse(contract.NotStored,
		"the bank can't be stored at present: nothing was changed, so send the request again later"))
	if errors.Is(err, sandbox.ErrUnsure) {
		rep = refusalReply(m, sim.Refuse(contract.NotStored,
			"the store didn't say whether it has taken the change: it may have been made, so look before you send "+
				"the request again"))
		rep.headers = nil // no Retry-After
	}
	out := h.newOutcome(req, m, decided{reply: rep}, noEffects)
	if sb == nil {
		return exchange{outcome: out}
	}
	return exchange{out, sb.RecordUnstored(out.draft(req))}
}
