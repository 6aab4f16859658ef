package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type ledgerCommand struct {
	JSON      bool   `name:"json" help:"Print JSON."`
	Operation string `placeholder:"NAME" help:"Only entries about this operation, such as ${operation}."`
	Basis     string `default:"" enum:",${bases}" placeholder:"BASIS" help:"Only entries with this basis: ${bases}."`
}

// Run prints the entries of the ledger.
func (c ledgerCommand) Run(s streams) error {
	if err := knownOperation(c.Operation); err != nil {
		return err
	}
	entries := contract.Select(c.Operation, contract.Basis(c.Basis))
	if c.JSON {
		encoded, err := wire.EncodeIndented(entries)
		if err != nil {
			return err
		}
		_, err = s.out.Write(bytes.TrimSuffix(encoded, []byte("\n")))
		return err
	}
	for _, e := range entries {
		if err := printEntry(s.out, e); err != nil {
			return err
		}
	}
	return nil
}

// printEntry prints an entry as a paragraph.
func printEntry(w io.Writer, e *contract.Entry) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s: %s)\n", e.ID, e.Basis, e.Source)
	fmt.Fprintf(&text, "  %s\n  %s\n", e.Question, e.Answer)
	if p := e.Public; p != nil {
		fmt.Fprintf(&text, "  public dialect (%s: %s): %s\n", p.Basis, p.Source, p.Answer)
	}
	if e.Switch != nil {
		for _, a := range e.Switch.Alternatives {
			fmt.Fprintf(&text, "  behavior.%s: %s (%s): %s\n", e.Switch.Key, a.Value, a.Basis, a.Answer)
		}
	}
	_, err := fmt.Fprintln(w, text.String())
	return err
}

// knownOperation refuses a name that no operation has; an empty one stands for all.
func knownOperation(name string) error {
	if _, ok := contract.Find(name); ok || name == "" {
		return nil
	}
	return wrongUse{fmt.Errorf("there is no operation %s%s", phrase.Quote(name), phrase.DidYouMean(name, contract.Names(), "the operations are"))}
}
