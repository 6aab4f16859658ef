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
	path := "/state"
	if c.AsScenario {
		path += "?format=scenario"
	}
	state, err := client.read(ctx, client.inSandbox(path))
	if err != nil {
		return err
	}
	printed := bytes.NewBuffer(state)
	if !c.AsScenario {
		printed = &bytes.Buffer{}
		if err := json.Indent(printed, state, "", "  "); err != nil {
			return err
		}
	}
	_, err = printed.WriteTo(s.out)
	return err
}
