package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/batch"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// commitTimeout is how long the calls of a round may take (choice). A store that doesn't answer may take as long
// again to find out whether it has committed.
const commitTimeout = 5 * time.Second

// call is a function that waits for its round, and later its outcome. One of view and update is set.
type call struct {
	view      func(View) (Draft, error)
	update    func(*Tx) (Draft, error)
	isRefresh bool // whether the sandbox and its journal must be up to date first
	isAlone   bool // whether the call needs a round to itself

	id       string
	err      error
	panicked *Panic
}

// Panic is what Update and View panic with if their function panicked on another goroutine.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) String() string { return fmt.Sprint(p.Value) }

// invoke calls fn, and makes the record whose draft fn returns. An error or a panic is the outcome of this call alone.
func (c *call) invoke(fn func() (Draft, error)) (record journal.Record, ok bool) {
	c.id, c.err, c.panicked = "", nil, nil
	defer func() {
		if p := recover(); p != nil {
			c.panicked = &Panic{p, debug.Stack()}
		}
	}()
	draft, err := fn()
	if draft != nil && err == nil {
		record = draft()
	}
	c.err = err
	return record, err == nil
}

// serve runs the calls of a round and commits the result. After a conflict it starts again. If it fails, no call has
// changed anything, unless the error is ErrUnsure.
func (s *Sandbox) serve(r *batch.Round[*call]) {
	if err := s.tryServe(r); err != nil {
		for _, c := range r.Items() {
			c.id, c.err = "", err
		}
	}
}

func (s *Sandbox) tryServe(r *batch.Round[*call]) error {
	ctx, cancel := context.WithTimeout(s.registry.ctx, commitTimeout)
	defer cancel()
	if s.state.Load().deleted {
		return ErrDeleted
	}
	if calls := r.Items(); calls[0].isRefresh {
		if err := s.followJournal(ctx); err != nil {
			return err
		}
	}
	for {
		commit := s.attemptAndCommit
		if s.isContended {
			commit = s.commitLocked
		}
		done, err := commit(ctx, s.registry.store, r)
		switch {
		case err == nil:
			s.finish(done)
			return nil
		case !errors.Is(err, ErrConflict):
			return err
		}
		s.isContended = true
	}
}

// commitLocked runs and commits a round while no other process can commit. It is for a bank that several processes
// change at once: without the lock, most attempts would conflict. Calls that come while this process waits for the
// lock join.
func (s *Sandbox) commitLocked(ctx context.Context, st Store, r *batch.Round[*call]) (done *attempt, err error) {
	before := s.state.Load()
	if mostlyChanges(r.Items()) {
		// Others hold the lock now, probably. Following their changes while this process would wait leaves less to do
		// with the lock: three processes that create groups in one bank reach a quarter more (BenchmarkStores).
		if _, err := s.follow(ctx, st, NoExchanges); err != nil {
			return nil, err
		}
	}
	var inner error
	began := time.Now()
	err = st.Locked(ctx, s.name, s.state.Load().version, func(locked Store) error {
		if _, inner = s.follow(ctx, locked, NoExchanges); inner == nil {
			s.isContended = s.state.Load() != before // whether others were here since the last round
			r.Join()
			done, inner = s.attemptAndCommit(ctx, locked, r)
		}
		return inner
	})
	if err == inner {
		return done, err
	}
	return nil, s.registry.health.note(usedByCall, began, err)
}

// mostlyChanges reports whether more than half of the calls may change the bank.
func mostlyChanges(calls []*call) bool {
	changes := 0
	for _, c := range calls {
		if c.update != nil {
			changes++
		}
	}
	return 2*changes > len(calls)
}

// attemptAndCommit runs a round and commits the result. It fails with ErrConflict if the bank has moved on.
func (s *Sandbox) attemptAndCommit(ctx context.Context, st Store, r *batch.Round[*call]) (*attempt, error) {
	a := s.attempt(r.Items())
	b, err := s.encodeBatch(a)
	if err != nil || b.Change == nil && len(b.Exchanges) == 0 {
		return a, err
	}
	began := time.Now()
	a.version, a.first, err = st.Commit(ctx, s.name, a.base.version, b)
	return a, s.registry.health.note(committed, began, err)
}

// attempt is the result of running calls on the state that this process has.
type attempt struct {
	base, result *state
	changes      []*Tx // that lead from one to the other
	exchanges    []recorded

	version Version // after the commit
	first   uint64  // number of the first exchange, or 0 if the journal numbers them
}

// recorded is an exchange of a call.
type recorded struct {
	journal.Record
	call     *call
	isChange bool // whether the call has changed something
	after    int  // how many changes came first, this one included
}

