package main

import "github.com/digitalbanking-sim/banksim/sim/contract"

type openapiCommand struct{}

// Run prints the OpenAPI document of the simulated interface.
func (openapiCommand) Run(s streams) error {
	_, err := s.out.Write(contract.OpenAPI())
	return err
}
