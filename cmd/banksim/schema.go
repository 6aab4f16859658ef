package main

import (
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type schemaCommand struct {
	Of string `arg:"" optional:"" enum:"scenario,report" default:"scenario" help:"What it describes: scenario (the default), or report, which coverage and explore write as JSON."`
}

// Run prints a JSON Schema: of scenario files or of reports.
func (c schemaCommand) Run(s streams) error {
	schema := scenario.Schema
	if c.Of == "report" {
		schema = report.Schema
	}
	_, err := s.out.Write(schema())
	return err
}
