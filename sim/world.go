package sim

import (
	"reflect"
	"slices"
	"sync"
)

// World is all state of one simulated bank at one moment: rows in tables, the policies, and the random source of ids
// and tokens. The package documentation says how worlds are read and changed.
type World struct {
	forking sync.Mutex // forking marks the tables as shared; see table.fork

	meta
	mostBytes int // see [World.LimitBytes]

	// held is a *tableSet. It hides the type, because the compiler instantiates the methods of all generic types that
	// it finds in an imported struct: that would take seconds for each package that imports this one.
	held any
}

// tableSet has the tables of a world. Each entity's file says how its table is kept.
type tableSet struct {
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

// tablesOf is no method, because importers see the signatures of methods. It isn't inlined, because importers would
// inline its callers then, and compile what these do with tables.
//
//go:noinline
func tablesOf(w *World) *tableSet { return w.held.(*tableSet) }

// meta is the part of a world that is not in tables. A fork begins with a copy.
type meta struct {
	policies    *Policies
	seed        uint64 // that random began with
	random      random
	sequence    uint64 // of the newest row: creation order
	alertID     int64  // the highest alertPrefId so far
	home        string // the first institution; a request without an institution belongs there
	opening     *Opening
	openingRows int // how many rows callers could have added when the bank opened
	tokensLeft  int // how many tokens the world kept when it last forgot some
	replaced    int // bytes of worlds that this one has taken the place of; see [World.Replace]
}

// NewWorld returns a world without rows. The seed decides every id and token that it will draw.
func NewWorld(seed uint64, policies *Policies) *World {
	w := &World{meta: meta{policies: policies, seed: seed, random: newRandom(seed)}, held: &tableSet{}}
	for _, t := range tables {
		t.create(w)
	}
	return w
}

// Fork returns an equal world in O(1). A later change of one doesn't change the other. Any number of goroutines may
// fork or read a world while no goroutine writes to it.
func (w *World) Fork() *World {
	w.forking.Lock()
	defer w.forking.Unlock()
	fork := &World{meta: w.meta, held: &tableSet{}}
	for _, t := range tables {
		t.fork(w, fork)
	}
	return fork
}

// WithDataOf returns a fork of the world with the users, accounts, groups, jobs and alert preferences of another moment
// of the bank. Institutions, clients, tokens and request ids are the world's own.
func (w *World) WithDataOf(past *World) *World {
	fork := w.Fork()
	past.forking.Lock()
	defer past.forking.Unlock()
	for _, t := range []anyTable{userTable, accountTable, groupTable, jobTable, alertTable} {
		t.fork(past, fork)
	}
	return fork
}

// Changed reports whether a row differs from the world that this one was forked from. Draws from the random source,
// tokens and request ids don't count.
func (w *World) Changed() bool {
	return slices.ContainsFunc(tables, func(t anyTable) bool { return t.isChanged(w) })
}

// IsUnchangedSince reports whether nothing was written to the world, nor drawn from it, since it was forked from
// another one.
func (w *World) IsUnchangedSince(before *World) bool {
	return w.meta == before.meta &&
		!slices.ContainsFunc(tables, func(t anyTable) bool { return !t.isShared(w, before) })
}

// Equal reports whether both worlds have the same rows and policies, and will draw the same ids from now on.
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

// Reseed makes the world draw from another seed from now on. It doesn't change rows.
func (w *World) Reseed(seed uint64) { w.seed, w.random = seed, newRandom(seed) }

// Seed returns the seed that the world began to draw from.
func (w *World) Seed() uint64 { return w.seed }

// SeedFrom returns a seed for a world that must not repeat the draws of this one. The argument is the seed that this
// world began with. If it has drawn nothing, SeedFrom returns the same seed.
func (w *World) SeedFrom(seed uint64) uint64 {
	next := w.random
	if next == newRandom(seed) {
		return seed
	}
	return next.pcg.Uint64() >> 11 // below 2^53, as scenario.DrawSeed
}

// Home returns the id of the first institution, or "" if the world has no institutions. A request that names no
// institution belongs there.
func (w *World) Home() string { return w.home }

// next returns the sequence number of a new row.
func (w *World) next() uint64 {
	w.sequence++
	return w.sequence
}
