package main

import (
	"errors"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

type ledgerCommand struct {
	Operation string `placeholder:"NAME" help:"Only entries about this operation, by its name."`
	Basis     string `default:"" enum:",document,published,convention,choice" help:"Only entries with this basis."`
}

// Run prints the entries of the ledger.
func (c ledgerCommand) Run(s streams) error {
	if c.Operation != "" && contract.Document().Operation(c.Operation) == nil {
		return wrongUse{fmt.Errorf("there is no operation %s%s", phrase.Quote(c.Operation),
			phrase.DidYouMean(c.Operation, contract.Names(), "the operations are"))}
	}
	for _, e := range contract.Select(c.Operation, contract.Basis(c.Basis)) {
		answer := e.Answer(sim.DialectDocument)
		text := fmt.Sprintf("%s (%s: %s)\n  %s\n  %s\n", e.ID, e.Basis, e.Source, e.Question, answer)
		if p := e.Public; p != nil {
			text += fmt.Sprintf("  public dialect (%s: %s): %s\n", p.Basis, p.Source, e.Answer(sim.DialectPublic))
		}
		for _, a := range e.Alternatives() {
			text += fmt.Sprintf("  behavior.%s: %s (%s): %s\n", e.Switch.Key, a.Value, a.Basis, a.Answer)
		}
		if _, err := fmt.Fprintln(s.out, text); err != nil {
			return err
		}
	}
	return nil
}

// openapiCommand has flags whose names mean something else to serve: they are not read from the environment.
type openapiCommand struct {
	Control bool   `env:"-" help:"Print the document of the control API instead."`
	Dialect string `env:"-" enum:",document,public" default:"" placeholder:"NAME" help:"Only document or public."`
	Server  string `env:"-" placeholder:"URL" help:"Base URL in the document. Default: where serve listens by default."`
}

// Run prints an OpenAPI document.
func (c openapiCommand) Run(s streams) error {
	if c.Control && c.Dialect != "" {
		return wrongUse{errors.New("--control and --dialect can't be used together: the control API has no dialects")}
	}
	url := "http://127.0.0.1:8080" // where serve listens by default
	if c.Control {
		url = "http://127.0.0.1:8081"
	}
	if c.Server != "" {
		var err error
		if url, err = server.CleanPublicURL(c.Server); err != nil {
			return wrongUse{fmt.Errorf("--server %w", err)}
		}
	}
	_, err := s.out.Write(c.document(url))
	return err
}

// document returns the document that the flags ask for.
func (c openapiCommand) document(url string) []byte {
	switch {
	case c.Control:
		return controlapi.Document(url)
	case c.Dialect != "":
		return openapi.Document(url, sim.Dialect(c.Dialect))
	}
	return openapi.Document(url)
}

type schemaCommand struct{}

// Run prints the JSON Schema of scenario files.
func (schemaCommand) Run(s streams) error {
	_, err := s.out.Write(scenario.Schema())
	return err
}
