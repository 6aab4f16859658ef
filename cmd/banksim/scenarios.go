package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type scenariosCommand struct {
	List listScenariosCommand `cmd:"" default:"1" help:"List the built-in scenarios."`
	Show showScenarioCommand  `cmd:"" help:"Print the YAML of a scenario."`
	New  newScenarioCommand   `cmd:"" help:"Create a scenario to start from: valid, and with comments."`
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
	Output   string `env:"-" placeholder:"FILE" help:"Write it to a new file, with the JSON Schema beside it for editors. Without an extension, .yaml is added."`
	Schema   bool   `env:"-" default:"true" negatable:"" help:"With --output: write the JSON Schema, too."`
}

// Run prints or writes the scenario.
func (c showScenarioCommand) Run(ctx context.Context, s streams) error {
	source, err := c.source(ctx)
	if err != nil {
		return err
	}
	source = withoutSchemaLine(source)
	if c.Output != "" {
		return writeScenario(s, withEnding(c.Output), append([]byte(schemaLine), source...), c.Schema)
	}
	_, err = s.out.Write(source)
	return err
}

func (c showScenarioCommand) source(ctx context.Context) ([]byte, error) {
	if c.Resolved {
		sc, err := usableScenario(ctx, c.Name)
		if err != nil {
			return nil, err
		}
		resolved, err := sc.Resolve()
		if err != nil {
			return nil, err
		}
		return []byte(resolved.WithOrigins()), nil
	}
	source, err := scenario.Source(c.Name)
	switch _, missing := os.Stat(c.Name); {
	case err != nil && missing == nil:
		return nil, wrongUse{fmt.Errorf("%s is a file: add --resolved to print it with all that it extends merged in", phrase.Quote(c.Name))}
	case err != nil:
		return nil, wrongUse{err}
	}
	return source, nil
}
