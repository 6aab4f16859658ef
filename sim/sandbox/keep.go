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
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// kept is what a store keeps of a sandbox besides its rows, in JSON.
type kept struct {
	Created     time.Time               `json:"created"` // real, as are all times unless they say otherwise
	Expires     time.Time               `json:"expires,omitzero"`
	Generations uint64                  `json:"generations"`
	Changes     uint64                  `json:"changes"` // of the world, since its creation
	Exchanges   uint64                  `json:"exchanges"`
	Cleared     uint64                  `json:"cleared,omitzero"` // exchanges
	ClearedTo   uint64                  `json:"clearedTo,omitzero"`
	JournalIn   uint64                  `json:"journalIn"` // the generation in which the journal began
	Start       keptStart               `json:"start"`
	World       sim.StoredMeta          `json:"world"`
	Now         time.Time               `json:"now"` // virtual, at the real time of At
	At          time.Time               `json:"at"`
	Running     bool                    `json:"running"`
	Faults      fault.Stored            `json:"faults"`
	Snapshots   map[string]keptSnapshot `json:"snapshots,omitzero"`
}

type keptStart struct {
	startInfo
	File    string          `json:"file"` // of the scenario, in messages
	Version string          `json:"version"`
	World   *sim.StoredMeta `json:"world,omitzero"`  // of a fork
	Faults  *fault.Stored   `json:"faults,omitzero"` // of a fork from around an exchange
}

type keptSnapshot struct {
	World sim.StoredMeta `json:"world"`
	Now   time.Time      `json:"now"` // virtual
	Taken time.Time      `json:"taken"`
}

// The names of worlds in a store, besides the present one.
const startWorld = "start" // of a fork

func snapshotWorld(name string) string { return "snapshot " + name }

// commitLocked has the store keep a state and other changes, or the turn that is under way commit them at its end. Without a store it
// does nothing.
func (s *Sandbox) commitLocked(st *state, c StoredChanges) (err error) {
	switch {
	case s.in.store == nil:
		return nil
	case st.deleted: // it must not come back
		return ErrDeleted
	}
	if c.Meta, err = s.metaLocked(st); err != nil {
		return err
	}
	if !s.IsShared() {
		return s.in.store.noted(time.Now(), s.in.store.own.Commit(s.name, c))
	}
	if t := s.turn.Load(); t != nil {
		c.Newest = st.generation.journal.Last()
		return t.add(c)
	}
	return ErrNotStored
}

// metaLocked returns what a store keeps of a state besides its rows.
func (s *Sandbox) metaLocked(st *state) ([]byte, error) {
	at, real := st.generation.start, time.Now()
	k := kept{
		Created: s.created, Expires: s.expires, Generations: st.generation.number, Changes: st.changes,
		Exchanges: st.generation.journal.Last(), JournalIn: st.generation.began,
		World: st.world.Meta(), Now: st.clock.Now(real), At: real, Running: st.clock.Running(),
		Faults: st.generation.faults.Stored(), Snapshots: map[string]keptSnapshot{},
		Start: keptStart{startInfo: at.startInfo, File: at.scenario.File, Version: at.scenario.Version},
	}
	if s.IsShared() {
		k.Cleared, k.ClearedTo = st.generation.journal.Cleared()
	}
	if at.Origin != (Fork{}) {
		meta := at.world.Meta()
		k.Start.World = &meta
	}
	if at.faults != nil {
		faults := at.faults.NewSet(at.Seed).Stored()
		k.Start.Faults = &faults
	}
	for name, snapshot := range st.snapshots {
		k.Snapshots[name] = keptSnapshot{snapshot.world.Meta(), snapshot.now, snapshot.taken}
	}
	meta, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("%w: writing its description: %w", ErrNotStored, err)
	}
	return meta, nil
}

// commitGenerationLocked has the store keep a generation that begins. The first one creates the sandbox there, and fails with ErrTaken
// where another process has given a sandbox its name.
func (s *Sandbox) commitGenerationLocked(st *state) (err error) {
	if s.in.store == nil {
		return nil
	}
	g := st.generation
	c := StoredChanges{
		Worlds:   map[string][]sim.StoredRow{PresentWorld: s.rows(st.world), startWorld: nil},
		Restarts: g.began == g.number,
	}
	if g.start.Origin != (Fork{}) {
		c.Worlds[startWorld] = s.rows(g.start.world)
	}
	if c.Start, err = g.start.scenario.Resolved(); err != nil {
		return fmt.Errorf("%w: its scenario: %w", ErrNotStored, err)
	}
	if g.number > 1 || !s.IsShared() {
		return s.commitLocked(st, c)
	}
	if c.Meta, err = s.metaLocked(st); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), worldTimeout)
	defer cancel()
	began := time.Now()
	s.version, err = s.in.store.shared.Create(ctx, s.name, c)
	return s.in.store.noted(began, err)
}

