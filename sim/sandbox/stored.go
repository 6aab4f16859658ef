package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// description is what a store keeps of a bank besides its rows. It is written with each change, so it is small. Times are
// real unless they say otherwise.
type description struct {
	Created     time.Time      `json:"created"`
	Expires     time.Time      `json:"expires,omitzero"`
	Generation  uint64         `json:"generation"`
	JournalFrom uint64         `json:"journalFrom"`        // the generation in which the journal began
	Exchanges   uint64         `json:"exchanges"`          // number of the newest one; a store with exchanges knows it better
	ClearedTo   uint64         `json:"clearedTo,omitzero"` // up to which number
	Changes     uint64         `json:"changes"`
	Present     WorldID        `json:"present"`
	World       sim.StoredMeta `json:"world"`
	Now         time.Time      `json:"now"` // virtual, at the time At
	At          time.Time      `json:"at"`
	Running     bool           `json:"running"`
	WereRemoved bool           `json:"wereFaultsRemoved,omitzero"`
	Start       storedStart    `json:"start"`
}

// storedStart is the start of a generation as a store keeps it.
type storedStart struct {
	startInfo
	Scenario string          `json:"scenario"` // its name
	Tag      string          `json:"tag"`
	File     string          `json:"file"`
	Version  string          `json:"version"`
	WorldID  WorldID         `json:"worldId,omitzero"` // of a fork
	World    *sim.StoredMeta `json:"world,omitzero"`   // of a fork
}

func newDescription(s *Sandbox, st *state, newest uint64) description {
	g, real := st.generation, time.Now()
	d := description{
		Created: s.created, Expires: s.expires, Generation: g.number, JournalFrom: g.began, Exchanges: newest,
		Changes: st.changes, Present: st.present, World: st.world.Meta(),
		Now: st.clock.Now(real), At: real, Running: st.clock.Running(), WereRemoved: st.faults.Removed(),
		Start: storedStart{
			startInfo: g.start.startInfo, Scenario: g.start.scenario.Name, Tag: g.start.scenario.Tag,
			File: g.start.scenario.File, Version: g.start.scenario.Version,
		},
	}
	d.ClearedTo = st.clearedTo
	if g.start.Origin != (Fork{}) {
		d.Start.WorldID, d.Start.World = g.start.world.id, &g.start.world.meta
	}
	return d
}

// info describes the bank as [Sandbox.Info] does.
func (d description) info(name string) Info {
	return Info{
		Name: name, Scenario: d.Start.Scenario, Seed: d.Start.Seed, Created: d.Created, Expires: d.Expires,
		LastReset: d.Start.Reset, Fork: d.Start.Origin,
	}
}

// The tables of a bank's own rows. A row of faultTable or startFaultTable is a fault.StoredRule.
const (
	faultTable      = "faults"
	startFaultTable = "startFaults" // to which a fork from around an exchange is reset
	snapshotTable   = "snapshots"
)

// storedSnapshot is a row of snapshotTable.
type storedSnapshot struct {
	WorldID WorldID        `json:"worldId"`
	World   sim.StoredMeta `json:"world"`
	Now     time.Time      `json:"now"` // virtual
	Taken   time.Time      `json:"taken"`
}

// ownRows returns all own rows of a state.
func ownRows(st *state) []Row {
	return ownRowsSince(&state{generation: &Generation{}, faults: fault.NewSet(nil, 0)}, st)
}

