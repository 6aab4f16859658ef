package sim

import (
	"reflect"
	"sync"
)

// World is all state of one simulated bank at one moment: rows in tables, behaviour switches and the random
// source that ids and tokens are drawn from. See the package documentation for how worlds are read and changed.
type World struct {
	forking sync.Mutex // forking marks the tables as shared; see table.fork

	values
	ceiling int // of added rows, whatever the behaviour says; 0: there is none

	institutions table[*Institution] // by InstitutionID
	clients      table[*Client]      // by SharedKey, InstitutionID
	users        table[*User]        // by InstitutionID, HostUserID
	usernames    table[*User]        // by InstitutionID, Username; users without one are not in it
	accounts     table[*Account]     // by InstitutionID, HostUserID, AccountID
	grants       table[*Grant]       // by InstitutionID, SharedKey, HostUserID, Sequence
	tokens       table[*Token]       // by Text
	groups       table[*Group]       // by InstitutionID, GroupID; deleted ones too
	groupsByAge  table[*Group]       // by InstitutionID, Sequence; the active ones
	groupsByFold table[*Group]       // by InstitutionID, Name without regard to case and blanks around it, Sequence; the active ones
	jobs         jobTables
	alerts       table[*AlertPreference]
	requestIDs   usedRequestIDs
}

// values are what a fork of a world begins with besides the tables.
type values struct {
	behavior   *Behavior
	seed       uint64 // that random began with
	random     random
	sequence   uint64 // of the newest row: creation order
	alertID    int64  // the highest alertPrefId given so far
	home       string // the first institution: where a request that names none belongs
	imported   int    // participants of groups and of jobs, and errors of jobs
	given      int    // rows when the bank opened
	tokensLeft int    // how many there were when tokens were forgotten last
}

// NewWorld returns a world without rows. The seed decides every id and token that it will draw.
func NewWorld(seed uint64, behavior Behavior) *World {
	w := &World{values: values{behavior: &behavior, seed: seed, random: newRandom(seed)}}
	w.institutions = newTable(func(a, b *Institution) bool { return a.InstitutionID < b.InstitutionID }, sameRow)
	w.clients = newTable((*Client).before, sameRow)
	w.users = newTable((*User).before, (*User).same)
	w.usernames = newTable((*User).beforeByUsername, nil)
	w.accounts = newTable((*Account).before, (*Account).same)
	w.grants = newTable((*Grant).before, sameRow)
	w.tokens = newTable(func(a, b *Token) bool { return a.Text < b.Text }, nil)
	w.groups = newTable((*Group).before, (*Group).equal)
	w.groupsByAge = newTable((*Group).beforeByAge, nil)
	w.groupsByFold = newTable((*Group).beforeByFold, nil)
	w.jobs = newJobTables()
	w.alerts = newTable((*AlertPreference).before, sameRow)
	w.requestIDs = newUsedRequestIDs()
	return w
}

// Fork returns a world equal to this one, in O(1). From then on, what is written to either is not seen in the
// other. Any number of goroutines may fork or read a world that is not written to.
func (w *World) Fork() *World {
	w.forking.Lock()
	defer w.forking.Unlock()
	return &World{
		values:       w.values,
		institutions: w.institutions.fork(),
		clients:      w.clients.fork(),
		users:        w.users.fork(),
		usernames:    w.usernames.fork(),
		accounts:     w.accounts.fork(),
		grants:       w.grants.fork(),
		tokens:       w.tokens.fork(),
		groups:       w.groups.fork(),
		groupsByAge:  w.groupsByAge.fork(),
		groupsByFold: w.groupsByFold.fork(),
		jobs:         w.jobs.fork(),
		alerts:       w.alerts.fork(),
		requestIDs:   w.requestIDs.fork(),
	}
}

// Changed reports whether a row differs from the world that this one was forked from. What the world draws from its random
// source and which request ids it remembers are no rows.
func (w *World) Changed() bool {
	return w.institutions.changed || w.clients.changed || w.users.changed || w.accounts.changed || w.grants.changed ||
		w.groups.changed || w.jobs.byID.changed || w.alerts.changed
}

// IsUnchangedSince reports whether nothing was written to this world, nor drawn from it, since it was forked from
// another one.
func (w *World) IsUnchangedSince(before *World) bool {
	return w.values == before.values &&
		w.institutions.rows == before.institutions.rows &&
		w.clients.rows == before.clients.rows &&
		w.users.rows == before.users.rows &&
		w.accounts.rows == before.accounts.rows &&
		w.grants.rows == before.grants.rows &&
		w.tokens.rows == before.tokens.rows &&
		w.groups.rows == before.groups.rows &&
		w.jobs.byID.rows == before.jobs.byID.rows &&
		w.alerts.rows == before.alerts.rows &&
		w.requestIDs.byID.rows == before.requestIDs.byID.rows
}

// Equal reports whether both worlds hold the same rows and switches and will draw the same ids from here on.
func (w *World) Equal(other *World) bool {
	return reflect.DeepEqual(w.behavior, other.behavior) &&
		w.random == other.random && w.sequence == other.sequence && w.alertID == other.alertID &&
		w.home == other.home &&
		w.institutions.equal(&other.institutions, sameRow) &&
		w.clients.equal(&other.clients, sameRow) &&
		w.users.equal(&other.users, (*User).same) &&
		w.accounts.equal(&other.accounts, (*Account).same) &&
		w.grants.equal(&other.grants, sameRow) &&
		w.tokens.equal(&other.tokens, sameRow) &&
		w.groups.equal(&other.groups, (*Group).equal) &&
		w.jobs.byID.equal(&other.jobs.byID, sameRow) &&
		w.alerts.equal(&other.alerts, sameRow) &&
		w.requestIDs.byID.equal(&other.requestIDs.byID, sameRow)
}

// sameRow compares rows by value; a row that two worlds share needs no look.
func sameRow[R any](a, b *R) bool { return a == b || reflect.DeepEqual(a, b) }

// Behavior returns the behaviour switches in force. They must not be written to.
func (w *World) Behavior() *Behavior { return w.behavior }

// SetBehavior replaces the behaviour switches.
func (w *World) SetBehavior(b Behavior) { w.behavior = &b }

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
