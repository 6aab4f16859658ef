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
func (x *exchange) begin(v sandbox.View) {
	own := v.World.Behavior()
	x.at, x.behavior, x.before = v, v.World.Policies().Document, v.World
	if x.asked == nil {
		return
	}
	x.route = x.asked
	if in := x.asked.spoken[contract.AnsweredIn(own, x.asked.op.Dialect)]; in != nil {
		x.route = in
	}
	x.op, x.family = x.route.op, x.route.op.Family
	x.behavior = v.World.Policies().In(x.op.Dialect)
}

// remembersRequestID reports whether the bank remembers the request's id, and refuses it the next time: then a request that only
// reads changes something, too.
func (x *exchange) remembersRequestID() bool {
	return slices.Contains(x.op.Refuses, sim.RequestIDReused) &&
		(x.behavior.Strict || x.behavior.Groups.TransactionIDReuse == sim.TransactionIDReuseReject)
}

// carryOut carries out the operation at the exchange's moment: the handler reads the request, and changes the world; the
// outcome becomes the reply; a strict sandbox may object to it. A request that is no operation's is refused.
func (x *exchange) carryOut() reply {
	if x.op == nil { // no stub has answered
		return x.refuse(x.unknownPath())
	}
	x.citeRequest()
	asked := x.cited
	rep, err := x.route.handle(x)
	switch {
	case errors.Is(err, sandbox.ErrNoKey):
		x.failure = err
	case err != nil:
		rep = x.refuse(err)
		x.lintHeaders()
	default:
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
