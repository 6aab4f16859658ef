package bankapi

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// execute decides the answer in the sandbox of the request, and records the exchange there. If the sandbox can't be
// used, the request is refused and recorded nowhere.
func (x *exchange) execute() {
	arrived := *x
	err := x.handler.Sandboxes.Use(x.r.Context(), x.sandboxName, func(sb *sandbox.Sandbox) error {
		return x.executeIn(sb, &arrived)
	})
	if err != nil {
		x.refuseUse(err)
	}
	x.recorded = true
	x.rooms.giveBodyBack()
}

// executeIn executes the request in a sandbox. If a fault delays the operation, that takes two attempts: the first one
// counts the fault, and the second one carries the operation out in the bank as it is after the delay.
func (x *exchange) executeIn(sb *sandbox.Sandbox, arrived *exchange) error {
	err := x.attempt(sb, arrived, nil)
	if err != nil || x.pause == 0 {
		return err
	}
	d := &delayed{injected: *x.injected, faults: x.faults, generation: x.at.Generation}
	if err := x.rooms.holdBody(); err != nil {
		return x.recordRefusal(sb, err)
	}
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(x.pause + x.injected.after + writeTimeout))
	if d.isGone = x.wait(x.pause) != nil; !d.isGone {
		if err := x.rooms.takeBody(x.r.Context()); err != nil {
			return x.recordRefusal(sb, err)
		}
	}
	err = x.attempt(sb, arrived, d)
	if errors.Is(err, sandbox.ErrDeleted) { // a new sandbox of the same name has not been asked
		x.refuseUse(err)
		return nil
	}
	return err
}

// delayed is a request that a fault has delayed before its operation.
type delayed struct {
	injected   injected
	faults     [2]*fault.Set
	generation *sandbox.Generation
	isGone     bool // whether the client has disconnected meanwhile
}

// attempt decides the answer in the sandbox as it is, and records the exchange. A sandbox may call it again with its
// state changed: then the exchange starts from what is known of the request alone.
func (x *exchange) attempt(sb *sandbox.Sandbox, arrived *exchange, d *delayed) (err error) {
	ctx := x.r.Context()
	id, err := "", error(sandbox.ErrIsChange)
	if arrived.asked == nil || !arrived.asked.op.Changes {
		id, err = sb.View(ctx, func(v sandbox.View) (*journal.Raw, error) {
			x.startAgain(arrived, sb, v)
			return x.view(d)
		})
	}
	if errors.Is(err, sandbox.ErrIsChange) {
		id, err = sb.Update(ctx, func(tx *sandbox.Tx) (*journal.Raw, error) {
			x.startAgain(arrived, sb, tx.View)
			return x.update(tx, d)
		})
	}
	if errors.Is(err, sandbox.ErrNoKey) {
		sandbox.MakeKey(x.at.World) // while nobody waits
		return x.attempt(sb, arrived, d)
	}
	x.id = id
	return err
}

// startAgain makes the exchange what it was when the request had arrived, at a moment of its sandbox.
func (x *exchange) startAgain(arrived *exchange, sb *sandbox.Sandbox, v sandbox.View) {
	x.rooms.giveAnswerBack()
	*x = *arrived
	x.sandbox = sb
	x.begin(v)
}

// view answers a request that changes nothing.
func (x *exchange) view(d *delayed) (*journal.Raw, error) {
	if x.isOperation() && x.changes(d) {
		return nil, sandbox.ErrIsChange
	}
	if x.prepare(d) {
		if x.faults[0] != x.faults[1] && d == nil { // a fault has counted the request
			return nil, sandbox.ErrIsChange
		}
		x.reply = x.underFault(x.carryOut())
	} else if x.faults[0] != x.faults[1] && d == nil {
		return nil, sandbox.ErrIsChange
	}
	if x.failure != nil {
		return nil, x.failure
	}
	return x.record(), nil
}

// update answers a request that changes something: the bank, or the counts of faults. A change of the bank stays if the
// request is accepted.
func (x *exchange) update(tx *sandbox.Tx, d *delayed) (*journal.Raw, error) {
	x.before = tx.Before
	goesOn := x.prepare(d)
	if x.faults[1] != nil && d == nil {
		tx.Faults = x.faults[1]
	}
	switch {
	case x.pause > 0:
		tx.UndoWorld()
		return nil, nil
	case goesOn:
		x.change(tx)
	}
	if x.failure != nil {
		return nil, x.failure
	}
	if !x.committed {
		tx.UndoWorld()
	}
	return x.record(), nil
}

