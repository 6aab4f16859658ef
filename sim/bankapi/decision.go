package bankapi

import (
	"errors"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// use notes an entry of the ledger that the answer rests on, beside those of the operation.
func (c *call) use(entry string) { c.used = append(c.used, entry) }

// lean notes an entry of the ledger that lets the request through: a bank that decides otherwise would refuse it.
func (c *call) lean(entry string) { c.leans = append(c.leans, entry) }

// accepted returns the decision of a request that was accepted. What decides is the operation's first entry, or one
// that rests on less and had to let the request through.
func (c *call) accepted() journal.Decision {
	decisive := contract.Must(c.operation.entries[0])
	basis := decisive.BasisUnder(c.behavior())
	for _, id := range c.leans {
		e := contract.Must(id)
		if weaker := e.BasisUnder(c.behavior()); contract.Weaker(weaker, basis) {
			decisive, basis = e, weaker
		}
	}
	entries := c.operation.entries
	if len(c.leans)+len(c.used) > 0 {
		entries = make([]string, 1, len(c.operation.entries)+len(c.leans)+len(c.used))
		entries[0] = decisive.ID
		for _, ids := range [][]string{c.operation.entries, c.leans, c.used} {
			for _, id := range ids {
				if !slices.Contains(entries, id) {
					entries = append(entries, id)
				}
			}
		}
	}
	return journal.Decision{Outcome: journal.Accepted, Rule: c.operation.name, Basis: string(basis), Entries: entries}
}

// errStrict is why a change was dropped whose answer a strict sandbox doesn't give.
var errStrict = errors.New("the answer rests on a choice")

// objection returns what a strict sandbox answers in the place of a reply that rests on nothing but a choice of the
// simulator's own; nil where the reply may stand.
func (c *call) objection(rep reply) *reply {
	d := rep.decision
	if !c.strict || d.Basis != string(sim.BasisChoice) || d.Rule == string(internalFault) {
		return nil
	}
	entry := contract.Must(d.Entries[0])
	strict := c.operation.family.refuse(c.behavior(), sim.Refuse(strictness,
		"strict: the answer would rest on %s, which is a choice of the simulator's own (%s)", entry.ID, entry.Question))
	strict.decision.Entries = append([]string{entry.ID}, strict.decision.Entries...)
	return &strict
}

// checkEntries panics where the code refers to an entry that the ledger doesn't have.
func checkEntries() {
	for _, op := range operations {
		for _, id := range op.entries {
			contract.Must(id)
		}
	}
	for _, f := range families {
		for _, id := range f.shape {
			contract.Must(id)
		}
		for _, r := range f.refusals {
			contract.Must(r.entry)
		}
	}
	for _, r := range commonRefusals {
		contract.Must(r.entry)
	}
	for _, v := range variants {
		contract.Must(v.entry)
	}
	contract.Must(faultsEntry)
}
