package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/batch"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Choices about commits.
const (
	// commitTimeout is how long a batch may take. A store that doesn't answer may take as long again to find out whether
	// it has committed.
	commitTimeout = 5 * time.Second
)

// NoExchanges is the number after which Follow returns no exchange.
const NoExchanges = math.MaxUint64

// call is a function that waits for its batch, and later its outcome. One of view and update is set.
type call struct {
	view      func(View) (*journal.Raw, error)
	update    func(*Tx) (*journal.Raw, error)
	isRefresh bool // whether the sandbox and its journal must be up to date first
	isAlone   bool // whether the call needs a batch to itself

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

// process serves the calls of a batch. Calls that need a commit to themselves split it.
func (s *Sandbox) process(b *batch.Batch[*call]) {
	calls := b.Items()
	for len(calls) > 0 {
		count := slices.IndexFunc(calls, func(c *call) bool { return c.isAlone })
		switch count {
		case -1:
			count = len(calls)
		case 0:
			count = 1
		}
		group := &group{calls: calls[:count]}
		if calls = calls[count:]; len(calls) == 0 && !group.calls[0].isAlone {
			group.batch = b
		}
		if err := s.serve(group); err != nil {
			for _, c := range group.calls {
				c.id, c.err = "", err
			}
		}
	}
}

// group is the calls of a commit. Until they run, others may join.
type group struct {
	calls []*call
	batch *batch.Batch[*call] // whose queue has the others, or nil
}

// mostlyChanges reports whether more than half of the calls may change the bank.
func (g *group) mostlyChanges() bool {
	changes := 0
	for _, c := range g.calls {
		if c.update != nil {
			changes++
		}
	}
	return 2*changes > len(g.calls)
}

// join takes the calls that wait into the group.
func (g *group) join() {
	if g.batch != nil {
		canJoin := func(c *call) bool { return !c.isAlone && !c.isRefresh }
		g.calls = append(slices.Clip(g.calls), g.batch.Join(canJoin)...)
	}
}

// serve runs calls and commits what comes of them, as often as others are faster. If it fails, no call has changed anything,
// unless the error is ErrUnsure.
func (s *Sandbox) serve(g *group) error {
	ctx, cancel := context.WithTimeout(s.in.ctx, commitTimeout)
	defer cancel()
	if s.state.Load().deleted {
		return ErrDeleted
	}
	if slices.ContainsFunc(g.calls, func(c *call) bool { return c.isRefresh }) {
		if err := s.followJournal(ctx); err != nil {
			return err
		}
	}
	for {
		commit := s.runAndCommit
		if s.isContended {
			commit = s.commitLocked
		}
		done, err := commit(ctx, s.in.store, g)
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

// commitLocked runs calls and commits what comes of them while others wait. So processes that all change one bank get on:
// most of what they ran without a lock would be for nothing. What has come while this process waited joins the calls.
func (s *Sandbox) commitLocked(ctx context.Context, st Store, g *group) (done *run, err error) {
	before := s.state.Load()
	if g.mostlyChanges() { // others do, too, so there is time to follow some of that before the lock
		if err := s.follow(ctx, st); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	err = st.Locked(ctx, s.name, s.state.Load().version, func(locked Store) (err error) {
		if err = s.follow(ctx, locked); err != nil {
			return err
		}
		s.isContended = s.state.Load() != before // others were here since the last batch
		g.join()
		done, err = s.runAndCommit(ctx, locked, g)
		return err
	})
	return done, s.in.health.noteUse(began, err)
}

// runAndCommit runs calls, and commits what comes of them if the bank is still at the version on which they ran.
func (s *Sandbox) runAndCommit(ctx context.Context, st Store, g *group) (*run, error) {
	r := s.run(g.calls)
	b, err := s.batchOf(r)
	if err != nil || b.Change == nil && len(b.Exchanges) == 0 {
		return r, err
	}
	began := time.Now()
	r.version, r.first, err = st.Commit(ctx, s.name, r.before.version, b)
	return r, s.in.health.noteCommit(began, err)
}

// run is what comes of running calls on the state that this process has.
type run struct {
	before, after *state
	changes       []*Tx // that led from one to the other
	exchanges     []recorded

	version Version // after the commit
	first   uint64  // number of the first exchange, or 0 if the journal numbers them
}

// recorded is an exchange of a call.
type recorded struct {
	*journal.Entry
	call     *call
	isChange bool // whether the call has changed something
	changes  int  // how many changes there were then, this one included
}

// run runs the calls: first those that read, as they see what there is.
func (s *Sandbox) run(calls []*call) *run {
	real, now := time.Now(), s.state.Load()
	r := &run{before: now, after: now}
	if now.world.Due(now.clock.Now(real)) {
		tx := s.begin(now, real)
		tx.UndoWorld()
		r.change(tx)
	}
	for _, c := range calls {
		if c.view != nil {
			c.run(func() (*journal.Raw, error) { return c.view(r.after.at(real)) }, func(raw *journal.Raw) {
				r.record(c, raw, false)
			})
		}
	}
	for _, c := range calls {
		if c.update != nil {
			tx := s.begin(r.after, real)
			c.run(func() (*journal.Raw, error) { return c.update(tx) }, func(raw *journal.Raw) {
				r.record(c, raw, r.change(tx))
			})
		}
	}
	return r
}

// run calls the function of the call, and add with what it returns if it succeeds. A panic is the outcome of this call
// alone.
func (c *call) run(fn func() (*journal.Raw, error), add func(*journal.Raw)) {
	c.id, c.err, c.panicked = "", nil, nil
	defer func() {
		if p := recover(); p != nil {
			c.panicked = &Panic{p, debug.Stack()}
		}
	}()
	raw, err := fn()
	if c.err = err; err == nil {
		add(raw)
	}
}

// change adds a change, and reports whether it changes anything.
func (r *run) change(tx *Tx) bool {
	next := tx.end()
	if next == r.after {
		return false
	}
	r.after, r.changes = next, append(r.changes, tx)
	return true
}

// record adds the exchange of a call, if there is one.
func (r *run) record(c *call, raw *journal.Raw, isChange bool) {
	if raw != nil {
		e := r.after.generation.journal.Entry(*raw)
		r.exchanges = append(r.exchanges, recorded{e, c, isChange, len(r.changes)})
	}
}

// batchOf returns what the store has to keep of a run.
func (s *Sandbox) batchOf(r *run) (Batch, error) {
	journal := r.after.generation.journal
	b := Batch{Present: r.after.present, Journal: r.after.generation.began, Keep: journal.Limit()}
	if len(r.changes) > 0 {
		newest := journal.Last() + uint64(len(r.exchanges))
		description, err := json.Marshal(newDescription(s, r.after, newest))
		if err != nil {
			return b, fmt.Errorf("%w: writing the description of the bank: %w", ErrNotStored, err)
		}
		b.Change = &Change{Description: description, Rows: r.rows()}
		for _, tx := range r.changes {
			b.Change.Whole = b.Change.Whole || tx.isReplaced()
			b.Change.Scenario = tx.resolved
		}
	}
	if !s.in.IsShared() {
		return b, nil
	}
	for _, x := range r.exchanges {
		x.Version, x.IsChange = r.versionOf(x), x.isChange
		data, err := x.Encode()
		if err != nil {
			return b, fmt.Errorf("%w: writing the exchange: %w", ErrNotStored, err)
		}
		b.Exchanges = append(b.Exchanges, data)
	}
	return b, nil
}

// versionOf returns the version at which an exchange has read, or to which it has led. It is 0 for a moment between the
// changes of a batch: this process alone knows the worlds of such a moment.
func (r *run) versionOf(x recorded) int64 {
	before, all := r.before.version.Seq, len(r.changes)
	switch {
	case x.changes == 0:
		return before
	case x.changes == all && (all == 1 || !x.isChange):
		return before + 1
	}
	return 0
}

// rows returns the rows that the changes have put and removed, each once, as the last change leaves it.
func (r *run) rows() []Row {
	rows := ownRowsSince(r.before, r.after)
	type key struct {
		world      WorldID
		table, row string
	}
	places := map[key]int{}
	for _, tx := range r.changes {
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

// finish shows what was committed, and gives the calls the ids of their exchanges.
func (s *Sandbox) finish(r *run) {
	last := r.after
	for i, x := range r.exchanges {
		if r.first == 0 {
			x.call.id = last.generation.journal.Append(x.Entry)
		} else {
			x.call.id = last.generation.journal.AppendAs(r.first+uint64(i), x.Entry)
		}
	}
	if len(r.changes) == 0 {
		return
	}
	last.version = r.version
	s.show(last)
}

// show shows a state that follows the present one.
func (s *Sandbox) show(next *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.state.Load(); !now.deleted {
		s.past.add(now, next)
		s.showLocked(next)
	}
}

// follow brings the sandbox to the version that the store has.
func (s *Sandbox) follow(ctx context.Context, st Store) error {
	return s.followAfter(ctx, st, NoExchanges)
}

// followJournal is follow with the journal.
func (s *Sandbox) followJournal(ctx context.Context) error {
	return s.followAfter(ctx, s.in.store, s.state.Load().generation.journal.Complete())
}

func (s *Sandbox) followAfter(ctx context.Context, st Store, after uint64) error {
	now := s.state.Load()
	if now.deleted {
		return ErrDeleted
	}
	began := time.Now()
	news, err := st.Follow(ctx, s.name, now.version, after)
	if err = s.in.health.noteUse(began, err); err != nil {
		return err
	}
	next := now
	for _, c := range news.Changes {
		next, err = next.apply(c)
		if err != nil {
			return fmt.Errorf("%w: following others: %w", ErrNotStored, err)
		}
		if next.version.Seq == news.Version.Seq {
			next.version = news.Version
		}
		s.show(next)
	}
	if after == NoExchanges {
		return nil
	}
	return s.fill(next, news.Exchanges, news.Last)
}

// fill adds exchanges of the store to the journal, with the worlds around them as far as this process knows them.
func (s *Sandbox) fill(now *state, exchanges []NumberedExchange, last uint64) error {
	entries := make([]*journal.Entry, 0, len(exchanges))
	for _, x := range exchanges {
		e, err := journal.Decode(x.Number, x.Data)
		if err != nil {
			return fmt.Errorf("%w: exchange %s: %w", ErrNotStored, strconv.FormatUint(x.Number, 10), err)
		}
		s.past.setWorlds(e)
		entries = append(entries, e)
	}
	now.generation.journal.Fill(entries, last)
	return nil
}
