package main

import (
	"context"
	"fmt"
)

type healthcheckCommand struct{ controlFlags }

// Run succeeds if the simulator is ready.
func (c healthcheckCommand) Run(ctx context.Context, s streams) error {
	client, err := c.client(ctx, "")
	if err != nil {
		return err
	}
	if err := client.Get(ctx, "/readyz", nil); err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	_, err = fmt.Fprintln(s.out, "ready")
	return err
}
