package sandbox

import (
	"context"
	"errors"
	"time"
)

// Delete deletes a sandbox with all that it holds, and the forks that end with it. It fails with ErrNoSandbox if the
// sandbox is gone, and with ErrDefaultSandbox, ErrNotStored and ErrUnsure.
func (r *Registry) Delete(ctx context.Context, s *Sandbox) error {
	if s.name == Default {
		return ErrDefaultSandbox
	}
	wasGone := false
	if r.store != nil {
		ctx, cancel := context.WithTimeout(ctx, worldTimeout)
		defer cancel()
		began := time.Now()
		err := r.store.Delete(ctx, s.name, s.state.Load().version)
		wasGone = errors.Is(err, ErrDeleted)
		if err = r.health.note(usedByCall, began, err); err != nil && !wasGone {
			return err
		}
	}
	if !r.forget(s) && (r.store == nil || wasGone) { // a request may have found out that the bank is deleted
		return ErrNoSandbox
	}
	r.deleteForks(ctx, s)
	return nil
}

// deleteForks deletes the forks of a deleted sandbox that have no time to live of their own. One that can't be deleted
// stays.
func (r *Registry) deleteForks(ctx context.Context, of *Sandbox) {
	ctx = context.WithoutCancel(ctx) // the sandbox is deleted already
	all, err := r.List(ctx)
	if err != nil {
		return
	}
	for _, info := range all {
		if info.tied && info.Fork.Of == of.name && !info.Created.Before(of.created) {
			if fork, err := r.Find(ctx, info.Name); err == nil {
				_ = r.Delete(ctx, fork)
			}
		}
	}
}
