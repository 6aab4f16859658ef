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

// schemaFile is what the first line of a scenario tells the editor to look for, in the same folder.
const schemaFile = "scenario.schema.json"

type newScenarioCommand struct {
	Name    string `arg:"" help:"Name of the scenario, or of its file; without an ending, .yaml is added."`
	Extends string `placeholder:"NAME|FILE" help:"A scenario that the new one changes: a built-in one, or a file beside the new one."`
	Schema  bool   `help:"Write the JSON Schema beside it, too, where the first line of the scenario tells editors to find it."`
}

// Run writes the file, unless there is one.
func (c newScenarioCommand) Run(s streams) error {
	name := c.Name
	if ending := filepath.Ext(name); ending != ".yaml" && ending != ".yml" {
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

// writeNew writes a file that isn't there yet.
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

// mayBeReplaced refuses to write over a file that is no schema of scenarios.
func mayBeReplaced(schema string) error {
	there, err := os.ReadFile(schema)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return wrongUse{err}
	case !bytes.Contains(there, []byte(`"title": "banksim scenario"`)):
		return wrongUse{fmt.Errorf("%s exists, and is not banksim's: move it out of the way", schema)}
	}
	return nil
}