// ownRowsSince returns the own rows that a change from one state to another puts and removes.
func ownRowsSince(old, next *state) []Row {
	var rows []Row
	if next.faults != old.faults {
		rows = faultRows(faultTable, old.faults, next.faults)
	}
	if was, is := old.generation.start.faults, next.generation.start.faults; was != is {
		none := fault.NewSet(nil, 0)
		rows = append(rows, faultRows(startFaultTable, cmp.Or(was, none), cmp.Or(is, none))...)
	}
	for _, name := range slices.Sorted(maps.Keys(old.snapshots)) {
		if _, stays := next.snapshots[name]; !stays {
			rows = append(rows, removedRow(snapshotTable, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(next.snapshots)) {
		is := next.snapshots[name]
		if was, known := old.snapshots[name]; !known || !was.equal(is) {
			rows = append(rows, putRow(snapshotTable, name, storedSnapshot{is.world.id, is.world.meta, is.now, is.taken}))
		}
	}
	return rows
}

func faultRows(table string, old, next *fault.Set) []Row {
	put, removed := next.StoredSince(old)
	rows := make([]Row, 0, len(put)+len(removed))
	for _, name := range removed {
		rows = append(rows, removedRow(table, name))
	}
	for _, rule := range put {
		rows = append(rows, putRow(table, rule.Rule.Name, rule))
	}
	return rows
}

func putRow(table, key string, value any) Row {
	data, err := json.Marshal(value)
	if err != nil {
		panic("sandbox: a row of " + table + " that can't be written: " + err.Error())
	}
	return Row{World: OwnRows, StoredRow: sim.StoredRow{Table: table, Key: key, Value: data}}
}

func removedRow(table, key string) Row {
	return Row{World: OwnRows, StoredRow: sim.StoredRow{Table: table, Key: key, Removed: true}}
}

// ownChanges is what own rows say.
type ownChanges struct {
	faults, startFaults               []fault.StoredRule
	faultsRemoved, startFaultsRemoved []string
	snapshots                         map[string]snapshot // a removed one is the zero snapshot
}

func readOwnRows(rows []sim.StoredRow) (c ownChanges, err error) {
	c.snapshots = map[string]snapshot{}
	for _, row := range rows {
		switch row.Table {
		case faultTable:
			err = readFault(row, &c.faults, &c.faultsRemoved)
		case startFaultTable:
			err = readFault(row, &c.startFaults, &c.startFaultsRemoved)
		case snapshotTable:
			var stored storedSnapshot
			if !row.Removed {
				err = json.Unmarshal(row.Value, &stored)
			}
			c.snapshots[row.Key] = snapshot{
				world: &storedWorld{id: stored.WorldID, meta: stored.World}, now: stored.Now, taken: stored.Taken,
			}
		default:
			err = errors.New("a newer version of banksim has written it")
		}
		if err != nil {
			return c, fmt.Errorf("row %q of table %q: %w", row.Key, row.Table, err)
		}
	}
	return c, nil
}

func readFault(row sim.StoredRow, put *[]fault.StoredRule, removed *[]string) error {
	if row.Removed {
		*removed = append(*removed, row.Key)
		return nil
	}
	var rule fault.StoredRule
	err := json.Unmarshal(row.Value, &rule)
	*put = append(*put, rule)
	return err
}

// apply returns the state after a change of another process. It fails with ErrTooOld if the change replaced a world.
func (st *state) apply(c Change) (*state, error) {
	var d description
	if err := json.Unmarshal(c.Description, &d); err != nil {
		return nil, err
	}
	if c.Whole || d.Present != st.present || d.Generation != st.generation.number {
		return nil, ErrTooOld
	}
	var own, rows []sim.StoredRow
	for _, row := range c.Rows {
		if row.World == OwnRows {
			own = append(own, row.StoredRow)
		} else {
			rows = append(rows, row.StoredRow)
		}
	}
	next := *st
	next.version.Seq++
	next.world = st.world.Fork()
	if err := next.world.Apply(d.World, slices.Values(rows)); err != nil {
		return nil, err
	}
	changes, err := readOwnRows(own)
	if err != nil {
		return nil, err
	}
	next.faults = st.faults.Apply(changes.faults, changes.faultsRemoved, d.WereRemoved)
	if len(changes.snapshots) > 0 {
		next.snapshots = maps.Clone(st.snapshots)
		for name, s := range changes.snapshots {
			if next.snapshots[name] = s; s.taken.IsZero() {
				delete(next.snapshots, name)
			}
		}
	}
	next.clock = sim.NewClock(d.Now, d.Running, d.At)
	next.changes = d.Changes
	next.clearedTo = d.ClearedTo
	return &next, nil
}

// restored returns the state of a bank as a store has it. The state that this process had before, or nil, lends the bank its
// journal if it is still the same one. A scenario is known that may be the one from which the bank starts.
func (s *Sandbox) restored(b Bank, old *state, known *scenario.Scenario) (*state, error) {
	var d description
	if err := json.Unmarshal(b.Description, &d); err != nil {
		return nil, fmt.Errorf("its description: %w", err)
	}
	own, err := readOwnRows(b.Worlds[OwnRows])
	if err != nil {
		return nil, err
	}
	at, err := d.Start.load(b, own.startFaults, known)
	if err != nil {
		return nil, err
	}
	if len(b.Worlds[d.Present]) == 0 { // each world has an institution
		return nil, errors.New("its rows are missing")
	}
	behavior := *at.scenario.World.Behavior()
	world, err := sim.RestoreWorld(d.World, behavior, slices.Values(b.Worlds[d.Present]))
	if err != nil {
		return nil, err
	}
	g := &Generation{number: d.Generation, began: d.JournalFrom, start: at}
	switch {
	case old == nil || old.generation.began != g.began:
		g.journal = s.in.newJournal()
		g.journal.StartAt(b.beforeFirst(s.newest(b, d)), s.newest(b, d), d.ClearedTo, d.ClearedTo)
	default:
		g.journal = old.generation.journal
	}
	if old != nil && old.generation.number == g.number {
		g = old.generation // what is under way belongs to it
	}
	st := &state{
		generation: g, world: world, clock: sim.NewClock(d.Now, d.Running, d.At),
		faults:    fault.RestoreSet(own.faults, d.WereRemoved, at.Seed),
		snapshots: own.snapshots, changes: d.Changes, version: b.Version, present: d.Present,
		clearedTo: d.ClearedTo,
	}
	return st, s.fill(st, b.Exchanges, s.newest(b, d))
}

// beforeFirst returns the number before the first exchange of a bank, given the newest number.
func (b Bank) beforeFirst(newest uint64) uint64 {
	if len(b.Exchanges) == 0 {
		return newest
	}
	return b.Exchanges[0].Number - 1
}

// newest returns the number of the newest exchange of a stored bank.
func (s *Sandbox) newest(b Bank, d description) uint64 {
	if s.in.IsShared() {
		return b.Last
	}
	return d.Exchanges
}

// load returns the start of a generation as a store has it. A scenario that is known isn't read again.
func (stored storedStart) load(b Bank, faults []fault.StoredRule, known *scenario.Scenario) (at start, err error) {
	sc := known
	if known.Version != stored.Version || known.File != stored.File {
		if sc, err = scenario.Stored(stored.File, stored.Version, b.Scenario); err != nil {
			return at, fmt.Errorf("its scenario: %w", err)
		}
	}
	at = fromScenario(sc, stored.Given, &stored.Seed, stored.Now)
	at.startInfo = stored.startInfo
	if stored.World != nil {
		at.world = &storedWorld{id: stored.WorldID, meta: *stored.World}
	}
	if len(faults) > 0 || at.HasFaults {
		at.faults = fault.RestoreSet(faults, false, at.Seed)
	}
	return at, nil
}
