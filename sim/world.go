package sim

import (
	"reflect"
	"sync"
)

// World is all state of one simulated bank at one moment: rows in tables, behaviour switches and the random
// source that ids and tokens are drawn from. See the package documentation for how worlds are read and changed.
type World struct {
	forking sync.Mutex // forking marks the tables as shared; see table.fork

	behavior *Behavior
	random   random
	sequence uint64 // of the newest row: creation order
	alertID  int64  // the highest alertPrefId given so far
	home     string // the first institution: where a request that names none belongs

	institutions table[*Institution] // by InstitutionID
	clients      table[*Client]      // by SharedKey, InstitutionID
	users        table[*User]        // by InstitutionID, HostUserID
	usernames    table[*User]        // by InstitutionID, Username; users without one are not in it
	ids          *userIDs            // finds users by other ids
	accounts     table[*Account]     // by InstitutionID, HostUserID, AccountID
	grants       table[*Grant]       // by InstitutionID, SharedKey, HostUserID, Sequence
	tokens       table[*Token]       // by Text
	expiring     table[*Token]       // by ExpiresAt, Text; those that callers have asked for
	revoked      table[*Grant]       // by revocation; those that callers have asked for
	groups       table[*Group]       // by InstitutionID, GroupID; deleted ones too
	orders       *groupOrders        // the active groups, in the orders that lists have asked for
	jobs         jobTables
	alerts       table[*AlertPreference]
	requestIDs   usedRequestIDs
	added        added
	revocations  uint64 // how many there were
	writes       writes
}

// NewWorld returns a world without rows. The seed decides every id and token that it will draw.
func NewWorld(seed uint64, behavior Behavior) *World {
	w := &World{behavior: &behavior, random: newRandom(seed), ids: &userIDs{}}
	log := &w.writes
	w.institutions = newTable(log, func(a, b *Institution) bool { return a.InstitutionID < b.InstitutionID }, sameRow)
	w.clients = newTable(log, (*Client).before, sameValue)
	w.users = newTable(log, (*User).before, (*User).same)
	w.usernames = newIndex(log, (*User).beforeByUsername)
	w.accounts = newTable(log, (*Account).before, (*Account).same)
	w.grants = newTable(log, (*Grant).before, sameValue)
	w.tokens = newIndex(log, func(a, b *Token) bool { return a.Text < b.Text })
	w.expiring = newIndex(log, (*Token).beforeByEnd)
	w.revoked = newIndex(log, func(a, b *Grant) bool { return a.revocation < b.revocation })
	w.groups = newTable(log, (*Group).before, (*Group).equal)
	w.orders = newGroupOrders(log)
	w.jobs = newJobTables(log)
	w.alerts = newTable(log, (*AlertPreference).before, (*AlertPreference).same)
	w.requestIDs = newUsedRequestIDs(log)
	return w
}

// Fork returns a world equal to this one, in O(1). From then on, what is written to either is not seen in the
// other. Any number of goroutines may fork or read a world that is not written to.
func (w *World) Fork() *World {
	w.forking.Lock()
	defer w.forking.Unlock()
	fork := &World{
		behavior:    w.behavior,
		random:      w.random,
		sequence:    w.sequence,
		alertID:     w.alertID,
		home:        w.home,
		added:       w.added,
		revocations: w.revocations,
		ids:         w.ids,
	}
	log := &fork.writes
	fork.institutions = w.institutions.fork(log)
	fork.clients = w.clients.fork(log)
	fork.users = w.users.fork(log)
	fork.usernames = w.usernames.fork(log)
	fork.accounts = w.accounts.fork(log)
	fork.grants = w.grants.fork(log)
	fork.tokens = w.tokens.fork(log)
	fork.expiring = w.expiring.fork(log)
	fork.revoked = w.revoked.fork(log)
	fork.groups = w.groups.fork(log)
	fork.orders = w.orders.fork(log)
	fork.jobs = w.jobs.fork(log)
	fork.alerts = w.alerts.fork(log)
	fork.requestIDs = w.requestIDs.fork(log)
	return fork
}

// Equal reports whether both worlds hold the same rows and switches and will draw the same ids from here on.
func (w *World) Equal(other *World) bool {
	return reflect.DeepEqual(w.behavior, other.behavior) &&
		w.random == other.random && w.sequence == other.sequence && w.alertID == other.alertID &&
		w.home == other.home &&
		w.institutions.equal(other.institutions.tree) &&
		w.clients.equal(other.clients.tree) &&
		w.users.equal(other.users.tree) &&
		w.accounts.equal(other.accounts.tree) &&
		w.grants.equal(other.grants.tree) &&
		w.tokens.equalBy(other.tokens.tree, sameRow) &&
		w.groups.equal(other.groups.tree) &&
		w.jobs.byID.equal(other.jobs.byID.tree) &&
		w.alerts.equal(other.alerts.tree) &&
		w.requestIDs.byID.equalBy(other.requestIDs.byID.tree, sameRow)
}

// sameRow compares rows by value; a row that two worlds share needs no look.
func sameRow[R any](a, b *R) bool { return a == b || reflect.DeepEqual(a, b) }

// sameValue compares rows that have only plain members.
func sameValue[R comparable](a, b *R) bool { return *a == *b }

// Behavior returns the behaviour switches in force. They must not be written to.
func (w *World) Behavior() *Behavior { return w.behavior }

// SetBehavior replaces the behaviour switches.
func (w *World) SetBehavior(b Behavior) { w.behavior = &b }

// Reseed makes the world draw from another seed from here on. The rows that are there stay as they are.
func (w *World) Reseed(seed uint64) { w.random = newRandom(seed) }

// RandomPosition returns where the random source stands, as 32 hexadecimal digits.
func (w *World) RandomPosition() string { return w.random.position() }

// MoveRandom moves the random source to a position that another world had, so that both draw the same from here on. It
// reports whether the text is a position.
func (w *World) MoveRandom(position string) bool { return w.random.moveTo(position) }

// Home returns the first institution, where a request that names none belongs; empty: there is none.
func (w *World) Home() string { return w.home }

// next returns the sequence number of a new row.
func (w *World) next() uint64 {
	w.sequence++
	return w.sequence
}
