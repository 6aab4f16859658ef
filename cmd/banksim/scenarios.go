package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type scenariosCommand struct {
	List listScenariosCommand `cmd:"" default:"1" help:"List the built-in scenarios."`
	Show showScenarioCommand  `cmd:"" help:"Print the YAML of a built-in scenario."`
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
	Name string `arg:"" help:"Name of the scenario."`
}

// Run prints the scenario. Its first line names the schema in the same folder, as in files of the user's own.
func (c showScenarioCommand) Run(s streams) error {
	source, err := scenario.Source(c.Name)
	if err != nil {
		return wrongUse{err}
	}
	_, err = s.out.Write(bytes.Replace(source, []byte("$schema=../sim/scenario/"+schemaFile), []byte("$schema="+schemaFile), 1))
	return err
}