// attempt runs the calls: first those that read, as they see what there is.
func (s *Sandbox) attempt(calls []*call) *attempt {
	wall, current := time.Now(), s.state.Load()
	a := &attempt{base: current, result: current}
	if current.isJobDue(wall) {
		tx := s.begin(current, wall)
		tx.UndoWorld()
		a.change(tx)
	}
	for _, c := range calls {
		if c.view == nil {
			continue
		}
		if record, ok := c.invoke(func() (Draft, error) { return c.view(a.result.view(wall)) }); ok {
			a.record(c, record, false)
		}
	}
	for _, c := range calls {
		if c.update == nil {
			continue
		}
		tx := s.begin(a.result, wall)
		update := func() (Draft, error) {
			draft, err := c.update(tx)
			if next, changed := tx.result(); err == nil && draft == nil && changed {
				err = s.checkLimits(tx, next)
			}
			return draft, err
		}
		if record, ok := c.invoke(update); ok {
			a.record(c, record, a.change(tx))
		}
	}
	return a
}

// change adds a change, and reports whether it changes anything.
func (a *attempt) change(tx *Tx) bool {
	next, changed := tx.result()
	if changed {
		a.result, a.changes = next, append(a.changes, tx)
	}
	return changed
}

// record adds the exchange of a call, if there is one.
func (a *attempt) record(c *call, record journal.Record, isChange bool) {
	if record.Exchange != nil {
		a.exchanges = append(a.exchanges, recorded{record, c, isChange, len(a.changes)})
	}
}

// encodeBatch returns an attempt as the store keeps it.
func (s *Sandbox) encodeBatch(a *attempt) (Batch, error) {
	journal := a.result.generation.journal
	b := Batch{Present: a.result.present, Journal: a.result.generation.began, Keep: journal.Limit()}
	if len(a.changes) > 0 {
		newest := journal.Last() + uint64(len(a.exchanges))
		description, err := json.Marshal(newDescription(s, a.result, newest))
		if err != nil {
			return b, fmt.Errorf("%w: writing the description of the bank: %w", ErrNotStored, err)
		}
		last := a.changes[len(a.changes)-1]
		b.Change = &Change{
			Description: description, Rows: a.rows(),
			Scenario: last.resolved, Whole: last.isWorldReplaced, // such a change is alone
		}
	}
	if !s.registry.IsShared() {
		return b, nil
	}
	for _, x := range a.exchanges {
		x.Step.Version, x.Step.IsChange = a.versionOf(x), x.isChange
		data, err := x.Encode()
		if err != nil {
			return b, fmt.Errorf("%w: writing the exchange: %w", ErrNotStored, err)
		}
		b.Exchanges = append(b.Exchanges, data)
	}
	return b, nil
}

// versionOf returns the stored version whose world the exchange saw or made, or 0 if the exchange lies between two
// changes of a round: no stored version has that world.
func (a *attempt) versionOf(x recorded) int64 {
	base, all := a.base.version.Seq, len(a.changes)
	switch {
	case x.after == 0:
		return base
	case x.after == all && (all == 1 || !x.isChange):
		return base + 1
	}
	return 0
}

// rows returns the rows that the changes have put and removed, each once, as the last change leaves it.
func (a *attempt) rows() []Row {
	rows := ownRowsSince(a.base, a.result)
	type key struct {
		world      WorldID
		table, row string
	}
	places := map[key]int{}
	for _, tx := range a.changes {
		for _, row := range tx.rows() {
			k := key{row.World, row.Table, row.Key}
			if place, known := places[k]; known {
				rows[place] = row
				continue
			}
			places[k] = len(rows)
			rows = append(rows, row)
		}
	}
	return rows
}

// finish publishes a committed attempt: first the state, then the exchanges. It gives each call the id of its exchange.
func (s *Sandbox) finish(a *attempt) {
	in := a.result.generation.journal
	numbers := make([]uint64, len(a.exchanges))
	for i := range numbers {
		if numbers[i] = a.first + uint64(i); a.first == 0 {
			numbers[i] = in.Take() // before others see the change, and get numbers of their own
		}
	}
	if len(a.changes) > 0 {
		a.result.version = a.version
		s.installAfter(a.base, a.result)
	}
	for i, x := range a.exchanges {
		if a.first > 0 {
			x.call.id = in.Append(numbers[i], x.Record)
		} else {
			x.call.id = in.Complete(numbers[i], func() journal.Record { return x.Record })
		}
	}
}

// installAfter installs states that follow one another and the present state, unless that is another one by now: the
// sandbox was deleted or loaded.
func (s *Sandbox) installAfter(present *state, next ...*state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Load() != present {
		return
	}
	if s.registry.IsShared() {
		s.past.add(append([]*state{present}, next...))
	}
	s.install(next[len(next)-1])
}
