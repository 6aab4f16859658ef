package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

type ledgerCommand struct {
	JSON      bool   `name:"json" help:"Print JSON."`
	Operation string `placeholder:"NAME" help:"Only what is about this operation, such as groups.create."`
	Basis     string `default:"" enum:",document,published,convention,choice" placeholder:"BASIS" help:"Only what rests on this: document, published, convention or choice."`
}

// Run prints the entries of the ledger.
func (c ledgerCommand) Run(s streams) error {
	if err := knownOperation(c.Operation); err != nil {
		return err
	}
	entries := contract.Select(c.Operation, contract.Basis(c.Basis))
	if c.JSON {
		return json.MarshalWrite(s.out, entries, jsontext.WithIndent("  "))
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
	if names := contract.Names(); name != "" && !slices.Contains(names, name) {
		return wrongUse{fmt.Errorf("there is no operation %q: the operations are %s", name, strings.Join(names, ", "))}
	}
	return nil
}
