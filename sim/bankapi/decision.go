package bankapi

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// accepted returns the decision of a request that is accepted.
func (c *call) accepted() journal.Decision {
	if last := c.ruled.Load(); last != nil && last.is(c) {
		return last.decision
	}
	d := c.decide()
	c.ruled.Store(&ruling{c.behavior(), c.decided, slices.Clone(c.cited), d})
	return d
}

// ruling is the decision of the last request to an operation that was accepted. Most requests in a row rest on the same: they share
// it, and so do their exchanges in the journal.
type ruling struct {
	behavior *sim.Behavior
	decided  *contract.Entry
	cited    []*contract.Entry
	decision journal.Decision
}

// is reports whether the decision of a call is the same.
func (r *ruling) is(c *call) bool {
	return r.behavior == c.behavior() && r.decided == c.decided && slices.Equal(r.cited, c.cited)
}

// decide decides a request that is accepted: the operation's first entry does so, or one that rests on less and had to permit
// the request.
func (c *call) decide() journal.Decision {
	decisive, entries := cmp.Or(c.decided, c.Uses[0]), c.uses
	basis := decisive.BasisUnder(c.behavior())
	if len(c.cited) > 0 || c.decided != nil {
		permitting, others := permitting(c.cited)
		for _, e := range permitting {
			if weaker := e.BasisUnder(c.behavior()); weaker.WeakerThan(basis) {
				decisive, basis = e, weaker
			}
		}
		entries = union([]string{decisive.ID}, c.uses, ids(permitting), ids(others))
	}
	return journal.Decision{Outcome: journal.Accepted, Rule: c.Name, Basis: string(basis), Entries: slices.Clip(entries)}
}

// permitting parts entries into those that permit a request, and the others.
func permitting(all []*contract.Entry) (permitting, others []*contract.Entry) {
	for _, e := range all {
		if e.Permits {
			permitting = append(permitting, e)
		} else {
			others = append(others, e)
		}
	}
	return permitting, others
}

// union returns the members of lists in their order, each once.
func union(lists ...[]string) []string {
	size := 0
	for _, list := range lists {
		size += len(list)
	}
	all := make([]string, 0, size)
	for _, list := range lists {
		for _, member := range list {
			if !slices.Contains(all, member) {
				all = append(all, member)
			}
		}
	}
	return all
}

// strictly returns the reply or, in a strict sandbox, a refusal in the place of one that rests on nothing but a choice of
// the simulator's own.
func (c *call) strictly(rep reply) reply {
	d := rep.decision
	if !c.strict || d.Basis != string(contract.Choice) || d.Rule == string(contract.InternalFault) {
		return rep
	}
	entry, ok := contract.FindEntry(d.Entries[0])
	if !ok {
		panic("bankapi: a decision names the entry " + d.Entries[0] + ", which the ledger doesn't have")
	}
	strict := refuse(c.family, c.behavior(), sim.Refuse(contract.Strictness,
		"strict: the answer would rest on %s, which is a choice of the simulator's own (%s)", entry.ID, entry.Question))
	strict.decision.Entries = append([]string{entry.ID}, strict.decision.Entries...)
	return strict
}
