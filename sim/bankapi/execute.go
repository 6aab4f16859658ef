package bankapi

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// execute decides the outcome of a request in its sandbox, and records the exchange there. A request whose sandbox
// can't be used is refused.
func (h *Handler) execute(w http.ResponseWriter, req *request, held *lease) exchange {
	defer held.releaseBody()
	var done exchange
	err := h.Sandboxes.Use(req.Context(), req.sandbox, func(sb *sandbox.Sandbox) (err error) {
		done, err = h.attempt(sb, req, nil, held)
		return err
	})
	if err != nil {
		return h.refuseWithoutSandbox(req, err)
	}
	if done.effects.pause > 0 {
		return h.resume(w, req, done.outcome, held)
	}
	return done
}

// attempt runs a request in the present state of a sandbox, and records the exchange. paused is nil, or has the faults
// that were decided before a delay. attempt fails with ErrNoSandbox and ErrDeleted. If the store fails, it refuses the
// request.
func (h *Handler) attempt(sb *sandbox.Sandbox, req *request, paused *pause, held *lease) (exchange, error) {
	var out *outcome
	id, err := "", error(sandbox.ErrIsChange)
	if req.asked == nil || !req.asked.Changes {
		id, err = sb.View(req.Context(), func(v sandbox.View) (_ *journal.Raw, err error) {
			if out, err = h.run(req, momentOf(req, sb, v, v.World), nil, paused, held); err != nil {
				return nil, err
			}
			return out.raw(req), nil
		})
	}
	if errors.Is(err, sandbox.ErrIsChange) {
		id, err = sb.Update(req.Context(), func(tx *sandbox.Tx) (_ *journal.Raw, err error) {
			if out, err = h.run(req, momentOf(req, sb, tx.View, tx.Before), tx, paused, held); err != nil {
				return nil, err
			}
			return out.raw(req), nil
		})
	}
	switch {
	case err == nil:
		return exchange{out, id}, nil
	case errors.Is(err, sandbox.ErrNoKey):
		sandbox.MakeKey(sb.Known().World) // while nobody waits
		return h.attempt(sb, req, paused, held)
	case errors.Is(err, sandbox.ErrNoSandbox), errors.Is(err, sandbox.ErrDeleted):
		return exchange{}, err
	}
	return h.refuseUnstored(req, sb, err), nil
}

// run decides the outcome of a request in one moment of a bank. It depends on its arguments alone, and may be called
// again with another moment. With tx it may change the bank. Without tx it fails with ErrIsChange if it would have to.
func (h *Handler) run(req *request, m moment, tx *sandbox.Tx, paused *pause, held *lease) (*outcome, error) {
	if req.asked == nil && !h.isStubbed(req, m) {
		done, err := h.answerWithoutOperation(req, m)
		if err != nil {
			return nil, err
		}
		return h.outcome(req, m, done, noEffects, held), nil
	}
	e, err := h.decideFaults(req, m, paused)
	switch {
	case err != nil:
		return h.outcome(req, m, result{reply: refuse(m, err)}, noEffects, held), nil
	case tx == nil && (e.haveCounted(paused) || m.changes(e)):
		return nil, sandbox.ErrIsChange
	case tx != nil && e.haveCounted(paused):
		tx.Faults = e.after
	}
	if e.pause > 0 {
		undo(tx)
		return &outcome{moment: m, effects: e}, nil
	}
	if first, left, ok := answerFirst(m, e, paused); ok {
		undo(tx)
		return h.outcome(req, m, result{reply: first}, left, held), nil
	}
	done, err := h.carryOut(req, m, e, tx)
	if err != nil {
		return nil, err
	}
	if !done.committed {
		undo(tx)
	}
	return h.outcome(req, m, e.over(m, done), e, held), nil
}

// undo takes back what a request has written to the world of a change, if there is one.
func undo(tx *sandbox.Tx) {
	if tx != nil {
		tx.UndoWorld()
	}
}

