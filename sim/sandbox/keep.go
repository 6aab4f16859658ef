package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// kept is what a store keeps of a sandbox besides its rows, in JSON.
type kept struct {
	Created     time.Time               `json:"created"` // real, as are all times unless they say otherwise
	Expires     time.Time               `json:"expires,omitzero"`
	Generations uint64                  `json:"generations"`
	Changes     uint64                  `json:"changes"` // of the world, since its creation
	Exchanges   uint64                  `json:"exchanges"`
	Start       keptStart               `json:"start"`
	World       sim.StoredMeta          `json:"world"`
	Now         time.Time               `json:"now"` // virtual, at the real time of At
	At          time.Time               `json:"at"`
	Running     bool                    `json:"running"`
	Faults      fault.Stored            `json:"faults"`
	Snapshots   map[string]keptSnapshot `json:"snapshots,omitzero"`
}

type keptStart struct {
	File     string          `json:"file"` // of the scenario, in messages
	Version  string          `json:"version"`
	Given    *uint64         `json:"given,omitzero"`
	Fallback *uint64         `json:"fallback,omitzero"`
	Follows  bool            `json:"follows,omitzero"`
	Seed     uint64          `json:"seed"`
	Now      time.Time       `json:"now"` // virtual
	Running  bool            `json:"running"`
	Reset    Reset           `json:"reset,omitzero"`
	Origin   Fork            `json:"origin,omitzero"`
	Since    time.Duration   `json:"since,omitzero"`
	World    *sim.StoredMeta `json:"world,omitzero"`  // of a fork
	Faults   *fault.Stored   `json:"faults,omitzero"` // of a fork from around an exchange
}

type keptSnapshot struct {
	World sim.StoredMeta `json:"world"`
	Now   time.Time      `json:"now"` // virtual
	Taken time.Time      `json:"taken"`
}

// The names of worlds in a store, besides the present one.
const startWorld = "start" // of a fork

func snapshotWorld(name string) string { return "snapshot " + name }

// commitLocked has the store keep a state and other changes. Without a store it does nothing.
func (s *Sandbox) commitLocked(st *state, c StoredChanges) error {
	switch {
	case s.store == nil:
		return nil
	case st.deleted: // it must not come back
		return ErrDeleted
	}
	at, real := st.generation.start, s.real()
	k := kept{
		Created: s.created, Expires: s.expires, Generations: st.generation.number, Changes: s.changes,
		Exchanges: st.generation.journal.Last(), World: st.world.Meta(), Now: st.clock.Now(real), At: real, Running: st.clock.Running(),
		Faults: st.generation.faults.Stored(), Snapshots: map[string]keptSnapshot{},
		Start: keptStart{
			File: at.scenario.File, Version: at.scenario.Version, Given: at.given, Fallback: at.fallback, Follows: at.follows,
			Seed: at.seed, Now: at.now, Running: at.running, Reset: at.reset, Origin: at.origin, Since: at.since,
		},
	}
	if at.origin != (Fork{}) {
		meta := at.world.Meta()
		k.Start.World = &meta
	}
	if at.faults != nil {
		faults := at.faults.NewSet(at.seed).Stored()
		k.Start.Faults = &faults
	}
	for name, snapshot := range s.snapshots {
		k.Snapshots[name] = keptSnapshot{snapshot.world.Meta(), snapshot.now, snapshot.taken}
	}
	var err error
	if c.Meta, err = json.Marshal(k); err != nil {
		return fmt.Errorf("%w: writing its description: %w", ErrNotStored, err)
	}
	return s.store.commit(s.name, c)
}

// commitGenerationLocked has the store keep a generation that begins.
func (s *Sandbox) commitGenerationLocked(st *state) error {
	if s.store == nil {
		return nil
	}
	at := st.generation.start
	source, err := at.scenario.Resolved()
	if err != nil {
		return fmt.Errorf("%w: its scenario: %w", ErrNotStored, err)
	}
	worlds := map[string][]sim.StoredRow{PresentWorld: allRows(st.world), startWorld: nil}
	if at.origin != (Fork{}) {
		worlds[startWorld] = allRows(at.world)
	}
	return s.commitLocked(st, StoredChanges{Start: source, Worlds: worlds})
}

// keeper is the store of a registry, with what its commits came to.
type keeper struct {
	Store

	mu     sync.Mutex
	counts StoreCounts
}

// StoreCounts is what the commits of a store came to.
type StoreCounts struct {
	Commits, Failures uint64
	Spent             time.Duration // in all of them
	Problem           error         // of the last one; nil: none
}

func (k *keeper) commit(name string, c StoredChanges) error {
	began := time.Now()
	err := k.Commit(name, c)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts.Commits++
	k.counts.Spent += time.Since(began)
	k.counts.Problem = err
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
	return r.store.counts
}

