package main

import (
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type schemaCommand struct {
	Of string `arg:"" optional:"" enum:"scenario,report" default:"scenario" help:"Of scenario files, or of reports: ${enum}."`
}

// Run prints a JSON Schema.
func (c schemaCommand) Run(s streams) error {
	schema := scenario.Schema()
	if c.Of == "report" {
		schema = report.Schema()
	}
	_, err := s.out.Write(schema)
	return err
}
