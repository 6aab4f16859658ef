package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Find returns a sandbox by name, also one that another process has created. It fails with ErrNoSandbox and
// ErrNotStored. A bank of many rows may be read for longer than Find waits. Then a later call finds it.
func (r *Registry) Find(ctx context.Context, name string) (*Sandbox, error) {
	if s, ok := r.Known(name); ok {
		return s, nil
	}
	if r.store == nil || !IsName(name) {
		return nil, ErrNoSandbox
	}
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	found := r.finding.DoChan(name, func() (any, error) { return r.loadSandbox(name) })
	select {
	case result := <-found:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*Sandbox), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: the bank is being read from its store", ErrNotStored)
	}
}

// loadSandbox loads a bank that this process doesn't know.
func (r *Registry) loadSandbox(name string) (*Sandbox, error) {
	b, err := r.loadBank(r.ctx, name)
	if err != nil {
		return nil, err
	}
	var d description
	if err := json.Unmarshal(b.Description, &d); err != nil {
		return nil, fmt.Errorf("%w: the description of the bank: %w", ErrNotStored, err)
	}
	s := r.newSandbox(name, d.Created)
	st, err := s.decodeBank(b, nil, r.Origin().Scenario)
	if err != nil {
		return nil, err
	}
	return r.putFound(s, st)
}

// loadBank reads a bank from the store.
func (r *Registry) loadBank(ctx context.Context, name string) (Bank, error) {
	ctx, cancel := context.WithTimeout(ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	b, err := r.store.Load(ctx, name)
	return b, r.health.note(usedByCall, began, err)
}

// putFound puts a bank that was loaded, unless this process has it already or is just creating it.
func (r *Registry) putFound(s *Sandbox, st *state) (*Sandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, isKnown := r.sandboxes[s.name]
	if !isKnown && !r.reserved[s.name] {
		r.putLocked(s, st)
		return s, nil
	}
	st.generation.journal.Close()
	if !isKnown {
		return nil, ErrNoSandbox
	}
	return known, nil
}

// Use calls a function with a sandbox. If the function fails with ErrDeleted, Use calls it again with the sandbox
// that has taken the name since, if there is one. Use fails as Find and the function do.
func (r *Registry) Use(ctx context.Context, name string, fn func(*Sandbox) error) error {
	for {
		s, err := r.Find(ctx, name)
		if err != nil {
			return err
		}
		if err = fn(s); !errors.Is(err, ErrDeleted) {
			return err
		}
		r.forget(s)
	}
}

// forget ends a sandbox that was deleted, by this process or another one. It reports whether the sandbox was still
// there.
func (r *Registry) forget(s *Sandbox) bool {
	r.takeOut(s)
	return s.close()
}

// takeOut makes the name of a sandbox free.
func (r *Registry) takeOut(s *Sandbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sandboxes[s.name] == s {
		delete(r.sandboxes, s.name)
	}
}
