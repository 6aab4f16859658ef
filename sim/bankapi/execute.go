package bankapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// execute decides the outcome of a request in its sandbox, and records the exchange there. A request whose sandbox
// can't be used is refused. If a fault delays the request or forwards it, execute returns a pause in place of an
// exchange.
func (h *Handler) execute(req *request) (done exchange, paused *pause) {
	if isOverload(req.content.err) { // no fault delays its refusal
		return h.recordRefusal(req, req.content.err, noEffects), nil
	}
	err := h.Sandboxes.Use(req.Context(), req.sandboxName, func(sb *sandbox.Sandbox) (err error) {
		done, paused, err = h.attempt(req.Context(), sb, req, nil)
		return err
	})
	if paused == nil {
		req.leases.body.Release()
	}
	if err != nil {
		return h.refuseWithoutSandbox(req, err), nil
	}
	return done, paused
}

// pause is what a delayed or forwarded request takes from the decision of its faults to its operation.
type pause struct {
	moment  moment // in which the faults were decided
	effects effects
	isGone  bool // whether the client has disconnected meanwhile

	reply   reply // of the service that the request was forwarded to
	failure error // why there is no answer, or nil
}

// resume waits for the delay of a fault before the operation, and forwards the request if a fault says so. Then it
// carries out the operation in the present bank.
func (h *Handler) resume(w http.ResponseWriter, req *request, paused *pause) exchange {
	defer req.leases.body.Release()
	sb := paused.moment.sandbox
	before, after := paused.effects.Delays()
	limit := before + after + writeTimeout
	if paused.effects.Forward != nil {
		limit += h.forwardLimit()
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit))
	ctx, waited := req.Context(), *paused
	waited.isGone = h.wait(req, before) != nil
	if paused.effects.Forward != nil && !waited.isGone {
		waited.reply, waited.failure = h.askOther(req, paused.effects)
		waited.isGone = ctx.Err() != nil
	}
	if waited.isGone {
		ctx = context.WithoutCancel(ctx) // the fault has fired, and is recorded
	}
	done, _, err := h.attempt(ctx, sb, req, &waited)
	if err != nil { // the sandbox was deleted, and another one of its name is not asked
		return h.refuseWithoutSandbox(req, err)
	}
	return done
}

// wait waits for a time. It fails when the client disconnects, and ends early when the server shuts down.
func (h *Handler) wait(req *request, delay time.Duration) error {
	if delay == 0 {
		return nil
	}
	return fault.Wait(req.Context(), h.Draining, delay)
}

// maxAttempts is how often a request is tried at most (choice). It is tried again when the key for id_tokens has been
// made, and a reset may change the key between two tries.
const maxAttempts = 3

// attempt runs a request in the present state of a sandbox, and records the exchange. paused is nil, or has the faults
// that were decided before a delay. attempt fails with ErrNoSandbox and ErrDeleted. If the store fails, it refuses the
// request.
func (h *Handler) attempt(
	ctx context.Context, sb *sandbox.Sandbox, req *request, paused *pause,
) (exchange, *pause, error) {
	runIn := h.view
	if req.asked != nil && req.asked.Changes {
		runIn = h.update
	}
	for range maxAttempts {
		done, next, err := runIn(ctx, sb, req, paused)
		if errors.Is(err, sandbox.ErrIsChange) { // only view fails with it
			done, next, err = h.update(ctx, sb, req, paused)
		}
		switch {
		case err == nil:
			return done, next, nil
		case errors.Is(err, sandbox.ErrNoSandbox), errors.Is(err, sandbox.ErrDeleted):
			return exchange{}, nil, err
		case !errors.Is(err, sandbox.ErrNoKey):
			return h.refuseUnstored(req, sb, err), nil, nil
		}
		// Making the key takes long, so it is made here, where it keeps no request from the bank. It isn't made before
		// the first attempt, because few requests need it.
		sandbox.MakeKey(sb.Known().World)
	}
	fired := noEffects
	if paused != nil {
		fired = paused.effects
	}
	done, err := h.refuseIn(sb, req, sim.Refuse(contract.GenerationEnded,
		"the sandbox was reset again and again while the key that signs id_tokens was made: nothing was changed, so "+
			"send the request again"), fired)
	return done, nil, err
}

// view runs a request that reads the bank. It fails with ErrIsChange if the request has to change the bank.
func (h *Handler) view(
	ctx context.Context, sb *sandbox.Sandbox, req *request, paused *pause,
) (exchange, *pause, error) {
	var out *outcome
	var next *pause
	id, err := sb.View(ctx, func(v sandbox.View) (_ sandbox.Draft, err error) {
		out, next, err = h.run(req, momentOf(req, sb, v, v.World), nil, paused)
		return out.draft(req), err
	})
	return exchange{out, id}, next, err
}

// update runs a request that may change the bank. It undoes what the request did to the world, unless the outcome is
// committed.
func (h *Handler) update(
	ctx context.Context, sb *sandbox.Sandbox, req *request, paused *pause,
) (exchange, *pause, error) {
	var out *outcome
	var next *pause
	id, err := sb.Update(ctx, func(tx *sandbox.Tx) (_ sandbox.Draft, err error) {
		out, next, err = h.run(req, momentOf(req, sb, tx.View, tx.Before), tx, paused)
		if out == nil || !out.committed {
			tx.UndoWorld()
		}
		return out.draft(req), err
	})
	return exchange{out, id}, next, err
}