// commitSnapshotLocked has the store keep the world of a snapshot, or delete it where that is nil.
func (s *Sandbox) commitSnapshotLocked(st *state, name string, w *sim.World) error {
	worlds := map[string][]sim.StoredRow{snapshotWorld(name): nil}
	if s.store != nil && w != nil {
		worlds[snapshotWorld(name)] = allRows(w)
	}
	return s.commitLocked(st, StoredChanges{Worlds: worlds})
}

// commitWorldLocked has the store keep a world that takes the place of another one.
func (s *Sandbox) commitWorldLocked(st *state) error {
	if s.store == nil {
		return nil
	}
	return s.commitLocked(st, StoredChanges{Worlds: map[string][]sim.StoredRow{PresentWorld: allRows(st.world)}})
}

// CommitCounts has the store keep how often the faults have fired.
func (s *Sandbox) CommitCounts() error {
	if s.store == nil {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.commitLocked(s.state.Load(), StoredChanges{}); !errors.Is(err, ErrDeleted) {
		return err
	}
	return nil
}

// ChangeFaults calls a function that changes the rules of the present generation, with no other writer. If it fails, nothing has
// changed. It fails with ErrNotStored, too.
func (s *Sandbox) ChangeFaults(fn func(*fault.Set) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
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
}

// tracked returns a function that returns the rows that are written to a world from now on.
func (s *Sandbox) tracked(w *sim.World) func() []sim.StoredRow {
	if s.store == nil {
		return func() []sim.StoredRow { return nil }
	}
	return w.Track()
}

// allRows returns all rows of a world, never nil.
func allRows(w *sim.World) []sim.StoredRow { return slices.AppendSeq([]sim.StoredRow{}, w.Rows()) }

// Open has a store keep the sandboxes from now on, and takes those that it keeps already: they go on from where they were. It comes
// before anybody else uses the registry. It returns whether the store has kept the default sandbox.
func (r *Registry) Open(st Store) (kept bool, err error) {
	banks, err := st.Banks()
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.store = &keeper{Store: st}
	for _, b := range banks {
		s, err := r.restored(b)
		if err != nil {
			return false, fmt.Errorf("the bank %s of %s: %w", b.Name, st.Place(), err)
		}
		switch {
		case b.Name == Default:
			_ = r.standard.end(false) // it is in no store
			r.standard, kept = s, true
		case !s.expires.IsZero() && !s.expires.After(r.real()):
			if err := s.end(true); err != nil {
				return false, err
			}
			continue
		}
		r.sandboxes[b.Name] = s
		r.expireLocked(s)
	}
	r.standard.store = r.store
	if kept {
		return true, nil
	}
	return false, r.standard.commitGenerationLocked(r.standard.state.Load())
}

// restored returns a sandbox as a store has kept it.
func (r *Registry) restored(b StoredBank) (*Sandbox, error) {
	var k kept
	if err := json.Unmarshal(b.Meta, &k); err != nil {
		return nil, err
	}
	sc, err := scenario.Stored(k.Start.File, k.Start.Version, b.Start)
	if err != nil {
		return nil, fmt.Errorf("its scenario: %w", err)
	}
	at := fromScenario(sc, k.Start.Given, &k.Start.Seed, k.Start.Now)
	at.fallback, at.follows, at.seed, at.now, at.running = k.Start.Fallback, k.Start.Follows, k.Start.Seed, k.Start.Now, k.Start.Running
	at.reset, at.origin, at.since = k.Start.Reset, k.Start.Origin, k.Start.Since
	behavior := *sc.World.Behavior()
	if k.Start.World != nil {
		if at.world, err = sim.RestoreWorld(*k.Start.World, behavior, slices.Values(b.Worlds[startWorld])); err != nil {
			return nil, err
		}
	}
	if k.Start.Faults != nil {
		at.faults = k.Start.Faults.NewSet(at.seed).Past()
	}
	s := r.emptySandbox(b.Name, k.Created)
	s.expires, s.changes, s.began = k.Expires, k.Changes, k.Generations
	for name, info := range k.Snapshots {
		world, err := sim.RestoreWorld(info.World, behavior, slices.Values(b.Worlds[snapshotWorld(name)]))
		if err != nil {
			return nil, fmt.Errorf("its snapshot %s: %w", name, err)
		}
		s.snapshots[name] = snapshot{world: world, now: info.Now, taken: info.Taken}
	}
	world, err := sim.RestoreWorld(k.World, behavior, slices.Values(b.Worlds[PresentWorld]))
	if err != nil {
		return nil, err
	}
	j := r.newJournal()
	j.Resume(k.Exchanges)
	st := &state{
		generation: &Generation{number: k.Generations, start: at, faults: k.Faults.NewSet(at.seed), journal: j},
		world:      world,
		clock:      sim.NewClock(k.Now, k.Running, k.At),
	}
	s.added.count.Add(st.added())
	s.state.Store(st)
	return s, nil
}
