package bankapi

import (
	"cmp"
	"errors"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// begin puts the exchange at a moment of its sandbox, and into the dialect that the request is answered in: that of its path, unless
// the bank has one for all. An operation that isn't spoken in that one is answered in that of its path.
func (x *exchange) begin(m sandbox.Moment) {
	own := m.World.Behavior()
	x.at, x.behavior = m, own
	if x.asked == nil {
		return
	}
	x.route = x.asked
	if in := x.asked.spoken[contract.AnsweredIn(own, x.asked.op.Dialect)]; in != nil {
		x.route = in
	}
	x.op, x.family = x.route.op, x.route.op.Family
	x.behavior = contract.SpokenIn(own, x.op.Dialect)
}

var errRefused = errors.New("refused") // it keeps the world as it was

// run carries out the operation on the sandbox as it is at one moment. Only what is accepted changes the sandbox. A change is
// recorded before anybody else can change the sandbox: the journal has changes in their order.
func (x *exchange) run() {
	if x.op == nil { // no stub has answered
		x.reply = x.underFault(x.refuse(x.unknownPath()))
		return
	}
	expires := x.injected != nil && x.injected.expires != ""
	if !x.op.Changes && !x.remembersRequestID() && !expires {
		x.reply = x.underFault(x.carryOut())
		return
	}
	err := x.sandbox.ChangeTaken(func(m sandbox.Moment) error {
		if x.injected != nil && x.injected.DelayMicros > 0 && m.Generation != x.at.Generation {
			return sandbox.ErrGenerationOver
		}
		x.begin(m)
		if x.behavior != m.World.Behavior() {
			defer m.World.Judging(x.behavior)()
		}
		if expires && m.World.ExpireToken(x.accessToken(), m.Now) {
			x.injected.ExpiredBy = x.injected.expires
		}
		rep := x.carryOut()
		// That a token has expired stays, although the request is refused: so early that it has changed nothing else.
		x.committed = rep.decision.Outcome == journal.Accepted || x.injected != nil && x.injected.ExpiredBy != ""
		x.changed = x.committed && m.World.Changed()
		x.reply = x.underFault(rep)
		x.store(func() error { return m.Commit(x.committed) })
		x.record()
		if !x.committed {
			return errRefused
		}
		return nil
	})
	if err != nil && err != errRefused {
		x.over(err)
	}
}

// store has the store keep what the request has changed, or how often faults fired for it. If that fails, nothing has changed, and the
// request is refused.
func (x *exchange) store(commit func() error) {
	if x.stored || !x.committed && !x.counted() {
		return
	}
	x.stored = true
	if err := commit(); err != nil {
		x.refuseUnstored(err)
	}
}

// counted reports whether a fault rule has counted the request.
func (x *exchange) counted() bool { return x.faults[0] != nil && !x.faults[0].Equal(x.faults[1]) }

// over refuses a request whose generation of the sandbox is over, and that has changed nothing. It belongs to the present
// generation then.
func (x *exchange) over(err error) {
	if errors.Is(err, sandbox.ErrDeleted) {
		x.at, x.behavior = sandbox.Moment{}, &standardBehavior
		x.reply = x.refuse(x.unknownSandbox())
		return
	}
	x.begin(x.sandbox.Now())
	x.injected = &injected{Fault: journal.Fault{Fired: x.injected.Fired, DelayMicros: x.injected.DelayMicros}}
	x.reply = x.refuse(sim.Refuse(contract.GenerationEnded,
		"the sandbox was reset while the request was under way: nothing was changed, so send it again"))
}

// remembersRequestID reports whether the bank remembers the request's id, and refuses it the next time: then a request that only
// reads changes something, too.
func (x *exchange) remembersRequestID() bool {
	return slices.Contains(x.op.Refuses, sim.RequestIDReused) &&
		(x.behavior.Strict || x.behavior.Groups.TransactionIDReuse == sim.TransactionIDReuseReject)
}

// carryOut carries out the operation at the exchange's moment: the handler reads the request, and changes the world; the
// outcome becomes the reply; a strict sandbox may object to it.
func (x *exchange) carryOut() reply {
	x.citeRequest()
	asked := x.cited
	rep, err := x.route.handle(x)
	if err != nil {
		rep = x.refuse(err)
		x.lintHeaders()
	} else {
		rep.decision = x.accepted()
	}
	rep = x.strictly(rep)
	if len(asked) > 0 {
		rep.decision.Entries = union(rep.decision.Entries, ids(asked))
	}
	x.lintRequest()
	return rep
}

// accepted returns the decision of a request that is accepted: the operation's first entry decides, or one that rests on less
// and had to permit the request.
func (x *exchange) accepted() journal.Decision {
	decisive := cmp.Or(x.decided, x.op.Uses[0])
	basis := decisive.BasisUnder(x.behavior)
	if x.decided == nil && len(x.cited) == 0 {
		return journal.Decision{Outcome: journal.Accepted, Rule: x.op.Name, Basis: string(basis), Entries: slices.Clip(x.route.uses)}
	}
	var permitting, others []string
	for _, e := range x.cited {
		if !e.Permits {
			others = append(others, e.ID)
			continue
		}
		permitting = append(permitting, e.ID)
		if weaker := e.BasisUnder(x.behavior); weaker.WeakerThan(basis) {
			decisive, basis = e, weaker
		}
	}
	entries := union([]string{decisive.ID}, x.route.uses, permitting, others)
	return journal.Decision{Outcome: journal.Accepted, Rule: x.op.Name, Basis: string(basis), Entries: entries}
}

// union returns the members of lists in their order, each once.
func union(lists ...[]string) []string {
	all := make([]string, 0, 8) // hardly any has more
	for _, member := range slices.Concat(lists...) {
		if !slices.Contains(all, member) {
			all = append(all, member)
		}
	}
	return slices.Clip(all)
}

// strictly returns the reply or, in a strict sandbox, a refusal in the place of one that rests on nothing but a choice of
// the simulator's own.
func (x *exchange) strictly(rep reply) reply {
	d := rep.decision
	if !x.behavior.Strict || d.Basis != string(contract.Choice) || d.Rule == string(contract.InternalFault) {
		return rep
	}
	entry, _ := contract.FindEntry(d.Entries[0])
	strict := x.refuse(sim.Refuse(contract.Strictness,
		"strict: the answer would rest on %s, which is a choice of the simulator's own (%s)", entry.ID, entry.Question))
	strict.decision.Entries = append([]string{entry.ID}, strict.decision.Entries...)
	return strict
}
