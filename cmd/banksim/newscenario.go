package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// schemaFile is the file that the first line of a scenario names to editors, in the same folder.
const schemaFile = "scenario.schema.json"

type newScenarioCommand struct {
	Name    string `arg:"" help:"Name of the scenario or of its file. Without an extension, .yaml is added."`
	Extends string `placeholder:"NAME|FILE" help:"The scenario that the new one builds on: a built-in one, or a file in the same folder."`
	Schema  bool   `help:"Also write the JSON Schema to the same folder, where editors find it by the first line of the scenario."`
}

// Run writes the file, unless it exists.
func (c newScenarioCommand) Run(s streams) error {
	name := c.Name
	if extension := filepath.Ext(name); extension != ".yaml" && extension != ".yml" {
		name += ".yaml"
	}
	source, err := scenario.Starter(name, c.Extends)
	if err != nil {
		return wrongUse{err}
	}
	beside := filepath.Join(filepath.Dir(name), schemaFile)
	if c.Schema {
		if err := mayBeReplaced(beside); err != nil {
			return err
		}
	}
	if err := writeNew(name, source); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.out, "wrote %s\n", name)
	if c.Schema {
		if err := os.WriteFile(beside, scenario.Schema(), 0o644); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(s.out, "wrote %s\n", beside)
	}
	return nil
}

// writeNew writes a file that doesn't exist yet.
func writeNew(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return wrongUse{fmt.Errorf("%s exists, and is left as it is: choose another name, or remove it", name)}
	}
	if err != nil {
		return wrongUse{err}
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// mayBeReplaced refuses to overwrite a file that is not the schema of scenarios.
func mayBeReplaced(schema string) error {
	there, err := os.ReadFile(schema)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return wrongUse{err}
	case !bytes.Contains(there, []byte(`"title": "banksim scenario"`)):
		return wrongUse{fmt.Errorf("%s exists and is not banksim's schema: move or rename it", schema)}
	}
	return nil
}
