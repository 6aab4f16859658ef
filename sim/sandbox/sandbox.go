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
	"github.com/digitalbanking-sim/banksim/sim/memory"
)

// Errors of a sandbox.
var (
	ErrDeleted = errors.New("the sandbox was deleted")
	// ErrIsChange is what a function returns to View when it finds that its request changes something.
	ErrIsChange = errors.New("the request changes the sandbox")
)

// Choices about a bank with a store.
const (
	// waitTimeout is how long a call waits for its round, or until the bank is loaded.
	waitTimeout = 5 * time.Second
	// roundLimit is how many calls are committed together.
	roundLimit = 64
)

// Sandbox is one isolated bank. Its methods may be called by many goroutines.
type Sandbox struct {
	name     string
	created  time.Time // real
	registry *Registry
	coverage *coverage.Counter
	queue    *batch.Queue[*call] // of a bank with a store
	kept     *memory.Room        // for what the sandbox keeps
	requests *memory.Room

	// isContended says that other processes change the bank so often that a round had better lock it. It belongs to the
	// goroutine of the queue.
	isContended bool

	state atomic.Pointer[state]

	mu        sync.Mutex // held while a state is installed and, in memory, while a change runs
	past      pastStates
	reloading *reloading  // or nil if the bank isn't being loaded again
	expiry    *time.Timer // deletes the sandbox; or nil if it stays
}

// Name returns the sandbox's name in base URLs and in the control API.
func (s *Sandbox) Name() string { return s.name }

// Coverage returns what counts the answers of the sandbox since its creation.
func (s *Sandbox) Coverage() *coverage.Counter { return s.coverage }

// Draft makes the record of an exchange that was decided. It runs without the lock of the sandbox, so it may take its
// time. If it panics, a change in memory stays, and one for a store is given up.
type Draft func() journal.Record

// View calls fn with the sandbox at one moment, and records the exchange whose draft fn returns, if any. It returns the
// id of the exchange. An error of fn is returned, and nothing is recorded.
//
// In a shared store, the exchange is recorded if no other process has changed the bank since; otherwise fn runs
// again. If nothing is recorded, the view may be behind other processes: see Latest. View fails with ErrDeleted,
// ErrNotStored and ErrUnsure, too.
func (s *Sandbox) View(ctx context.Context, fn func(View) (Draft, error)) (id string, err error) {
	if s.registry.IsShared() {
		return s.enqueue(ctx, &call{view: fn})
	}
	v, err := s.local(ctx)
	if err != nil {
		return "", err
	}
	draft, err := fn(v)
	if err != nil {
		return "", err
	}
	return newNumbered(v.Journal, draft).complete(), nil
}

// Update calls fn with a change of the sandbox that no other change can come between, makes the change, and records the
// exchange whose draft fn returns, if any. It returns the id of the exchange. If fn fails, Update returns its error,
// and nothing has changed. Update fails with ErrDeleted, ErrNotStored and ErrUnsure, too. A change without an exchange
// also fails with sim.WorldFull and ErrNoRoom; one with an exchange has checked [sim.World.CheckLimits].
func (s *Sandbox) Update(ctx context.Context, fn func(*Tx) (Draft, error)) (id string, err error) {
	if s.registry.store != nil {
		return s.enqueue(ctx, &call{update: fn})
	}
	exchange, err := s.change(fn)
	if err != nil {
		return "", err
	}
	return exchange.complete(), nil
}

// numbered is an exchange that has its number in a journal, and whose draft has still to be run. The zero numbered is
// no exchange.
type numbered struct {
	number uint64
	in     *journal.Journal
	draft  Draft
}

// newNumbered takes a number for an exchange. Without a draft there is no exchange.
func newNumbered(in *journal.Journal, draft Draft) numbered {
	if draft == nil {
		return numbered{}
	}
	return numbered{in.Take(), in, draft}
}

// complete records the exchange, and returns its id, or "" without one.
func (n numbered) complete() (id string) {
	if n.draft == nil {
		return ""
	}
	return n.in.Complete(n.number, n.draft)
}

