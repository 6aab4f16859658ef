package fault

import (
	"context"
	"time"
)

// Wait waits for a time, or until draining closes. It fails if the context ends first.
func Wait(ctx context.Context, draining <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-draining:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
