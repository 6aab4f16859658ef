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

// description is the JSON of a bank without its rows. It is written with each change, so it is small. Times are real
// unless they say otherwise.
type description struct {
	Created     time.Time      `json:"created"`
	Expires     time.Time      `json:"expires,omitzero"`
	Tied        bool           `json:"tied,omitzero"`
	Schedule    schedule       `json:"schedule,omitzero"`
	Generation  uint64         `json:"generation"`
	JournalFrom uint64         `json:"journalFrom"`        // the generation in which the journal began
	Exchanges   uint64         `json:"exchanges"`          // number of one of the newest, unless the store numbers them
	ClearedTo   uint64         `json:"clearedTo,omitzero"` // up to which number
	Changes     uint64         `json:"changes"`
	Present     WorldID        `json:"present"`
	World       sim.StoredMeta `json:"world"`
	Now         time.Time      `json:"now"` // virtual, at the time At
	At          time.Time      `json:"at"`
	Running     bool           `json:"running"`
	WereRemoved bool           `json:"wereFaultsRemoved,omitzero"`
	Start       storedStart    `json:"start"`

	FaultsLeft []fault.Finding `json:"faultsLeft,omitempty"`
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
	g, wall := st.generation, time.Now()
	d := description{
		Created: s.created, Expires: st.expires, Tied: st.tied, Schedule: st.schedule,
		Generation: g.number, JournalFrom: g.began, Exchanges: newest,
		Changes: st.changes, Present: st.present, World: st.world.Meta(),
		Now: st.clock.Now(wall), At: wall, Running: st.clock.Running(), WereRemoved: st.faults.Removed(),
		Start: storedStart{
			startInfo: g.start.startInfo, Scenario: g.start.scenario.Name, Tag: g.start.scenario.Tag,
			File: g.start.scenario.File, Version: g.start.scenario.Version,
		},
	}
	d.ClearedTo, d.FaultsLeft = st.clearedTo, st.faults.RemovedFindings()
	if g.start.Origin != (Fork{}) {
		d.Start.WorldID, d.Start.World = g.start.world.id, &g.start.world.meta
	}
	return d
}

// info describes the bank as [Sandbox.Info] does.
func (d description) info(name string) Info {
	return Info{
		Name: name, Scenario: d.Start.Scenario, Seed: d.Start.Seed, Created: d.Created, Expires: d.Expires,
		LastReset: d.Start.Reset, Fork: d.Start.Origin, Follows: d.Start.Follows, tied: d.Tied, schedule: d.Schedule,
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
	none := &state{generation: &Generation{}, faults: fault.NewSet(nil, 0)}
	return ownRowsSince(none, st)
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
			stored := storedSnapshot{is.world.id, is.world.meta, is.now, is.taken}
			rows = append(rows, putRow(snapshotTable, name, stored))
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
				world: &lazyWorld{id: stored.WorldID, meta: stored.World}, now: stored.Now, taken: stored.Taken,
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
	if d.Present != st.present || d.Generation != st.generation.number {
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
	next.faults = st.faults.Apply(changes.faults, changes.faultsRemoved, d.WereRemoved, d.FaultsLeft)
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
	next.expires, next.tied, next.schedule = d.Expires, d.Tied, d.Schedule
	return &next, nil
}

// unstoredExchanges is how many exchanges a process may have numbered since it wrote the description of a bank
// (choice): reads are not stored, and some are numbered while a change is. No later exchange has one of their numbers.
const unstoredExchanges = 10_000

// decodeBank returns the state of a stored bank. It reuses the journal and the generation of old if they are still
// the same, and known if that is the scenario of the bank. Old may be nil.
func (s *Sandbox) decodeBank(b Bank, old *state, known *scenario.Scenario) (*state, error) {
	var d description
	if err := json.Unmarshal(b.Description, &d); err != nil {
		return nil, fmt.Errorf("%w: the description of the bank: %w", ErrNotStored, err)
	}
	st, err := d.decode(b, known)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	records, err := s.decodeExchanges(b.Exchanges)
	if err != nil {
		return nil, err
	}
	isInFile := s.registry.store != nil && !s.registry.IsShared()
	newest := b.Last
	if isInFile {
		newest = d.Exchanges
		if old == nil { // the process that has written the description is gone
			newest += unstoredExchanges
		}
	}
	if old != nil && old.generation.began == d.JournalFrom {
		st.world.Replace(old.world)
		st.generation.journal = old.generation.journal
	} else {
		st.generation.journal = s.registry.newJournal()
		st.generation.journal.StartAt(b.beforeFirst(newest), d.ClearedTo, d.ClearedTo)
	}
	if old != nil && old.generation.number == d.Generation {
		st.generation = old.generation // requests that are under way belong to it
	}
	if !isInFile {
		st.generation.journal.Fill(0, records, newest)
	}
	return st, nil
}

// decode returns the state of a stored bank, without a journal.
func (d description) decode(b Bank, known *scenario.Scenario) (*state, error) {
	own, err := readOwnRows(b.Worlds[OwnRows])
	if err != nil {
		return nil, err
	}
	p, err := d.Start.decode(b, own.startFaults, known)
	if err != nil {
		return nil, err
	}
	if len(b.Worlds[d.Present]) == 0 { // each world has an institution
		return nil, errors.New("its rows are missing")
	}
	world, err := sim.RestoreWorld(d.World, p.scenario.World.Policies(), slices.Values(b.Worlds[d.Present]))
	if err != nil {
		return nil, err
	}
	return &state{
		generation: &Generation{number: d.Generation, began: d.JournalFrom, start: p},
		world:      world, clock: sim.NewClock(d.Now, d.Running, d.At),
		faults:  fault.RestoreSet(own.faults, d.WereRemoved, d.FaultsLeft, p.Seed),
		changes: d.Changes, version: b.Version,
		settings: settings{
			snapshots: own.snapshots, present: d.Present, clearedTo: d.ClearedTo, expires: d.Expires,
			schedule: d.Schedule, tied: d.Tied,
		},
	}, nil
}

// beforeFirst returns the number before the first exchange of a bank, given the newest number.
func (b Bank) beforeFirst(newest uint64) uint64 {
	if len(b.Exchanges) == 0 {
		return newest
	}
	return b.Exchanges[0].Number - 1
}

// decode returns a stored start. It reads no scenario that is known already.
func (stored storedStart) decode(
	b Bank, faults []fault.StoredRule, known *scenario.Scenario,
) (p startPoint, err error) {
	sc := known
	if known.Version != stored.Version || known.File != stored.File {
		if sc, err = scenario.Stored(stored.File, stored.Version, b.Scenario); err != nil {
			return p, fmt.Errorf("this version can't read its scenario: "+
				"start the version that has stored it, or name another place: %s", err.Error())
		}
	}
	started := scenario.ClockStart{Real: stored.Now, Default: stored.Now}
	p = fromScenario(sc, stored.ExplicitSeed, &stored.Seed, started)
	p.startInfo = stored.startInfo
	if stored.World != nil {
		p.world = &lazyWorld{id: stored.WorldID, meta: *stored.World}
	}
	if p.HasFaults {
		p.faults = fault.RestoreSet(faults, false, nil, p.Seed)
	}
	return p, nil
}
