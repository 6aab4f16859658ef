package main

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// openapiCommand has flags that serve has, too, and that mean something else there: they are not read from the environment.
type openapiCommand struct {
	Server   *string `env:"-" placeholder:"URL" help:"Base URL of the server that the document names. Default: where serve listens by default."`
	Scenario *string `env:"-" placeholder:"NAME|FILE" help:"Describe only what the behaviour of this scenario selects. Default: what any behaviour does."`
}

// Where serve listens by default.
const defaultService = "http://127.0.0.1:8080"

// Run prints an OpenAPI document.
func (c openapiCommand) Run(s streams) error {
	service := openapi.Service{URL: defaultService}
	if c.Server != nil {
		url, err := server.CleanPublicURL(*c.Server)
		if err != nil {
			return wrongUse{fmt.Errorf("--server %w", err)}
		}
		service.URL = url
	}
	if c.Scenario != nil {
		sc, err := scenario.Load(*c.Scenario, withProgress(s.err))
		if err != nil {
			return wrongUse{err}
		}
		service.Behavior = sc.World.Behavior()
	}
	_, err := s.out.Write(openapi.Document(service))
	return err
}
