package main

import (
	"fmt"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type newScenarioCommand struct {
	Name    string `arg:"" help:"Name of the scenario or of its file. Without an extension, .yaml is added."`
	Extends string `placeholder:"NAME|FILE" help:"The scenario that the new one builds on: a built-in one, or a file, relative to the folder of the new one."`
	Schema  bool   `env:"-" default:"true" negatable:"" help:"Write the JSON Schema to the same folder, too, where editors find it by the first line of the scenario."`
}

// Run writes the file, unless it exists.
func (c newScenarioCommand) Run(s streams) error {
	name := withEnding(c.Name)
	source, err := scenario.Starter(name, c.Extends)
	if err != nil {
		return wrongUse{err}
	}
	return writeScenario(s, name, source, c.Schema)
}

// withEnding returns a name with the ending of scenarios.
func withEnding(name string) string {
	if extension := filepath.Ext(name); extension != ".yaml" && extension != ".yml" {
		return name + ".yaml"
	}
	return name
}

// writeScenario writes a scenario that begins with schemaLine to a new file: with the schema beside it, or without the line.
func writeScenario(s streams, name string, source []byte, withSchema bool) error {
	if withSchema {
		return writeWithSchema(s.out, name, source)
	}
	if err := writeNew(name, withoutSchemaLine(source)); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.out, "wrote %s\n", name)
	return nil
}
