package sandbox

import (
	"context"
	"errors"
	"time"
)

// Delete deletes a sandbox with all that it holds, and the forks that end with it. It fails with ErrNoSandbox if the sandbox is gone, and with
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
	r.deleteForks(ctx, s)
	return nil
}

// deleteForks deletes the forks of a deleted sandbox that have no time to live of their own, as far as this process
// knows them. One that can't be deleted ends when the sandbox would have.
func (r *Registry) deleteForks(ctx context.Context, of *Sandbox) {
	for _, fork := range r.forksOf(of) {
		_ = r.Delete(ctx, fork)
	}
}

func (r *Registry) forksOf(of *Sandbox) (forks []*Sandbox) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	expires := of.state.Load().expires
	for _, s := range r.sandboxes {
		st := s.state.Load()
		if st.generation.start.Origin.Of == of.name && s.created.After(of.created) && st.expires.Equal(expires) {
			forks = append(forks, s)
		}
	}
	return forks
}
