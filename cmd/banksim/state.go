package main

import (
	"bytes"
	"context"
	"encoding/json"
)

type stateCommand struct {
	controlFlags
	AsScenario bool `env:"-" help:"Print a scenario that loads to an equal bank, instead of JSON."`
}

// Run prints what a sandbox of a running simulator holds.
func (c stateCommand) Run(ctx context.Context, s streams) error {
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	if c.AsScenario {
		var source bytes.Buffer // whole before any of it is printed: a part of a scenario would pass for one
		if err := client.copy(ctx, client.inSandbox("/state?format=scenario"), &source); err != nil {
			return err
		}
		_, err = source.WriteTo(s.out)
		return err
	}
	var state json.RawMessage
	if err := client.get(ctx, client.inSandbox("/state"), &state); err != nil {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, state, "", "  "); err != nil {
		return err
	}
	indented.WriteByte('\n')
	_, err = indented.WriteTo(s.out)
	return err
}
