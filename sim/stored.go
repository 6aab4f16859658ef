package sim

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
)

// StoredRow is a row of a world as a store keeps it.
type StoredRow struct {
	Table   string          `json:"table"`
	Key     string          `json:"key"`              // unique in its table
	Value   json.RawMessage `json:"value,omitempty"`  // the stored form of the row; a removed row has no value
	Removed bool            `json:"removed,omitzero"` // whether the row was deleted
}

// StoredMeta is what a store keeps of a world in addition to its rows. The behaviour comes from the scenario.
type StoredMeta struct {
	Seed        uint64 `json:"seed"`        // the seed that the world began to draw from
	Random      []byte `json:"random"`      // the state of the random source
	Sequence    uint64 `json:"sequence"`    // the sequence number of the newest row
	AlertID     int64  `json:"alertId"`     // the highest alertPrefId so far
	Home        string `json:"home"`        // the first institution
	OpeningRows int    `json:"openingRows"` // the number of rows when the bank opened to callers
	TokensLeft  int    `json:"tokensLeft"`  // the number of tokens that the world kept when it last forgot some
}

// Meta returns what a store keeps of the world in addition to its rows.
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
		OpeningRows: w.given,
		TokensLeft:  w.tokensLeft,
	}
}

// RestoreWorld returns a world with the rows that a store has kept.
func RestoreWorld(meta StoredMeta, policies *Policies, rows iter.Seq[StoredRow]) (*World, error) {
	w := NewWorld(meta.Seed, policies)
	return w, w.apply(meta, rows, true)
}

// Apply repeats a change that was made to an equal world. The rows come from [World.Track].
func (w *World) Apply(meta StoredMeta, rows iter.Seq[StoredRow]) error {
	return w.apply(meta, rows, false)
}

// apply puts and removes rows. In an empty world it looks for no old rows: a large bank starts a quarter faster so.
func (w *World) apply(meta StoredMeta, rows iter.Seq[StoredRow], empty bool) error {
	var pcg rand.PCG
	if err := pcg.UnmarshalBinary(meta.Random); err != nil {
		return fmt.Errorf("the state of the random source: %w", err)
	}
	for row := range rows {
		t, ok := storedTableOf(row.Table)
		if !ok {
			return fmt.Errorf("there is no table %q", row.Table)
		}
		if err := t.apply(w, row, empty); err != nil {
			return fmt.Errorf("row %q of table %s: %w", row.Key, row.Table, err)
		}
	}
	w.seed, w.random, w.sequence, w.alertID, w.home = meta.Seed, random{pcg}, meta.Sequence, meta.AlertID, meta.Home
	w.given, w.tokensLeft = meta.OpeningRows, meta.TokensLeft
	return nil
}

// Rows yields all rows of the world, table by table.
func (w *World) Rows() iter.Seq[StoredRow] {
	return func(yield func(StoredRow) bool) {
		for _, t := range storedTables {
			if !t.yieldRows(w, yield) {
				return
			}
		}
	}
}

// Track makes the world note the rows that are put and deleted from now on. It returns a function that returns each of
// them once, in its present state: table by table, and in a table in the order of the first writes.
func (w *World) Track() (written func() []StoredRow) {
	for _, t := range storedTables {
		t.track(w)
	}
	return func() (rows []StoredRow) {
		for _, t := range storedTables {
			rows = t.appendWritten(w, rows)
		}
		return rows
	}
}