// run decides the outcome of a request in one moment of a bank. If the request has to pause first, it returns the pause
// in place of an outcome. It may be called again with another moment. With tx it may change the bank. Without tx it
// fails with ErrIsChange if it would have to change the bank.
func (h *Handler) run(
	req *request, m moment, tx *sandbox.Tx, paused *pause,
) (*outcome, *pause, error) {
	if req.asked == nil && !h.isStubbed(req, m) {
		d, err := h.answerWithoutOperation(req, m)
		if err != nil {
			return nil, nil, err
		}
		return h.newOutcome(req, m, d, noEffects), nil, nil
	}
	e, err := h.decideFaults(req, m, paused)
	switch {
	case err != nil:
		return h.newOutcome(req, m, decided{reply: refusalReply(m, err)}, noEffects), nil, nil
	case tx == nil && (e.haveCounted(paused) || m.changes(e)):
		return nil, nil, sandbox.ErrIsChange
	case tx != nil && e.haveCounted(paused):
		tx.Faults = e.counted
	}
	if before, _ := e.Delays(); paused == nil && (before > 0 || e.Forward != nil) {
		return nil, &pause{moment: m, effects: e}, nil
	}
	d, e, err := h.decide(req, m, e.rendered(req, m), tx, paused)
	if err != nil {
		return nil, nil, err
	}
	if d.idle = e.idle(req, d); len(d.idle) > 0 {
		if tx == nil {
			return nil, nil, sandbox.ErrIsChange
		}
		tx.Faults = tx.Faults.CountIdle(d.idle)
		e.counted = tx.Faults
	}
	return h.newOutcome(req, m, d, e), nil, nil
}

// decide returns the answer: of a fault that comes before the operation, of another service, or of the operation. It
// also returns the effects that are left.
func (h *Handler) decide(req *request, m moment, e effects, tx *sandbox.Tx, paused *pause) (decided, effects, error) {
	if rep, rest, ok := answerFirst(m, e, paused); ok {
		return decided{reply: rep}, rest, nil
	}
	if e.Forward != nil {
		return e.replaceAnswer(m, h.replyOfOther(req, m, e, paused)), e, nil
	}
	d, err := h.carryOut(req, m, e, tx)
	if err != nil {
		return d, e, err
	}
	return e.replaceAnswer(m, d), e, nil
}

// changes reports whether a request to an operation may change the bank.
func (m moment) changes(e effects) bool {
	return m.op != nil && (m.op.Changes || m.remembersRequestID() || e.Expires() != "")
}

// decided is the bank's answer to a request, and its effect.
type decided struct {
	reply     reply
	lints     []journal.Lint
	committed bool   // whether the request has replaced the world of its moment
	changed   bool   // whether rows of the two differ
	expiredBy string // the fault that let the access token expire, or ""
	staleBy   string // the fault that let the answer be from earlier data, or ""
	idle      []fault.Idle
	// bankStatus is the status of the bank's answer, if a fault has replaced or lost the answer.
	bankStatus int
}

// carryOut carries out the operation in a moment of a bank. It fails with ErrNoKey if the key for id_tokens has to be
// made first.
func (h *Handler) carryOut(req *request, m moment, e effects, tx *sandbox.Tx) (decided, error) {
	if m.op == nil { // no stub has answered
		return h.answerWithoutOperation(req, m)
	}
	expiredBy := ""
	if by := e.Expires(); tx != nil && by != "" && tx.World.ExpireToken(m.accessToken(req), tx.Now) {
		expiredBy = by
	}
	c := newCall(req, m)
	age, staleBy := e.Stale()
	if !c.goBack(age) {
		staleBy = ""
	}
	served := h.endpoints[m.op]
	a, err := answer{}, c.passGateway()
	if err == nil {
		a, err = served.handle(c)
	}
	if err == nil && tx != nil {
		err = tx.World.CheckLimits(tx.Before)
	}
	if errors.Is(err, sandbox.ErrNoKey) {
		return decided{}, err
	}
	if err != nil && !errors.As(err, new(*sim.Error)) {
		h.Log.Error("an operation failed", "operation", m.op.Name, "error", err)
	}
	f := newFacts(c, served, a)
	rep := served.reply(m, f, err)
	if rep.status == http.StatusUnauthorized { // it didn't come to the data
		staleBy = ""
	}
	if staleBy != "" {
		c.lint("stale-answer", fmt.Sprintf("a fault answers from the bank as it was %s ago", age))
	}
	// The expiry of a token is committed even if the request is refused. Such a request is refused before it changes
	// anything else.
	committed := tx != nil && (rep.decision.Outcome == journal.Accepted || expiredBy != "" || commits(err))
	return decided{
		reply:     rep,
		lints:     slices.Concat(c.lints, f.requestLints(rep.decision.Outcome == journal.Refused)),
		committed: committed,
		changed:   committed && tx.World.Changed(),
		expiredBy: expiredBy,
		staleBy:   staleBy,
	}, nil
}

// commits reports whether a refusal has changed the bank.
func commits(err error) bool {
	var refused *sim.Error
	return errors.As(err, &refused) && refused.Commits
}

// reply returns the reply to a request that the operation has accepted, or refused with an error. A strict bank may
// refuse what the operation has accepted.
func (e *endpoint) reply(m moment, f facts, err error) reply {
	var rep reply
	cited := citedByRequest(f)
	if err != nil {
		rep = refusalReply(m, explain(f.call, err))
	} else {
		rep = f.answer.reply(m.op)
		rep.decision = e.decision(f, cited)
	}
	if isStrictlyRefused(m, rep.decision) {
		rep = refuseStrictly(m, rep.decision)
	}
	if len(cited) > 0 {
		rep.decision.Entries = union(rep.decision.Entries, ids(cited))
	}
	return rep
}
