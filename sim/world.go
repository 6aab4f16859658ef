package sim

import (
	"reflect"
	"slices"
	"sync"
)

// World is all state of one simulated bank at one moment: rows in tables, behaviour switches and the random
// source that ids and tokens are drawn from. See the package documentation for how worlds are read and changed.
type World struct {
	forking sync.Mutex // forking marks the tables as shared; see table.fork

	values
	memoryLimit int // of the rows that callers have added, or 0 if there is none; see [World.LimitRows]

	// The tables; each entity's file says how its table is kept.
	institutions table[Institution]
	clients      table[Client]
	users        table[User]
	accounts     table[Account]
	grants       table[Grant]
	tokens       table[Token]
	groups       table[Group]
	jobs         table[Job]
	alerts       table[AlertPreference]
	requestIDs   table[usedRequestID]
}

// values are what a fork of a world begins with besides the tables.
type values struct {
	policies    *Policies
	seed        uint64 // that random began with
	random      random
	sequence    uint64 // of the newest row: creation order
	alertID     int64  // the highest alertPrefId given so far
	home        string // the first institution: where a request that names none belongs
	openingRows int    // how many rows callers could have added when the bank opened
	tokensLeft  int    // how many there were when tokens were forgotten last
}

// NewWorld returns a world without rows. The seed decides every id and token that it will draw.
func NewWorld(seed uint64, policies *Policies) *World {
	w := &World{values: values{policies: policies, seed: seed, random: newRandom(seed)}}
	for _, t := range tables {
		t.create(w)
	}
	return w
}

// Fork returns a world equal to this one, in O(1). From then on, what is written to either is not seen in the
// other. Any number of goroutines may fork or read a world that is not written to.
func (w *World) Fork() *World {
	w.forking.Lock()
	defer w.forking.Unlock()
	fork := &World{values: w.values}
	for _, t := range tables {
		t.fork(w, fork)
	}
	return fork
}

// Changed reports whether a row differs from the world that this one was forked from. What the world draws from its random
// source and which request ids it remembers are no rows.
func (w *World) Changed() bool {
	return slices.ContainsFunc(tables, func(t anyTable) bool { return t.isChanged(w) })
}

// IsUnchangedSince reports whether nothing was written to this world, nor drawn from it, since it was forked from
// another one.
func (w *World) IsUnchangedSince(before *World) bool {
	return w.values == before.values &&
		!slices.ContainsFunc(tables, func(t anyTable) bool { return !t.isShared(w, before) })
}

// Equal reports whether both worlds hold the same rows and switches and will draw the same ids from here on.
func (w *World) Equal(other *World) bool {
	return reflect.DeepEqual(w.policies, other.policies) &&
		w.random == other.random && w.sequence == other.sequence && w.alertID == other.alertID &&
		w.home == other.home &&
		!slices.ContainsFunc(tables, func(t anyTable) bool { return !t.equal(w, other) })
}

// Behavior returns the switches as the scenario sets them. They must not be written to.
func (w *World) Behavior() *Behavior { return &w.policies.Document.Behavior }

// Policies returns the policies that the requests to the bank are judged by.
func (w *World) Policies() *Policies { return w.policies }

// SetPolicies replaces the policies.
func (w *World) SetPolicies(policies *Policies) { w.policies = policies }

// Reseed makes the world draw from another seed from here on. The rows that are there stay as they are.
func (w *World) Reseed(seed uint64) { w.seed, w.random = seed, newRandom(seed) }

// Seed returns the seed that the world began to draw from.
func (w *World) Seed() uint64 { return w.seed }

// SeedFrom returns the seed of a world that is to draw nothing again that this one, which began with a seed, has drawn.
func (w *World) SeedFrom(seed uint64) uint64 {
	next := w.random
	if next == newRandom(seed) {
		return seed
	}
	return next.pcg.Uint64() >> 11 // below 2^53, as scenario.DrawSeed
}

// Home returns the id of the first institution. A request without an institution belongs there. A world without
// institutions returns an empty id.
func (w *World) Home() string { return w.home }

// next returns the sequence number of a new row.
func (w *World) next() uint64 {
	w.sequence++
	return w.sequence
}