// changes reports whether a request to an operation may change the bank.
func (m moment) changes(e effects) bool {
	return m.op != nil && (m.op.Changes || m.remembersRequestID() || e.expires != "")
}

// result is the bank's answer to a request, and its effect.
type result struct {
	reply     reply
	lints     []journal.Lint
	committed bool   // whether the request has replaced the world of its moment
	changed   bool   // whether rows of the two differ
	expiredBy string // the fault that let the access token expire, or ""
	// bankStatus is the status of the bank's answer, if a fault has replaced or lost the answer.
	bankStatus int
}

// carryOut carries out the operation in a moment of a bank. It fails with ErrNoKey if the key for id_tokens has to be
// made first.
func (h *Handler) carryOut(req *request, m moment, e effects, tx *sandbox.Tx) (result, error) {
	if m.op == nil { // no stub has answered
		return result{reply: refuse(m, h.unknownPath(req))}, nil
	}
	expiredBy := ""
	if tx != nil && e.expires != "" && tx.World.ExpireToken(req.accessToken(), tx.Now) {
		expiredBy = e.expires
	}
	c := newCall(req, m)
	served := h.endpoints[m.op]
	given, err := served.handle(c)
	if errors.Is(err, sandbox.ErrNoKey) {
		return result{}, err
	}
	f := newFacts(c, given)
	rep := served.reply(m, f, err)
	// That a token has expired stays, although the request is refused: so early that it has changed nothing else.
	committed := tx != nil && (rep.decision.Outcome == journal.Accepted || expiredBy != "")
	return result{
		reply:     rep,
		lints:     slices.Concat(c.lints, f.requestLints(err != nil)),
		committed: committed,
		changed:   committed && tx.World.Changed(),
		expiredBy: expiredBy,
	}, nil
}

// reply returns the reply to a request that the operation has accepted, or refused with an error. A strict bank may
// refuse what the operation has accepted.
func (e *endpoint) reply(m moment, f facts, err error) reply {
	var rep reply
	if err != nil {
		rep = refuse(m, explain(f.call, err))
	} else {
		rep = f.answer.reply(m.op)
		rep.decision = e.accept(f)
	}
	if isStrictlyRefused(m, rep.decision) {
		rep = refuseStrictly(m, rep.decision)
	}
	rep.decision.Entries = union(rep.decision.Entries, ids(citedByRequest(f)))
	return rep
}

// pause is a request that a fault has delayed before its operation.
type pause struct {
	effects    effects
	generation *sandbox.Generation
	isGone     bool // whether the client has disconnected meanwhile
}

// resume waits for the delay of a fault before the operation. Then it carries out the operation in the present bank.
func (h *Handler) resume(w http.ResponseWriter, req *request, out *outcome, held *lease) exchange {
	sb, waited := out.sandbox, out.effects
	if err := held.delayBody(); err != nil {
		return h.recordRefusalIn(sb, req, err, waited)
	}
	end := time.Now().Add(waited.pause + waited.wait + writeTimeout)
	_ = http.NewResponseController(w).SetWriteDeadline(end)
	paused := &pause{effects: waited.resumed(), generation: out.Generation}
	if paused.isGone = h.wait(req, waited.pause) != nil; !paused.isGone {
		if err := held.takeBody(req.Context()); err != nil {
			return h.recordRefusalIn(sb, req, err, waited)
		}
	}
	next, err := h.attempt(sb, req, paused, held)
	if err != nil { // a new sandbox of the same name has not been asked
		return h.refuseWithoutSandbox(req, err)
	}
	return next
}

// wait waits for a time. It fails when the client disconnects, and ends early when the server shuts down.
func (h *Handler) wait(req *request, delay time.Duration) error {
	if delay == 0 {
		return nil
	}
	return fault.Wait(req.Context(), h.Draining, delay)
}
