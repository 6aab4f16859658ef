package simtest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// checkLedger checks that the journal's decision about an exchange rests on the ledger: each entry that it cites exists
// and concerns the operation, what decided is among them, and so is the entry of everything about the request that raises
// a question. An exchange that the journal doesn't have is not checked.
func checkLedger(r *http.Request, x journal.Exchange) error {
	if x.ID == "" {
		return nil
	}
	d := x.Decision
	if len(d.Entries) == 0 {
		return errors.New("its decision cites no entry of the ledger")
	}
	for _, id := range d.Entries {
		switch e, ok := contract.FindEntry(id); {
		case !ok:
			return fmt.Errorf("its decision cites %s, which the ledger does not have", id)
		case x.Operation != "" && !e.Concerns(x.Operation):
			return fmt.Errorf("its decision cites %s, which is not about %s", id, x.Operation)
		}
	}
	if err := checkDecisive(x); err != nil {
		return err
	}
	op, known := contract.Find(x.Operation)
	if !known || d.Outcome == journal.Faulted || x.Fault != nil {
		return nil
	}
	asked := newAsked(r, op)
	for _, q := range questions {
		if (d.Outcome == journal.Accepted || q.always) && q.raised(asked) && !slices.Contains(d.Entries, q.entry.ID) {
			return fmt.Errorf("its decision, by %v, does not cite %s", d.Entries, q.entry.ID)
		}
	}
	return nil
}

// checkDecisive checks that a decision cites what decided: all that the operation's answer rests on, or first of all the
// entry of the rule that refused.
func checkDecisive(x journal.Exchange) error {
	d := x.Decision
	switch d.Outcome {
	case journal.Accepted:
		if d.Rule == contract.Preflight && x.Operation == "" {
			return nil
		}
		op, ok := contract.Find(x.Operation)
		if !ok {
			return fmt.Errorf("it is accepted, and %q is no operation", x.Operation)
		}
		for _, e := range op.Uses {
			if !slices.Contains(d.Entries, e.ID) {
				return fmt.Errorf("it is accepted without %s, by %v", e.ID, d.Entries)
			}
		}
	case journal.Refused:
		family, at := contract.GroupsList.Family, 0
		if op, ok := contract.Find(x.Operation); ok {
			family = op.Family
		}
		refusal := family.Refusal(sim.Code(d.Rule))
		if string(refusal.Rule) != d.Rule {
			return fmt.Errorf("the contract has no rule %s", d.Rule)
		}
		if refusal.Rule == contract.Strictness {
			at = 1 // after the entry that it objects to
		}
		if len(d.Entries) <= at || d.Entries[at] != refusal.Entry.ID {
			return fmt.Errorf("rule %s refused it, which rests on %s, and the decision cites %v", d.Rule, refusal.Entry.ID, d.Entries)
		}
	}
	return nil
}
