package main

import (
	"cmp"
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// openapiCommand has flags that serve has, too, and that mean something else there: they are not read from the environment.
type openapiCommand struct {
	Control bool   `env:"-" help:"Print the document of the control API instead of that of the simulated interface."`
	Server  string `env:"-" placeholder:"URL" help:"Base URL that the document names. Default: where serve listens by default."`
}

// Where serve listens by default.
const (
	defaultService = "http://127.0.0.1:8080"
	defaultControl = "http://127.0.0.1:8081"
)

// Run prints an OpenAPI document.
func (c openapiCommand) Run(s streams) error {
	url := ""
	if c.Server != "" {
		var err error
		if url, err = server.CleanPublicURL(c.Server); err != nil {
			return wrongUse{fmt.Errorf("--server %w", err)}
		}
	}
	if c.Control {
		_, err := s.out.Write(controlapi.Document(cmp.Or(url, defaultControl)))
		return err
	}
	_, err := s.out.Write(openapi.Document(cmp.Or(url, defaultService)))
	return err
}