// deleteStored has the store delete the sandbox. Who has a shared one deleted has taken it.
func (s *Sandbox) deleteStored() error {
	switch {
	case s.in.store == nil:
		return nil
	case !s.IsShared():
		return s.in.store.noted(time.Time{}, s.in.store.own.Delete(s.name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), worldTimeout)
	defer cancel()
	t := s.turn.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.Delete(ctx)
	t.over = err == nil // else those who wait for the commit learn that it fails
	return s.in.store.noted(time.Time{}, err)
}

// keeper is the store of a registry, with what its commits came to.
type keeper struct {
	own    Store       // nil: it is a shared one
	shared SharedStore // nil: it is a store of this process alone
	place  string

	mu     sync.Mutex
	counts StoreCounts
}

// isShared reports whether there is a store, and other processes use it, too.
func (k *keeper) isShared() bool { return k != nil && k.shared != nil }

// StoreCounts is what the commits of a store came to.
type StoreCounts struct {
	Commits, Failures, Conflicts uint64
	Spent                        time.Duration // in all of them
	Problem                      error         // of the last use; nil: none
}

// noted notes the outcome of a use of the store, and of a commit if it has a beginning, and returns it as an error of this package.
func (k *keeper) noted(began time.Time, err error) error {
	if errors.Is(err, ErrDeleted) || errors.Is(err, ErrTaken) || errors.Is(err, ErrNoSandbox) { // it did its work
		return err
	}
	if err != nil && !errors.Is(err, ErrUnsure) {
		err = fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts.Problem = err
	if !began.IsZero() {
		k.counts.Commits++
		k.counts.Spent += time.Since(began)
	}
	if err != nil {
		k.counts.Failures++
	}
	return err
}

// StoreCounts returns what the commits of the store came to; zero: there is none.
func (r *Registry) StoreCounts() StoreCounts {
	if r.store == nil {
		return StoreCounts{}
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	counts := r.store.counts
	if r.store.shared != nil {
		counts.Conflicts = r.store.shared.Conflicts()
	}
	return counts
}

// CommitCounts has the store keep how often the faults have fired.
func (s *Sandbox) CommitCounts() error {
	if s.in.store == nil {
		return nil
	}
	err := s.alone(func() error { return s.commitLocked(s.state.Load(), StoredChanges{}) })
	if errors.Is(err, ErrDeleted) {
		return nil
	}
	return err
}

// ChangeFaults calls a function that changes the rules of the present generation, with no other writer. If it fails, nothing has
// changed. It fails with ErrNotStored, too.
func (s *Sandbox) ChangeFaults(fn func(*fault.Set) error) error {
	return s.exclusively(func() error {
		st := s.state.Load()
		past := st.generation.faults.Past()
		if err := fn(st.generation.faults); err != nil {
			return err
		}
		err := s.commitLocked(st, StoredChanges{})
		if err != nil {
			st.generation.faults.Return(past)
		}
		return err
	})
}

// tracked returns a function that returns the rows that are written to a world from now on.
func (s *Sandbox) tracked(w *sim.World) func() []sim.StoredRow {
	if s.in.store == nil {
		return func() []sim.StoredRow { return nil }
	}
	return w.Track()
}

// rows returns all rows of a world for the store, never nil if there is one.
func (s *Sandbox) rows(w *sim.World) []sim.StoredRow {
	if s.in.store == nil {
		return nil
	}
	return slices.AppendSeq([]sim.StoredRow{}, w.Rows())
}

// Open has a store keep the sandboxes from now on, and takes those that it keeps already: they go on from where they were. It comes
// before anybody else uses the registry. It returns whether the store has kept the default sandbox.
func (r *Registry) Open(st Store) (kept bool, err error) {
	r.store = &keeper{own: st, place: st.Place()}
	return r.open(st.Banks)
}

// Share is Open for a store that other processes use, too.
func (r *Registry) Share(st SharedStore) (kept bool, err error) {
	r.store = &keeper{shared: st, place: st.Place()}
	kept, err = r.open(st.Banks)
	if errors.Is(err, ErrTaken) { // another process has created the default bank meanwhile
		kept, err = r.open(st.Banks)
	}
	return kept, err
}

func (r *Registry) open(read func() ([]StoredBank, error)) (kept bool, err error) {
	banks, err := read()
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range banks {
		s, err := r.restoreLocked(b)
		if err != nil {
			return false, fmt.Errorf("the bank %s of %s: %w", b.Name, r.store.place, err)
		}
		if b.Name == Default {
			_ = r.standard.end(false) // it is in no store
			r.standard, kept = s, true
		}
	}
	if kept {
		return true, nil
	}
	return false, r.standard.commitGenerationLocked(r.standard.state.Load())
}

// restoreLocked returns a sandbox as a store has kept it. One that has expired meanwhile is deleted.
func (r *Registry) restoreLocked(b StoredBank) (*Sandbox, error) {
	var k kept
	if err := json.Unmarshal(b.Meta, &k); err != nil {
		return nil, err
	}
	s := r.emptySandbox(b.Name, k.Created)
	s.expires, s.version = k.Expires, b.Version
	if err := s.loadLocked(b, r.origin.Scenario); err != nil {
		return nil, err
	}
	r.putLocked(s)
	return s, nil
}

// loadLocked replaces all of the sandbox by what a store has kept. A scenario is known that may be the one from which it started.
func (s *Sandbox) loadLocked(b StoredBank, known *scenario.Scenario) error {
	var k kept
	if err := json.Unmarshal(b.Meta, &k); err != nil {
		return err
	}
	old := s.state.Load()
	at, err := k.Start.load(b, known)
	if err != nil {
		return err
	}
	behavior := *at.scenario.World.Behavior()
	snapshots := map[string]snapshot{}
	for name, info := range k.Snapshots {
		world, err := sim.RestoreWorld(info.World, behavior, slices.Values(b.Worlds[snapshotWorld(name)]))
		if err != nil {
			return fmt.Errorf("its snapshot %s: %w", name, err)
		}
		snapshots[name] = snapshot{world: world, now: info.Now, taken: info.Taken}
	}
	world, err := sim.RestoreWorld(k.World, behavior, slices.Values(b.Worlds[PresentWorld]))
	if err != nil {
		return err
	}
	var exchanges []*journal.Entry
	for _, r := range b.Journal {
		k.Exchanges = max(k.Exchanges, r.Number)
		if r.Exchange == nil || r.Number <= k.ClearedTo {
			continue
		}
		e, err := journal.Decode(r.Exchange)
		if err != nil {
			return err
		}
		exchanges = append(exchanges, e)
	}
	g := &Generation{number: k.Generations, began: k.JournalIn, start: at}
	switch {
	case old == nil:
		g.journal = s.in.cfg.newJournal()
	case old.generation.began != k.JournalIn:
		old.generation.journal.Close()
		g.journal = s.in.cfg.newJournal()
	case old.generation.number == k.Generations: // exchanges that are under way belong to it
		g = old.generation
	default:
		g.journal = old.generation.journal
	}
	if g.faults == nil {
		g.faults = fault.NewSet(nil, at.Seed)
	}
	g.faults.Restore(k.Faults)
	g.journal.Refill(exchanges, k.Exchanges, k.Cleared, k.ClearedTo)
	s.showLocked(old, &state{
		generation: g, world: world, clock: sim.NewClock(k.Now, k.Running, k.At), changes: k.Changes, snapshots: snapshots,
	})
	return nil
}

// load returns the start of a generation as a store has kept it. Where its scenario is one that is known, it isn't read again.
func (k keptStart) load(b StoredBank, known *scenario.Scenario) (at start, err error) {
	sc := known
	if known.Version != k.Version || known.File != k.File {
		if sc, err = scenario.Stored(k.File, k.Version, b.Start); err != nil {
			return at, fmt.Errorf("its scenario: %w", err)
		}
	}
	at = fromScenario(sc, k.Given, &k.Seed, k.Now)
	at.startInfo = k.startInfo
	if k.World != nil {
		at.world, err = sim.RestoreWorld(*k.World, *at.scenario.World.Behavior(), slices.Values(b.Worlds[startWorld]))
		if err != nil {
			return at, err
		}
	}
	if k.Faults != nil {
		at.faults = k.Faults.Past()
	}
	return at, nil
}
