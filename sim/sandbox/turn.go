package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// turnTimeout is how long one waits for a sandbox of a shared store, and for a commit; worldTimeout is that for a commit of a whole world,
// which may have a million rows (choice).
const (
	turnTimeout  = 5 * time.Second
	worldTimeout = time.Minute
)

// groupLimit is how many uses of a sandbox are committed together at most (choice).
const groupLimit = 16

// turn is the time in which this process uses a sandbox of a shared store: for one use, or for several that waited for each other, one
// after the other. All that they change is committed at the end, and none of them is answered before. A sandbox whose commit fails is read
// anew by the next turn: until then it may show what was not committed.
type turn struct {
	SharedTurn
	uses int
	done chan struct{} // closed at the end, after err is set
	err  error

	mu      sync.Mutex
	changes []StoredChanges
	over    bool // whether they are committed
}

// IsShared reports whether other processes use the sandbox, too: then Take and Release enclose what a request does with it.
func (s *Sandbox) IsShared() bool { return s.in.store.isShared() }

// Take waits until nobody uses the sandbox, in this process or in another one, and brings it up to date. Until Release, nobody else
// uses it. It fails with ErrNotStored, or with ErrDeleted. A sandbox that isn't shared needs no turns, and for that Take does nothing.
func (s *Sandbox) Take() error {
	if !s.IsShared() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), turnTimeout)
	defer cancel()
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case s.using <- struct{}{}:
	case <-ctx.Done():
		return s.in.store.noted(time.Time{}, errors.New("the bank was in use all the time"))
	}
	if t := s.turn.Load(); t != nil { // others have left it open
		t.uses++
		return nil
	}
	begun, err := s.in.store.shared.Begin(ctx, s.name, s.version)
	if err == nil {
		if err = s.catchUp(begun); err != nil {
			begun.End()
		}
	}
	if err != nil {
		<-s.using
	}
	return s.in.store.noted(time.Time{}, err)
}

// Release ends the use of a sandbox that was taken, once what was changed is committed. If that fails, nothing was changed: the error is
// ErrNotStored or ErrUnsure.
func (s *Sandbox) Release() error {
	t := s.turn.Load()
	if t == nil {
		return nil
	}
	if t.uses < groupLimit && s.waiting.Load() > 0 {
		<-s.using
		select {
		case <-t.done:
			return t.err
		case s.using <- struct{}{}: // nobody went on with the turn
		}
	}
	if s.turn.Load() != t { // somebody has ended it
		<-s.using
		<-t.done
		return t.err
	}
	t.err = s.commit(t)
	s.turn.Store(nil)
	t.End()
	close(t.done)
	<-s.using
	return t.err
}

// catchUp brings the sandbox up to date at the beginning of a turn.
func (s *Sandbox) catchUp(t SharedTurn) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	version, news, whole := t.News()
	if whole != nil {
		err = s.loadLocked(*whole, s.Scenario())
	}
	for i := 0; i < len(news) && err == nil; i++ {
		err = s.repeatLocked(news[i])
	}
	s.version = version
	if err != nil {
		s.version.Seq = 0
		return err
	}
	s.turn.Store(&turn{SharedTurn: t, uses: 1, done: make(chan struct{})})
	return nil
}

// repeatLocked does what another process has done.
func (s *Sandbox) repeatLocked(r StoredRecord) error {
	now := s.state.Load()
	next := *now
	g := now.generation
	before := g.faults.Past()
	if r.Meta != nil {
		var k kept
		if err := json.Unmarshal(r.Meta, &k); err != nil {
			return err
		}
		next.world = now.world.Fork()
		if err := next.world.Apply(k.World, slices.Values(r.Rows)); err != nil {
			return err
		}
		next.clock = sim.NewClock(k.Now, k.Running, k.At)
		g.faults.Restore(k.Faults)
		if _, clearedTo := g.journal.Cleared(); clearedTo < k.ClearedTo {
			g.journal.ClearTo(k.ClearedTo)
		}
		next.changes = k.Changes
		s.showLocked(now, &next)
	}
	if r.Exchange == nil {
		return nil
	}
	e, err := journal.Decode(r.Exchange)
	if err != nil {
		return err
	}
	e.Step.Before, e.Step.After = now.world, next.world
	if !g.faults.Empty() {
		e.Step.Faults = [2]journal.Kept{before, g.faults.Past()}
	}
	g.journal.Append(e)
	return nil
}

// add notes a change that is to be committed.
func (t *turn) add(c StoredChanges) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return ErrNotStored
	}
	t.changes = append(t.changes, c)
	return nil
}

// commit commits the changes of the turn. Nothing can be changed in the turn after that.
func (s *Sandbox) commit(t *turn) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || len(t.changes) == 0 {
		return nil
	}
	t.over = true
	timeout := turnTimeout
	if slices.ContainsFunc(t.changes, func(c StoredChanges) bool { return c.Worlds != nil }) {
		timeout = worldTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	began := time.Now()
	s.version, err = t.Commit(ctx, t.changes, s.state.Load().generation.journal.Limit())
	if err != nil {
		s.version.Seq = 0
	}
	return s.in.store.noted(began, err)
}

// Record adds an exchange to the journal of its moment and returns its id. In a turn it is committed at the end, with what it has had
// committed if it has changed something.
func (s *Sandbox) Record(m Moment, raw journal.Raw, changed bool) (id string, err error) {
	t := s.turn.Load()
	if t == nil {
		return m.Journal.Add(raw), nil
	}
	e := m.Journal.Entry(raw)
	data, err := e.Encode()
	if err != nil {
		return "", fmt.Errorf("%w: writing the exchange: %w", ErrNotStored, err)
	}
	id = m.Journal.Append(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !changed {
		t.changes = append(t.changes, StoredChanges{})
	}
	c := &t.changes[len(t.changes)-1]
	c.Exchange, c.Newest = data, m.Journal.Last()
	return id, nil
}

// exclusively calls a function that may change the sandbox, with no other writer, and commits what it changes.
func (s *Sandbox) exclusively(fn func() error) (err error) {
	if err := s.Take(); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, s.Release()) }()
	return s.alone(fn)
}

// alone calls a function with no other writer in this process.
func (s *Sandbox) alone(fn func() error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return fn()
}

// Refresh brings a shared sandbox up to date. It fails with ErrNotStored, or with ErrDeleted.
func (s *Sandbox) Refresh() error {
	if !s.IsShared() {
		return nil
	}
	return s.exclusively(func() error {
		s.presentLocked()
		return nil
	})
}
