package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// loading is a bank that is being loaded, because the store doesn't know any more what has happened since the version that
// this process has.
type loading struct {
	done chan struct{}
	err  error // set before done is closed
}

// load has the bank loaded, once for all who wait for that, and waits until it is done or the context ends. Loading goes on
// then.
func (s *Sandbox) load(ctx context.Context) error {
	l := s.startLoading()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return fmt.Errorf("%w: the bank is being read from its store", ErrNotStored)
	}
}

func (s *Sandbox) startLoading() *loading {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loading == nil {
		s.loading = &loading{done: make(chan struct{})}
		go s.finishLoading(s.loading)
	}
	return s.loading
}

func (s *Sandbox) finishLoading(l *loading) {
	from := s.state.Load()
	next, err := s.loaded(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.state.Load() == from { // else it has gone on from there
		old := from.generation.journal
		s.past.add(next)
		s.showLocked(next)
		if next.generation.journal != old {
			old.Close()
		}
	}
	l.err, s.loading = err, nil
	close(l.done)
}

// loaded returns the state of the bank as the store has it.
func (s *Sandbox) loaded(from *state) (*state, error) {
	if from.deleted {
		return nil, ErrDeleted
	}
	ctx, cancel := context.WithTimeout(s.in.ctx, worldTimeout)
	defer cancel()
	began := time.Now()
	b, err := s.in.store.Load(ctx, s.name)
	err = s.in.health.noteUse(began, err)
	switch {
	case errors.Is(err, ErrNoSandbox):
		return nil, ErrDeleted
	case err != nil:
		return nil, err
	}
	if b.Version.Bank != from.version.Bank { // another bank has taken the name
		return nil, ErrDeleted
	}
	next, err := s.restored(b, from, from.generation.start.scenario)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	return next, nil
}
