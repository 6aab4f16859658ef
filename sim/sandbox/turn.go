package sandbox

import (
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

// commitTimeout returns how long a commit may take.
func commitTimeout(c StoredChanges) time.Duration {
	if c.Worlds != nil {
		return worldTimeout
	}
	return turnTimeout
}

// turn is the time between Take and Release of a sandbox of a shared store. What is changed in it is committed at its end, together.
// A sandbox whose commit fails is read anew by the next turn: meanwhile it may show what was not committed.
type turn struct {
	SharedTurn

	mu      sync.Mutex
	changes StoredChanges
	changed bool // whether there are any to commit
	over    bool // whether they are committed
}

// IsShared reports whether other processes use the sandbox, too: then Take and Release enclose what a request does with it.
func (s *Sandbox) IsShared() bool { return s.store != nil && s.store.shared != nil }

// Take waits until nobody uses the sandbox, in this process or in another one, and brings it up to date. Until Release, nobody else
// uses it. It fails with ErrNotStored, or with ErrDeleted. A sandbox that isn't shared needs no turns, and for that Take does nothing.
func (s *Sandbox) Take() error {
	if !s.IsShared() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), turnTimeout)
	defer cancel()
	select {
	case s.turns <- struct{}{}:
	case <-ctx.Done():
		return s.store.noted(time.Time{}, errors.New("the bank was in use all the time"))
	}
	t, err := s.store.shared.Begin(ctx, s.name, s.version)
	if err == nil {
		if err = s.catchUp(t); err != nil {
			t.End()
		}
	}
	if err != nil {
		<-s.turns
	}
	return s.store.noted(time.Time{}, err)
}

// Release ends a turn. It does nothing where there is none.
func (s *Sandbox) Release() {
	t := s.turn.Swap(nil)
	if t == nil {
		return
	}
	t.End()
	if t.changed && !t.over {
		s.version.Seq = 0
	}
	<-s.turns
}

// catchUp brings the sandbox up to date at the beginning of a turn.
func (s *Sandbox) catchUp(t SharedTurn) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	version, news, whole := t.News()
	if whole != nil {
		err = s.loadLocked(*whole)
	}
	for i := 0; i < len(news) && err == nil; i++ {
		err = s.repeatLocked(news[i])
	}
	s.version = version
	if err != nil {
		s.version.Seq = 0
		return err
	}
	s.turn.Store(&turn{SharedTurn: t})
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
		s.changes = k.Changes
		s.replaceLocked(now, &next)
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

// add notes further changes that the turn is to commit.
func (t *turn) add(c StoredChanges) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return ErrNotStored
	}
	all := &t.changes
	if c.Worlds[PresentWorld] != nil {
		all.Rows = nil
	}
	for _, row := range c.Rows {
		all.Rows = append(slices.DeleteFunc(all.Rows, func(old sim.StoredRow) bool {
			return old.Table == row.Table && old.Key == row.Key
		}), row)
	}
	for world, rows := range c.Worlds {
		if all.Worlds == nil {
			all.Worlds = map[string][]sim.StoredRow{}
		}
		all.Worlds[world] = rows
	}
	all.Meta, all.Restarts, t.changed = c.Meta, all.Restarts || c.Restarts, true
	if c.Start != nil {
		all.Start = c.Start
	}
	return nil
}

// commit commits the changes of the turn, with the record of an exchange. Nothing can be changed in the turn after that.
func (s *Sandbox) commit(t *turn, j *journal.Journal, exchange []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || !t.changed && exchange == nil {
		return nil
	}
	c := t.changes
	c.Exchange, c.Newest, c.Kept = exchange, j.Last(), uint64(j.Limit())
	if exchange != nil {
		c.Newest++
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout(c))
	defer cancel()
	began := time.Now()
	var err error
	s.version, err = t.Commit(ctx, c)
	t.over = true
	if err != nil {
		s.version.Seq = 0
	}
	return s.store.noted(began, err)
}

// Record adds an exchange to the journal of its moment and returns its id. It commits the turn, if there is one, and fails with
// ErrNotStored or ErrUnsure; then the exchange is not in the journal.
func (s *Sandbox) Record(m Moment, raw journal.Raw) (id string, err error) {
	t := s.turn.Load()
	if t == nil {
		return m.Journal.Add(raw), nil
	}
	e := m.Journal.Entry(raw)
	data, err := e.Encode()
	if err != nil {
		return "", fmt.Errorf("%w: writing the exchange: %w", ErrNotStored, err)
	}
	if err := s.commit(t, m.Journal, data); err != nil {
		return "", err
	}
	return m.Journal.Append(e), nil
}

// Pause commits the turn, if there is one, and ends it: the caller waits for something, and takes the sandbox again after that.
func (s *Sandbox) Pause() error {
	t := s.turn.Load()
	if t == nil {
		return nil
	}
	err := s.CommitCounts()
	if err == nil {
		err = s.commit(t, s.state.Load().generation.journal, nil)
	}
	s.Release()
	return err
}

// exclusively calls a function that may change the sandbox, with no other writer, and commits what it changes.
func (s *Sandbox) exclusively(fn func() error) error {
	if err := s.Take(); err != nil {
		return err
	}
	defer s.Release()
	err := s.alone(fn)
	if t := s.turn.Load(); t != nil && err == nil {
		err = s.commit(t, s.state.Load().generation.journal, nil)
	}
	return err
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