// change makes a change of a sandbox in memory, and takes the number of its exchange. A reader of the exchange finds
// the change, because the journal shows an exchange only when it is complete.
func (s *Sandbox) change(fn func(*Tx) (Draft, error)) (exchange numbered, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.state.Load()
	if current.deleted {
		return numbered{}, ErrDeleted
	}
	tx := s.begin(current, time.Now())
	draft, err := fn(tx)
	if err != nil {
		return numbered{}, err
	}
	next, changed := tx.result()
	if draft == nil && changed {
		if err := s.checkLimits(tx, next); err != nil {
			return numbered{}, err
		}
	}
	exchange = newNumbered(tx.Journal, draft) // before others see the change, and get numbers of their own
	if changed {
		s.install(next)
	}
	return exchange, nil
}

// Change is Update for a change without an exchange.
func (s *Sandbox) Change(ctx context.Context, fn func(*Tx) error) error {
	_, err := s.Update(ctx, func(tx *Tx) (Draft, error) { return nil, fn(tx) })
	return err
}

// updateAlone is Change for a change that replaces the world, the generation or a snapshot. It has a round to itself.
func (s *Sandbox) updateAlone(ctx context.Context, fn func(*Tx) error) error {
	if s.registry.store == nil {
		return s.Change(ctx, fn)
	}
	_, err := s.enqueue(ctx, &call{
		update:  func(tx *Tx) (Draft, error) { return nil, fn(tx) },
		isAlone: true,
	})
	return err
}

// Latest returns the sandbox with all changes that any process made before the call. It fails with ErrDeleted and
// ErrNotStored.
func (s *Sandbox) Latest(ctx context.Context) (v View, err error) {
	if !s.registry.IsShared() {
		return s.local(ctx)
	}
	_, err = s.enqueue(ctx, &call{
		view: func(latest View) (Draft, error) {
			v = latest
			return nil, nil
		},
		isRefresh: true, isAlone: true,
	})
	return v, err
}

// Known returns the sandbox as this process knows it. Other processes may have changed it.
func (s *Sandbox) Known() View { return s.state.Load().view(time.Now()) }

// local returns the sandbox as this process knows it, after the end of the jobs that are due.
func (s *Sandbox) local(ctx context.Context) (View, error) {
	for {
		current, wall := s.state.Load(), time.Now()
		switch {
		case current.deleted:
			return View{}, ErrDeleted
		case !current.isJobDue(wall):
			return current.view(wall), nil
		}
		endJobs := func(*Tx) error { return nil } // each change begins with that
		if err := s.Change(ctx, endJobs); err != nil {
			return View{}, err
		}
	}
}

// RecordUnstored records an exchange that the store has refused, if the journal is in memory, and returns its id.
func (s *Sandbox) RecordUnstored(draft Draft) (id string) {
	current := s.state.Load()
	if current.deleted || s.registry.IsShared() {
		return ""
	}
	return newNumbered(current.generation.journal, draft).complete()
}

// install replaces the state. The caller holds mu, unless the sandbox is new.
func (s *Sandbox) install(next *state) {
	old := s.state.Load()
	s.kept.Adjust(next.own() - old.own())
	s.registry.parts.recount(old, next, s.name == Default)
	s.state.Store(next)
	s.scheduleExpiry(old, next)
	s.registry.noteSchedule(old, next)
	if old != nil && next.clearedTo > old.clearedTo {
		next.generation.journal.ClearTo(next.clearedTo)
	}
}

// close ends the sandbox in this process. A store keeps it. It reports whether the sandbox was still there.
func (s *Sandbox) close() bool { return s.closeIf(func(*state) bool { return true }) }

// closeIf is close for a sandbox whose state holds a condition.
func (s *Sandbox) closeIf(holds func(*state) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := *s.state.Load()
	if last.deleted || !holds(&last) {
		return false
	}
	last.deleted = true
	s.install(&last)
	last.generation.journal.Close()
	return true
}

// enqueue runs a call in a round of the queue, and panics if its function did.
func (s *Sandbox) enqueue(ctx context.Context, c *call) (id string, err error) {
	waiting, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	for {
		switch err := s.queue.Do(waiting, c); {
		case ctx.Err() != nil && err != nil:
			return "", ctx.Err()
		case err != nil:
			return "", fmt.Errorf("%w: the bank was in use for %s", ErrNotStored, waitTimeout)
		case c.panicked != nil:
			panic(c.panicked)
		case !errors.Is(c.err, ErrTooOld):
			return c.id, c.err
		}
		if err := s.reload(waiting); err != nil {
			return "", err
		}
	}
}
