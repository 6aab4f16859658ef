package sim

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
)

// StoredRow is a row of a world as a store keeps it.
type StoredRow struct {
	Table   string          `json:"table"`
	Key     string          `json:"key"`              // unique in its table
	Value   json.RawMessage `json:"value,omitempty"`  // the stored form of the row; a removed row has no value
	Removed bool            `json:"removed,omitzero"` // whether the row was deleted
}

// StoredMeta is the part of a world that a store keeps in addition to the rows. The policies come from the scenario.
type StoredMeta struct {
	Seed        uint64 `json:"seed"`        // the seed that the world began to draw from
	Random      []byte `json:"random"`      // the state of the random source
	Sequence    uint64 `json:"sequence"`    // the sequence number of the newest row
	AlertID     int64  `json:"alertId"`     // the highest alertPrefId so far
	Home        string `json:"home"`        // the first institution
	OpeningRows int    `json:"openingRows"` // the number of rows when the bank opened to callers
	TokensLeft  int    `json:"tokensLeft"`  // the number of tokens that the world kept when it last forgot some
}

// Meta returns the part of the world that a store keeps in addition to the rows.
func (w *World) Meta() StoredMeta {
	random, err := w.random.pcg.MarshalBinary()
	if err != nil {
		panic("sim: a random source that can't be written: " + err.Error())
	}
	return StoredMeta{
		Seed:        w.seed,
		Random:      random,
		Sequence:    w.sequence,
		AlertID:     w.alertID,
		Home:        w.home,
		OpeningRows: w.openingRows,
		TokensLeft:  w.tokensLeft,
	}
}

// RestoreWorld returns a world with the rows from a store.
func RestoreWorld(meta StoredMeta, policies *Policies, rows iter.Seq[StoredRow]) (*World, error) {
	w := NewWorld(meta.Seed, policies)
	err := w.Apply(meta, rows)
	w.settle()
	return w, err
}

// Apply repeats a change that was made to an equal world. The rows come from [World.Track].
func (w *World) Apply(meta StoredMeta, rows iter.Seq[StoredRow]) error {
	var pcg rand.PCG
	if err := pcg.UnmarshalBinary(meta.Random); err != nil {
		return fmt.Errorf("the state of the random source: %w", err)
	}
	for row := range rows {
		i := slices.IndexFunc(tables, func(t anyTable) bool { return t.tableName() == row.Table })
		if i < 0 {
			return fmt.Errorf("there is no table %q", row.Table)
		}
		if err := tables[i].apply(w, row); err != nil {
			return fmt.Errorf("row %q of table %s: %w", row.Key, row.Table, err)
		}
	}
	w.seed, w.random, w.sequence, w.alertID, w.home = meta.Seed, random{pcg}, meta.Sequence, meta.AlertID, meta.Home
	w.openingRows, w.tokensLeft = meta.OpeningRows, meta.TokensLeft
	return nil
}

// Rows yields all rows of the world, table by table.
func (w *World) Rows() iter.Seq[StoredRow] {
	return func(yield func(StoredRow) bool) {
		for _, t := range tables {
			if !t.yieldRows(w, yield) {
				return
			}
		}
	}
}

// Track makes the world note the rows that are put and deleted from now on. It returns a function that returns each of
// these rows once, with its present state. They come table by table, and in the order of the first writes to a table.
func (w *World) Track() (written func() []StoredRow) {
	for _, t := range tables {
		t.track(w)
	}
	return func() (rows []StoredRow) {
		for _, t := range tables {
			rows = t.appendWritten(w, rows)
		}
		return rows
	}
}

// storedForm converts the rows of a table to their stored form and back. Only a row that is not plain data needs one.
type storedForm[R any] struct {
	pack   func(*R) any
	unpack func(json.RawMessage) (*R, error)
}

// storedAs returns the conversion of rows R to a struct S and back.
func storedAs[R, S any](pack func(*R) S, unpack func(S) *R) *storedForm[R] {
	return &storedForm[R]{
		pack: func(r *R) any { return pack(r) },
		unpack: func(value json.RawMessage) (*R, error) {
			var s S
			if err := json.Unmarshal(value, &s); err != nil {
				return nil, err
			}
			return unpack(s), nil
		},
	}
}

// pack returns the stored form of a row.
func (s *tableSpec[R]) pack(r *R) any {
	if s.stored == nil {
		return r
	}
	return s.stored.pack(r)
}

// unpack returns the row with a stored form.
func (s *tableSpec[R]) unpack(value json.RawMessage) (*R, error) {
	if s.stored != nil {
		return s.stored.unpack(value)
	}
	r := new(R)
	return r, json.Unmarshal(value, r)
}

// storedRow returns a row as a store keeps it.
func (s *tableSpec[R]) storedRow(r *R) StoredRow {
	value, err := json.Marshal(s.pack(r))
	if err != nil {
		panic("sim: a row of " + s.name + " that can't be written: " + err.Error())
	}
	return StoredRow{Table: s.name, Key: s.key(r).String(), Value: value}
}

func (s *tableSpec[R]) apply(w *World, stored StoredRow) error {
	if stored.Removed {
		var r R
		if err := s.key(&r).parse(stored.Key); err != nil {
			return err
		}
		s.in(w).delete(&r)
		return nil
	}
	r, err := s.unpack(stored.Value)
	if err != nil {
		return err
	}
	s.in(w).put(r)
	return nil
}

func (s *tableSpec[R]) yieldRows(w *World, yield func(StoredRow) bool) bool {
	for r := range s.in(w).all() {
		if !yield(s.storedRow(r)) {
			return false
		}
	}
	return true
}

func (s *tableSpec[R]) track(w *World) {
	t := s.in(w)
	t.tracked, t.written = true, nil
}

func (s *tableSpec[R]) appendWritten(w *World, to []StoredRow) []StoredRow {
	t := s.in(w)
	if len(t.written) == 0 {
		return to
	}
	seen := make(map[string]bool, len(t.written))
	for _, r := range t.written {
		key := s.key(r).String()
		if seen[key] {
			continue
		}
		seen[key] = true
		if now, ok := t.get(r); ok {
			to = append(to, s.storedRow(now))
		} else {
			to = append(to, StoredRow{Table: s.name, Key: key, Removed: true})
		}
	}
	return to
}
