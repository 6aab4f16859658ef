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
func (h *Handler) execute(w http.ResponseWriter, req *request, lease *lease) exchange {
	defer lease.releaseBody()
	var done exchange
	err := h.Sandboxes.Use(req.Context(), req.sandbox, func(sb *sandbox.Sandbox) (err error) {
		done, err = h.attempt(sb, req, nil, lease)
		return err
	})
	if err != nil {
		return h.refuseWithoutSandbox(req, err)
	}
	if done.faults.pause > 0 {
		return h.resume(w, req, done.outcome, lease)
	}
	return done
}

// attempt runs a request in the present state of a sandbox, and records the exchange. paused is nil, or has the faults
// that were decided before a delay. attempt fails with ErrNoSandbox and ErrDeleted. If the store fails, it refuses the
// request.
func (h *Handler) attempt(sb *sandbox.Sandbox, req *request, paused *pause, lease *lease) (exchange, error) {
	var out *outcome
	id, err := "", error(sandbox.ErrIsChange)
	if req.asked == nil || !req.asked.Changes {
		id, err = sb.View(req.Context(), func(v sandbox.View) (_ *journal.Raw, err error) {
			if out, err = h.run(req, momentOf(req, sb, v, v.World), nil, paused, lease); err != nil {
				return nil, err
			}
			return out.raw(req), nil
		})
	}
	if errors.Is(err, sandbox.ErrIsChange) {
		id, err = sb.Update(req.Context(), func(tx *sandbox.Tx) (_ *journal.Raw, err error) {
			if out, err = h.run(req, momentOf(req, sb, tx.View, tx.Before), tx, paused, lease); err != nil {
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
		return h.attempt(sb, req, paused, lease)
	case errors.Is(err, sandbox.ErrNoSandbox), errors.Is(err, sandbox.ErrDeleted):
		return exchange{}, err
	}
	return h.refuseUnstored(req, sb, err), nil
}

// run decides the outcome of a request in one moment of a bank. It depends on its arguments alone, and may be called
// again with another moment. With tx it may change the bank. Without tx it fails with ErrIsChange if it would have to.
func (h *Handler) run(req *request, m moment, tx *sandbox.Tx, paused *pause, lease *lease) (*outcome, error) {
	if isForKeySet(req) {
		if !sandbox.HasKey(m.World) {
			return nil, sandbox.ErrNoKey
		}
		return h.outcome(req, m, keySet(m), noFaults, lease), nil
	}
	if refused, ok := h.refuseAddress(req, m); ok {
		return h.outcome(req, m, refused, noFaults, lease), nil
	}
	faults, err := h.decideFaults(req, m, paused)
	switch {
	case err != nil:
		return h.outcome(req, m, result{reply: refuse(m, err)}, noFaults, lease), nil
	case tx == nil && (faults.haveCounted(paused) || m.changes(faults)):
		return nil, sandbox.ErrIsChange
	case tx != nil && faults.haveCounted(paused):
		tx.Faults = faults.after
	}
	if faults.pause > 0 {
		undo(tx)
		return &outcome{moment: m, faults: faults}, nil
	}
	if first, left, ok := answerFirst(m, faults, paused); ok {
		undo(tx)
		return h.outcome(req, m, result{reply: first}, left, lease), nil
	}
	done, err := h.carryOut(req, m, faults, tx)
	if err != nil {
		return nil, err
	}
	if !done.committed {
		undo(tx)
	}
	return h.outcome(req, m, faults.over(m, done), faults, lease), nil
}

// undo takes back what a request has written to the world of a change, if there is one.
func undo(tx *sandbox.Tx) {
	if tx != nil {
		tx.UndoWorld()
	}
}

// changes reports whether a request to an operation may change the bank.
func (m moment) changes(faults faults) bool {
	return m.op != nil && (m.op.Changes || m.remembersRequestID() || faults.expires != "")
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
func (h *Handler) carryOut(req *request, m moment, faults faults, tx *sandbox.Tx) (result, error) {
	if m.op == nil { // no stub has answered
		return result{reply: refuse(m, h.unknownPath(req))}, nil
	}
	expiredBy := ""
	if tx != nil && faults.expires != "" && tx.World.ExpireToken(req.accessToken(), tx.Now) {
		expiredBy = faults.expires
	}
	c := newCall(req, m)
	endpoint := h.endpoints[m.op]
	answer, err := endpoint.handle(c)
	if errors.Is(err, sandbox.ErrNoKey) {
		return result{}, err
	}
	facts := newFacts(c, answer)
	reply := endpoint.reply(m, facts, err)
	// That a token has expired stays, although the request is refused: so early that it has changed nothing else.
	committed := tx != nil && (reply.decision.Outcome == journal.Accepted || expiredBy != "")
	return result{
		reply:     reply,
		lints:     slices.Concat(c.lints, facts.requestLints(err != nil)),
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
	faults     faults
	generation *sandbox.Generation
	isGone     bool // whether the client has disconnected meanwhile
}

// resume waits for the delay of a fault before the operation. Then it carries out the operation in the present bank.
func (h *Handler) resume(w http.ResponseWriter, req *request, out *outcome, lease *lease) exchange {
	sb, waited := out.sandbox, out.faults
	if err := lease.delayBody(); err != nil {
		return h.recordRefusalIn(sb, req, err, waited)
	}
	end := time.Now().Add(waited.pause + waited.wait + writeTimeout)
	_ = http.NewResponseController(w).SetWriteDeadline(end)
	paused := &pause{faults: waited.resumed(), generation: out.Generation}
	if paused.isGone = h.wait(req, waited.pause) != nil; !paused.isGone {
		if err := lease.takeBody(req.Context()); err != nil {
			return h.recordRefusalIn(sb, req, err, waited)
		}
	}
	next, err := h.attempt(sb, req, paused, lease)
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
