package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Export calls fn with a bank at one moment, its journal included, and with the rows of all its worlds, for fn to range
// over once. It fails with ErrNoSandbox and ErrNotStored, and with the error of fn.
func (r *Registry) Export(ctx context.Context, name string, fn func(Bank, Rows) error) error {
	if r.IsShared() {
		return r.store.Export(ctx, name, fn)
	}
	s, err := r.Find(ctx, name)
	if err != nil {
		return err
	}
	v, err := s.local(ctx)
	if err != nil {
		return err
	}
	st := v.state
	if r.store == nil {
		st = st.withWorldIDs()
	}
	records := v.Journal.Records()
	b := Bank{Last: v.Journal.Last()} // no record has a higher number
	for _, record := range records {
		number, _ := journal.ParseID(record.ID)
		data, err := record.Encode()
		if err != nil {
			return err
		}
		b.Exchanges = append(b.Exchanges, NumberedExchange{number, data})
	}
	if b.Scenario, err = st.generation.start.scenario.Resolved(); err != nil {
		return err
	}
	if b.Description, err = json.Marshal(newDescription(s, st, b.Last)); err != nil {
		return err
	}
	return fn(b, s.allRows(ctx, st))
}

// withWorldIDs returns a state in memory with an id for each of its worlds.
func (st *state) withWorldIDs() *state {
	next, generation := *st, *st.generation
	next.generation, next.present = &generation, 1
	generation.start.world = inMemory(generation.start.world.loaded.Load())
	generation.start.world.id = 2
	next.snapshots = maps.Clone(st.snapshots)
	for i, name := range slices.Sorted(maps.Keys(st.snapshots)) {
		taken := st.snapshots[name]
		taken.world = inMemory(taken.world.loaded.Load())
		taken.world.id = WorldID(3 + i)
		next.snapshots[name] = taken
	}
	return &next
}

// allRows yields the own rows of a state and the rows of all its worlds.
func (s *Sandbox) allRows(ctx context.Context, st *state) Rows {
	return func(yield func(Row, error) bool) {
		for _, row := range ownRows(st) {
			if !yield(row, nil) {
				return
			}
		}
		worlds := []*lazyWorld{{id: st.present}}
		worlds[0].loaded.Store(st.world)
		if start := st.generation.start; start.Origin != (Fork{}) {
			worlds = append(worlds, start.world)
		}
		for _, name := range slices.Sorted(maps.Keys(st.snapshots)) {
			worlds = append(worlds, st.snapshots[name].world)
		}
		for _, w := range worlds {
			rows, err := s.storedRows(ctx, st, w)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for row, err := range rows {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// storedRows returns the rows of a world. It reads them from the store if the world isn't loaded.
func (s *Sandbox) storedRows(ctx context.Context, st *state, w *lazyWorld) (Rows, error) {
	if loaded := w.loaded.Load(); loaded != nil {
		return rowsOf(loaded, w.id), nil
	}
	rows, err := s.registry.store.World(ctx, s.name, st.version, w.id)
	if err != nil {
		return nil, err
	}
	return func(yield func(Row, error) bool) {
		for _, row := range rows {
			if !yield(Row{World: w.id, StoredRow: row}, nil) {
				return
			}
		}
	}, nil
}

// rowsOf yields the rows of a world under its id.
func rowsOf(w *sim.World, id WorldID) Rows {
	return func(yield func(Row, error) bool) {
		for row := range w.Rows() {
			if !yield(Row{World: id, StoredRow: row}, nil) {
				return
			}
		}
	}
}

// ForImport returns a bank of an export as a store takes it. A file keeps no exchanges, so an export of one doesn't say
// which numbers they had. A daily reset that came due since the export isn't made up for: it would undo the import.
func ForImport(name string, b Bank) (Bank, error) {
	if !IsName(name) {
		return b, ErrBadName
	}
	var d description
	if err := json.Unmarshal(b.Description, &d); err != nil {
		return b, fmt.Errorf("its description: %w", err)
	}
	b.Present, b.Journal = d.Present, d.JournalFrom
	if b.Last == 0 && d.Exchanges > 0 {
		b.Last = d.Exchanges + unstoredExchanges
	}
	if d.Exchanges = b.Last; d.Schedule.Daily != "" {
		d.Schedule.Since = realNow()
	}
	var err error
	b.Description, err = json.Marshal(d)
	newest := uint64(0)
	for i, x := range b.Exchanges {
		if x.Number <= newest || x.Number > b.Last {
			return b, fmt.Errorf("its exchange %d isn't between the one before it and the newest, %d", x.Number, b.Last)
		}
		newest = x.Number
		record, err := journal.Decode(x.Number, x.Data)
		if err != nil {
			return b, fmt.Errorf("its exchange %d: %w", x.Number, err)
		}
		record.Step.Version, record.Step.IsChange = 0, false // the versions of the bank begin anew
		if b.Exchanges[i].Data, err = record.Encode(); err != nil {
			return b, err
		}
	}
	return b, err
}

// Import puts a bank of [ForImport] into a registry in memory, in place of one that has its name. It is for a registry
// before it serves requests. It fails with ErrNoRoom.
func (r *Registry) Import(name string, b Bank, rows Rows) error {
	var d description
	if err := json.Unmarshal(b.Description, &d); err != nil {
		return err
	}
	size := int64(0)
	b.Worlds = map[WorldID][]sim.StoredRow{}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if size += int64(len(row.Key) + len(row.Value)); size > r.kept.Left() {
			return noRoom(size, r.kept)
		}
		b.Worlds[row.World] = append(b.Worlds[row.World], row.StoredRow)
	}
	s := r.newSandbox(name, d.Created)
	st, err := s.decodeBank(b, nil, r.Origin().Scenario)
	if err != nil {
		return err
	}
	if err := st.restoreWorlds(b); err != nil {
		st.generation.journal.Close()
		return err
	}
	if old, ok := r.Known(name); ok {
		r.forget(old)
	}
	if err := s.checkRoom(nil, st); err != nil {
		st.generation.journal.Close()
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.putLocked(s, st)
	return nil
}

// restoreWorlds makes the worlds of the snapshots and of the start. There is no store to read them from later.
func (st *state) restoreWorlds(b Bank) error {
	lazy := []*lazyWorld{st.generation.start.world}
	for _, name := range slices.Sorted(maps.Keys(st.snapshots)) {
		lazy = append(lazy, st.snapshots[name].world)
	}
	for _, w := range lazy {
		if w.loaded.Load() != nil {
			continue
		}
		world, err := sim.RestoreWorld(w.meta, st.world.Policies(), slices.Values(b.Worlds[w.id]))
		if err != nil {
			return err
		}
		w.loaded.Store(world)
	}
	return nil
}
