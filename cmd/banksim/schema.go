package main

import "github.com/digitalbanking-sim/banksim/sim/scenario"

type schemaCommand struct{}

// Run prints the JSON Schema of scenario files.
func (schemaCommand) Run(s streams) error {
	_, err := s.out.Write(scenario.Schema())
	return err
}