// change carries out the operation in a change of the sandbox.
func (x *exchange) change(tx *sandbox.Tx) {
	if x.behavior != tx.World.Behavior() {
		defer tx.World.Judging(x.behavior)()
	}
	if x.expires() && tx.World.ExpireToken(x.accessToken(), tx.Now) {
		x.injected.ExpiredBy = x.injected.expires
	}
	rep := x.carryOut()
	// That a token has expired stays, although the request is refused: so early that it has changed nothing else.
	x.committed = rep.decision.Outcome == journal.Accepted || x.injected != nil && x.injected.ExpiredBy != ""
	x.changed = x.committed && tx.World.Changed()
	x.reply = x.underFault(rep)
}

func (x *exchange) isOperation() bool { return x.misdirected == nil && x.op != nil }

// changes reports whether a request to an operation may change the bank.
func (x *exchange) changes(d *delayed) bool {
	return x.op.Changes || x.remembersRequestID() || d != nil && d.injected.expires != ""
}

// expires reports whether a fault lets the access token of the request expire.
func (x *exchange) expires() bool { return x.injected != nil && x.injected.expires != "" }

// prepare does what comes before the operation: it refuses a request that is neither to an operation nor to a stub, and
// applies the faults. It reports whether the operation is to be carried out. If not, the reply is decided, or the request
// has to wait.
func (x *exchange) prepare(d *delayed) bool {
	switch {
	case x.misdirected != nil:
		x.reply = x.orPreflight(x.refuse(x.misdirected))
		return false
	case x.asked == nil && !x.isStubbed():
		x.denyRoute()
		return false
	case d == nil:
		return x.inject()
	}
	injected := d.injected
	x.injected, x.faults = &injected, d.faults
	switch {
	case d.generation != x.at.Generation:
		x.refuseAfterReset()
		return false
	case d.isGone:
		x.giveUp()
		return false
	}
	return x.answersFirst()
}

// refuseAfterReset refuses a request that was delayed past a reset. It belongs to the present generation.
func (x *exchange) refuseAfterReset() {
	x.dropFault()
	x.reply = x.refuse(sim.Refuse(contract.GenerationEnded,
		"the sandbox was reset while the request was under way: nothing was changed, so send it again"))
}

// dropFault drops what faults do to the answer. That they have fired stays.
func (x *exchange) dropFault() {
	x.faults = [2]*fault.Set{}
	if x.injected != nil {
		x.injected = &injected{Fault: journal.Fault{Fired: x.injected.Fired, DelayMicros: x.injected.DelayMicros}}
	}
}

// giveUp answers a client that has disconnected during a delay.
func (x *exchange) giveUp() {
	x.injected.connection, x.injected.after = &fault.Connection{Kind: fault.Close{}}, 0
	x.injected.answer, x.injected.AnsweredBy, x.injected.Phase, x.injected.Connection = nil, "", "", ""
	x.injected.Undocumented = false
	x.reply = reply{decision: x.faultDecision(x.injected.Fired[0], contract.EverywhereFaults)}
	x.reply.decision.Outcome = journal.Faulted
	x.reply.decision.Message = "the client disconnected during the delay: nothing was carried out"
}

// recordRefusal refuses a request whatever was decided before, and records that.
func (x *exchange) recordRefusal(sb *sandbox.Sandbox, refusal error) (err error) {
	x.id, err = sb.View(x.r.Context(), func(v sandbox.View) (*journal.Raw, error) {
		x.sandbox, x.committed, x.changed = sb, false, false
		x.dropFault()
		x.begin(v)
		x.reply = x.refuse(refusal)
		return x.record(), nil
	})
	return err
}

// refuseUse refuses a request whose sandbox isn't there, or can't be stored.
func (x *exchange) refuseUse(err error) {
	sb := x.sandbox
	x.at, x.sandbox, x.behavior = sandbox.View{}, nil, &standardBehavior
	if errors.Is(err, sandbox.ErrNoSandbox) || errors.Is(err, sandbox.ErrDeleted) {
		x.injected = nil
		x.reply = x.orPreflight(x.refuse(cmp.Or(x.misdirected, x.unknownSandbox())))
		x.decideAnswer()
		return
	}
	x.handler.Log.Error("not stored", "sandbox", phrase.Shorten(x.sandboxName), "error", err)
	x.committed, x.changed, x.injected = false, false, nil
	if sb != nil {
		x.sandbox = sb
		x.begin(sb.Known())
	}
	x.reply = x.refuseUnstored(err)
	raw := x.record()
	if sb != nil {
		x.id = sb.RecordUnstored(*raw)
	}
}

// refuseUnstored refuses a request because of the store. It has changed nothing, unless the store doesn't say.
func (x *exchange) refuseUnstored(err error) reply {
	if !errors.Is(err, sandbox.ErrUnsure) {
		return x.refuse(sim.Refuse(contract.NotStored,
			"the bank can't be stored at present: nothing was changed, so send the request again later"))
	}
	rep := x.refuse(sim.Refuse(contract.NotStored,
		"the store didn't say whether it has taken the change: it may have been made, so look before you send the request again"))
	rep.headers = nil // no Retry-After
	return rep
}
