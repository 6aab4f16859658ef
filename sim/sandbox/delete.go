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

// expiryRetry is how long after a failure an expired sandbox is deleted again (choice).
const expiryRetry = time.Second

// expireLocked deletes a sandbox after some time, and tries again until that succeeds.
func (r *Registry) expireLocked(s *Sandbox, after time.Duration) {
	s.timer = time.AfterFunc(after, func() {
		err := r.Delete(r.ctx, s)
		if err == nil || errors.Is(err, ErrNoSandbox) || r.ctx.Err() != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sandboxes[s.name] == s {
			r.expireLocked(s, expiryRetry)
		}
	})
}
