package main

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

type ledgerCommand struct {
	Operation string `placeholder:"NAME" help:"Only entries about this operation, such as ${operation}."`
	Basis     string `default:"" enum:",${bases}" placeholder:"BASIS" help:"Only entries with this basis: ${bases}."`
}

// Run prints the entries of the ledger.
func (c ledgerCommand) Run(s streams) error {
	if _, ok := contract.Find(c.Operation); !ok && c.Operation != "" {
		return wrongUse{fmt.Errorf("there is no operation %s%s", phrase.Quote(c.Operation),
			phrase.DidYouMean(c.Operation, contract.Names(), "the operations are"))}
	}
	for _, e := range contract.Select(c.Operation, contract.Basis(c.Basis)) {
		text := fmt.Sprintf("%s (%s: %s)\n  %s\n  %s\n", e.ID, e.Basis, e.Source, e.Question, e.Answer)
		if p := e.Public; p != nil {
			text += fmt.Sprintf("  public dialect (%s: %s): %s\n", p.Basis, p.Source, p.Answer)
		}
		if e.Switch != nil {
			for _, a := range e.Switch.Alternatives {
				text += fmt.Sprintf("  behavior.%s: %s (%s): %s\n", e.Switch.Key, a.Value, a.Basis, a.Answer)
			}
		}
		if _, err := fmt.Fprintln(s.out, text); err != nil {
			return err
		}
	}
	return nil
}
