package main

import (
	"github.com/digitalbanking-sim/banksim/sim/report"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

type schemaCommand struct {
	Of    string `arg:"" optional:"" enum:"scenario,report" default:"scenario" help:"What it describes: scenario (the default), or report, which coverage and explore write as JSON."`
	Plain bool   `env:"-" help:"Without the keywords that only editors know, for validators that refuse unknown ones."`
}

// Run prints a JSON Schema: of scenario files or of reports.
func (c schemaCommand) Run(s streams) error {
	schema := report.Schema()
	if c.Of == "scenario" {
		schema = scenario.Schema()
		if c.Plain {
			plain, err := scenario.PlainSchema()
			if err != nil {
				return err
			}
			schema = plain
		}
	}
	_, err := s.out.Write(schema)
	return err
}
