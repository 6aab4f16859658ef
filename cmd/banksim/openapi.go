package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// openapiCommand has flags that serve has, too, and that mean something else there: they are not read from the environment.
type openapiCommand struct {
	Control  bool    `env:"-" help:"Print the document of the control API instead of that of the simulated interface."`
	Server   *string `env:"-" placeholder:"URL" help:"Base URL of the server that the document names. Default: where serve listens by default."`
	Scenario *string `env:"-" placeholder:"NAME|FILE" help:"Describe only what the behaviour of this scenario selects. Default: what any behaviour does."`
}

// Where serve listens by default.
const (
	defaultService = "http://127.0.0.1:8080"
	defaultControl = "http://127.0.0.1:8081"
)

// Run prints an OpenAPI document.
func (c openapiCommand) Run(ctx context.Context, s streams) error {
	url := ""
	if c.Server != nil {
		var err error
		if url, err = server.CleanPublicURL(*c.Server); err != nil {
			return wrongUse{fmt.Errorf("--server %w", err)}
		}
	}
	if c.Control {
		if c.Scenario != nil {
			return wrongUse{errors.New("--control and --scenario contradict each other: a scenario doesn't change the control API")}
		}
		_, err := s.out.Write(controlapi.Document(cmp.Or(url, defaultControl)))
		return err
	}
	service := openapi.Service{URL: cmp.Or(url, defaultService)}
	if c.Scenario != nil {
		sc, err := usableScenario(ctx, *c.Scenario)
		if err != nil {
			return err
		}
		service.Behavior = sc.World.Behavior()
	}
	_, err := s.out.Write(openapi.Document(service))
	return err
}
