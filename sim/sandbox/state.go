package sandbox

import (
	"maps"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// state is all of a sandbox at one version. It never changes: a change installs another one.
type state struct {
	generation *Generation
	world      *sim.World // never written to
	clock      sim.Clock
	faults     *fault.Set
	changes    uint64 // of the world, since the creation of the sandbox
	deleted    bool
	version    Version // in the store
	settings
}

// settings is what a change may set beside the world, the clock and the faults.
type settings struct {
	snapshots map[string]snapshot
	present   WorldID   // of the world in the store
	clearedTo uint64    // the number up to which exchanges were cleared from the journal
	expires   time.Time // real, or the zero time if the sandbox stays
	schedule  schedule
	tied      bool // whether a fork ends with the sandbox that it was made from
}

// equal reports whether settings show no difference. What is tied changes with the time to live, and a world with its
// rows.
func (s settings) equal(other settings) bool {
	return s.clearedTo == other.clearedTo && s.expires.Equal(other.expires) && s.schedule == other.schedule &&
		maps.EqualFunc(s.snapshots, other.snapshots, snapshot.equal)
}

// View is a sandbox at one moment.
type View struct {
	World      *sim.World    // read-only
	Now        time.Time     // virtual
	Wall       time.Time     // real
	Since      time.Duration // virtual, from the start of the sandbox
	Running    bool          // whether the virtual clock runs
	Faults     *fault.Set
	Generation *Generation
	Journal    *journal.Journal
	Scenario   *scenario.Scenario // from which the sandbox, or the one that it was forked from, starts

	state *state
}

// view returns the view of the state at a real time.
func (st *state) view(wall time.Time) View {
	from, now := st.generation.start, st.clock.Now(wall)
	return View{
		World: st.world, Now: now, Wall: wall, Since: now.Sub(from.Now) + from.Since, Running: st.clock.Running(),
		Faults: st.faults, Generation: st.generation, Journal: st.generation.journal, Scenario: from.scenario,
		state: st,
	}
}

// CanInject reports whether a fault of this generation could have given an operation this status: a rule, present or
// removed, or the fault header of the request if the scenario allows that.
func (v View) CanInject(operation string, status int) bool {
	return v.World.Behavior().FaultHeader || v.Faults.Gives(operation, status)
}

// Seed returns the seed of the random source at the start of the sandbox.
func (v View) Seed() uint64 { return v.Generation.start.Seed }

// Changes returns how many changes the world has seen since the creation of the sandbox.
func (v View) Changes() uint64 { return v.state.changes }

// Bank returns the sandbox as it can be saved as a scenario.
func (v View) Bank() scenario.Bank {
	from := v.Generation.start
	return scenario.Bank{
		World: v.World, Now: v.Now, Since: v.Since, Running: v.Running, Seed: from.Seed, Drawn: from.isDrawn(),
		Faults: v.Faults.Counts(), From: from.scenario,
	}
}

// Snapshots describes the snapshots, sorted by name.
func (v View) Snapshots() []SnapshotInfo {
	var infos []SnapshotInfo
	for _, name := range slices.Sorted(maps.Keys(v.state.snapshots)) {
		taken := v.state.snapshots[name]
		infos = append(infos, SnapshotInfo{name, taken.now, taken.taken})
	}
	return infos
}

// Tx is a change of a sandbox that is under way. The function of Update may write to World, and assign to Clock and
// Faults.
type Tx struct {
	View
	Before *sim.World // World before the change; read-only
	Clock  sim.Clock

	from *state
	settings
	resolved        []byte // the new scenario in YAML, or nil if it stays
	isWorldReplaced bool   // whether World has no rows of Before any more

	endedJobs []sim.StoredRow        // rows that the end of jobs has changed, before the function ran
	written   func() []sim.StoredRow // the rows that were written to World since
}

// begin begins a change of a state at a real time. First it ends the jobs that are due, so that the result depends on
// the clock alone.
func (s *Sandbox) begin(from *state, wall time.Time) *Tx {
	tx := &Tx{
		View: from.view(wall), Before: from.world, Clock: from.clock, from: from, settings: from.settings,
	}
	if from.isJobDue(wall) {
		tx.Before = from.world.Fork()
		ended := s.tracked(tx.Before)
		tx.Before.EndJobs(tx.Now)
		tx.endedJobs = ended()
	}
	tx.World = tx.Before.Fork()
	tx.World.LimitBytes(max(1, tx.World.Bytes()+int(s.kept.Left())))
	tx.written = s.tracked(tx.World)
	return tx
}

// isJobDue reports whether a job has ended by a real time, and is not ended in the world.
func (st *state) isJobDue(wall time.Time) bool { return st.world.Due(st.clock.Now(wall)) }

// tracked returns a function that returns the rows that are written to a world from now on, if a store needs them.
func (s *Sandbox) tracked(w *sim.World) func() []sim.StoredRow {
	if s.registry.store == nil {
		return func() []sim.StoredRow { return nil }
	}
	return w.Track()
}

// UndoWorld gives up all that was written to World.
func (tx *Tx) UndoWorld() { tx.World = tx.Before }

// setWorld replaces World by another one that is staged under an id.
func (tx *Tx) setWorld(w *sim.World, id WorldID) {
	tx.World, tx.present, tx.isWorldReplaced = w.Fork(), id, true
	tx.World.Replace(tx.Before)
}

// result returns the state after the change, and whether anything has changed.
func (tx *Tx) result() (next *state, changed bool) {
	next = new(state)
	*next = *tx.from
	next.clock, next.faults, next.generation = tx.Clock, tx.Faults, tx.Generation
	next.settings = tx.settings
	isWritten := !tx.World.IsUnchangedSince(tx.Before)
	next.world = tx.Before
	if isWritten {
		next.world = tx.World
	}
	if isWritten && !tx.isWorldReplaced {
		next.changes++
	}
	changed = isWritten || tx.isWorldReplaced || tx.Before != tx.from.world ||
		tx.Clock != tx.from.clock || tx.Faults != tx.from.faults || !tx.settings.equal(tx.from.settings)
	return next, changed
}

// rows returns the rows of the present world that the change has put and removed. After setWorld there are no such
// rows.
func (tx *Tx) rows() []Row {
	if tx.isWorldReplaced {
		return nil
	}
	written := tx.endedJobs
	if tx.World != tx.Before {
		written = append(written, tx.written()...)
	}
	rows := make([]Row, len(written))
	for i, row := range written {
		rows[i] = Row{World: tx.present, StoredRow: row}
	}
	return rows
}
