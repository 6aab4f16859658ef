package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/batch"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Errors of a sandbox.
var (
	ErrDeleted = errors.New("the sandbox was deleted")
	// ErrIsChange is what a function returns to View when it finds that its request changes something.
	ErrIsChange = errors.New("the request changes the sandbox")
)

// Choices about a bank with a store.
const (
	// waitTimeout is how long a call waits for its batch, or until the bank is loaded.
	waitTimeout = 5 * time.Second
	// batchLimit is how many calls are committed together.
	batchLimit = 64
)

// Sandbox is one isolated bank. Its methods may be called by many goroutines.
type Sandbox struct {
	name     string
	created  time.Time // real
	expires  time.Time // real; the zero time if it never is deleted by itself
	in       *Registry
	coverage *coverage.Counter
	queue    *batch.Queue[*call] // of a bank with a store

	// isContended says that other processes change the bank so often that a batch had better lock it. It belongs to the
	// goroutine of the queue.
	isContended bool

	state atomic.Pointer[state]

	mu      sync.Mutex // held while the state is replaced and, in memory, while a change runs
	past    pastStates
	loading *loading // or nil if the bank isn't being loaded

	timer *time.Timer // deletes the sandbox when it expires; guarded by the registry
}

// Name returns the name by which base URLs and the control API address the sandbox.
func (s *Sandbox) Name() string { return s.name }

// Coverage returns what counts the answers of the sandbox since its creation.
func (s *Sandbox) Coverage() *coverage.Counter { return s.coverage }

// View calls fn with the sandbox at one moment, and records the exchange that fn returns, if any. It returns the id of the
// exchange. An error of fn is returned, and nothing is recorded. In a shared store, the exchange is only recorded if no
// other process has changed the bank meanwhile; otherwise fn runs again. View fails with ErrDeleted, ErrNotStored and
// ErrUnsure, too.
func (s *Sandbox) View(ctx context.Context, fn func(View) (*journal.Raw, error)) (id string, err error) {
	if s.in.IsShared() {
		return s.enqueue(ctx, &call{view: fn})
	}
	v, err := s.local(ctx)
	if err != nil {
		return "", err
	}
	raw, err := fn(v)
	if err != nil || raw == nil {
		return "", err
	}
	return v.Journal.Add(*raw), nil
}

// Update calls fn with a change of the sandbox that no other change can come between, makes the change, and records the
// exchange that fn returns, if any. It returns the id of the exchange. If fn fails, Update returns its error, and nothing
// has changed. Update fails with ErrDeleted, ErrNotStored and ErrUnsure, too.
func (s *Sandbox) Update(ctx context.Context, fn func(*Tx) (*journal.Raw, error)) (id string, err error) {
	if s.in.store != nil {
		return s.enqueue(ctx, &call{update: fn})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.state.Load()
	if now.deleted {
		return "", ErrDeleted
	}
	tx := s.begin(now, time.Now())
	raw, err := fn(tx)
	if err != nil {
		return "", err
	}
	if raw != nil {
		id = tx.Journal.Add(*raw) // before the next change is recorded: the journal has changes in their order
	}
	s.showLocked(tx.end())
	return id, nil
}

// Change is Update for a change without an exchange.
func (s *Sandbox) Change(ctx context.Context, fn func(*Tx) error) error {
	_, err := s.Update(ctx, func(tx *Tx) (*journal.Raw, error) { return nil, fn(tx) })
	return err
}

// replace is Change for a change that replaces the world, the generation or a snapshot. It has a batch to itself.
func (s *Sandbox) replace(ctx context.Context, fn func(*Tx) error) error {
	if s.in.store == nil {
		return s.Change(ctx, fn)
	}
	_, err := s.enqueue(ctx, &call{
		update:  func(tx *Tx) (*journal.Raw, error) { return nil, fn(tx) },
		isAlone: true,
	})
	return err
}

// Latest returns the sandbox as it is now, with all that other processes have done to it before the call. It fails with
// ErrDeleted and ErrNotStored.
func (s *Sandbox) Latest(ctx context.Context) (v View, err error) {
	if !s.in.IsShared() {
		return s.local(ctx)
	}
	_, err = s.enqueue(ctx, &call{
		view: func(latest View) (*journal.Raw, error) {
			v = latest
			return nil, nil
		},
		isRefresh: true,
	})
	return v, err
}

// Known returns the sandbox as this process knows it. Other processes may have changed it.
func (s *Sandbox) Known() View { return s.state.Load().at(time.Now()) }

// local returns the sandbox as this process knows it, after the end of the jobs that have ended by now.
func (s *Sandbox) local(ctx context.Context) (View, error) {
	for {
		now, real := s.state.Load(), time.Now()
		if now.deleted {
			return View{}, ErrDeleted
		}
		if v := now.at(real); !v.World.Due(v.Now) {
			return v, nil
		}
		endJobs := func(*Tx) error { return nil } // each change begins with that
		if err := s.Change(ctx, endJobs); err != nil {
			return View{}, err
		}
	}
}

// RecordUnstored records an exchange that the store has refused, if the journal is in memory, and returns its id.
func (s *Sandbox) RecordUnstored(raw journal.Raw) (id string) {
	now := s.state.Load()
	if now.deleted || s.in.IsShared() {
		return ""
	}
	return now.generation.journal.Add(raw)
}

// showLocked replaces the state, nil at first, and counts the rows that callers have added in it.
func (s *Sandbox) showLocked(next *state) {
	old := s.state.Load()
	s.in.quota.recount(old, next)
	s.state.Store(next)
	if old != nil && next.clearedTo > old.clearedTo {
		next.generation.journal.ClearTo(next.clearedTo)
	}
}

// end ends the sandbox in this process. A store keeps it. It reports whether the sandbox was still there.
func (s *Sandbox) end() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := *s.state.Load()
	if last.deleted {
		return false
	}
	last.deleted = true
	s.showLocked(&last)
	last.generation.journal.Close()
	return true
}

// enqueue has a call processed in a batch. A panic of its function is passed on.
func (s *Sandbox) enqueue(ctx context.Context, c *call) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	for {
		if err := s.queue.Do(ctx, c); err != nil {
			return "", fmt.Errorf("%w: the bank was in use for %s", ErrNotStored, waitTimeout)
		}
		if c.panicked != nil {
			panic(c.panicked)
		}
		if !errors.Is(c.err, ErrTooOld) {
			return c.id, c.err
		}
		if err := s.load(ctx); err != nil {
			return "", err
		}
	}
}
