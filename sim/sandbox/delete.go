package sandbox

import (
	"context"
	"errors"
	"time"
)

// Delete deletes a sandbox with all that it holds. It fails with ErrNoSandbox if the sandbox is gone, and with
// ErrDefaultSandbox, ErrNotStored and ErrUnsure.
func (r *Registry) Delete(ctx context.Context, s *Sandbox) error {
	if s.name == Default {
		return ErrDefaultSandbox
	}
	if r.store != nil {
		ctx, cancel := context.WithTimeout(ctx, worldTimeout)
		defer cancel()
		began := time.Now()
		err := r.store.Delete(ctx, s.name, s.state.Load().version)
		if err = r.health.note(usedByCall, began, err); err != nil && !errors.Is(err, ErrDeleted) {
			return err
		}
	}
	if !r.forget(s) {
		return ErrNoSandbox
	}
	return nil
}
