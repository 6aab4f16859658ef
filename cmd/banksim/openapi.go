package main

import "github.com/digitalbanking-sim/banksim/sim/contract/openapi"

type openapiCommand struct{}

// Run prints the OpenAPI document of the simulated interface.
func (openapiCommand) Run(s streams) error {
	_, err := s.out.Write(openapi.Document())
	return err
}
