package main

import (
	"context"
	"fmt"
	"time"
)

type healthcheckCommand struct {
	controlFlags
	Timeout time.Duration `default:"3s" help:"How long to wait for an answer."`
}

// Run succeeds if the simulator is ready.
func (c healthcheckCommand) Run(ctx context.Context, s streams) error {
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if err := client.get(ctx, "/readyz", nil); err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	_, err = fmt.Fprintln(s.out, "ready")
	return err
}
