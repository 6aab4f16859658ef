package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type scenariosCommand struct {
	List listScenariosCommand `cmd:"" default:"1" help:"List the built-in scenarios."`
	Show showScenarioCommand  `cmd:"" help:"Print the YAML of a scenario."`
	New  newScenarioCommand   `cmd:"" help:"Create a scenario to start from: valid, and with comments."`
	Diff diffScenariosCommand `cmd:"" help:"Print the rows, switches and faults that differ between two scenarios."`
}

type listScenariosCommand struct{}

// Run prints a line for each scenario.
func (listScenariosCommand) Run(s streams) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, name := range scenario.Names() {
		sc, err := scenario.Load(name)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\n", sc.Name, sc.Description)
	}
	return table.Flush()
}

type showScenarioCommand struct {
	Name     string `arg:"" help:"A scenario: a built-in one, or a file with --resolved."`
	Resolved bool   `env:"-" help:"With all that it extends merged in, and where each line is from."`
}

// Run prints the scenario. Its first line names the schema in the same folder, as in files of the user's own.
func (c showScenarioCommand) Run(ctx context.Context, s streams) error {
	if c.Resolved {
		var resolved scenario.Resolved
		err := within(ctx, func() (err error) { resolved, err = scenario.Resolve(c.Name); return err })
		if err != nil {
			return unusable(err)
		}
		_, err = io.WriteString(s.out, resolved.WithOrigins())
		return err
	}
	source, err := scenario.Source(c.Name)
	if _, missing := os.Stat(c.Name); err != nil && missing == nil {
		err = fmt.Errorf("%s is a file: add --resolved to print it with all that it extends merged in", phrase.Quote(c.Name))
	}
	if err != nil {
		return wrongUse{err}
	}
	_, err = s.out.Write(bytes.Replace(source, []byte("$schema=../sim/scenario/"+schemaFile), []byte("$schema="+schemaFile), 1))
	return err
}
