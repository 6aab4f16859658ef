package sim

import (
	"cmp"
	"reflect"
	"sync"
)

// World is all state of one simulated bank at one moment: rows in tables, behaviour switches and the random
// source that ids and tokens are drawn from. See the package documentation for how worlds are read and changed.
type World struct {
	forking sync.Mutex // forking a table writes to it; see table.fork

	behavior *Behavior
	random   random
	sequence uint64 // of the newest row: creation order
	alertID  int64  // the highest alertPrefId given so far
	home     string // the first institution: where a request that names none belongs

	institutions table[*Institution] // by InstitutionID
	clients      table[*Client]      // by SharedKey, InstitutionID
	users        table[*User]        // by InstitutionID, HostUserID
	usernames    table[*User]        // by InstitutionID, Username; users without one are not in it
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
}

// NewWorld returns a world without rows. The seed decides every id and token that it will draw.
func NewWorld(seed uint64, behavior Behavior) *World {
	return &World{
		behavior: &behavior,
		random:   newRandom(seed),

		institutions: newTable(func(a, b *Institution) bool { return a.InstitutionID < b.InstitutionID }),
		clients: newTable(func(a, b *Client) bool {
			return before(cmp.Compare(a.SharedKey, b.SharedKey), cmp.Compare(a.InstitutionID, b.InstitutionID))
		}),
		users: newTable(func(a, b *User) bool {
			return before(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.HostUserID, b.HostUserID))
		}),
		usernames: newTable(func(a, b *User) bool {
			return before(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.Username, b.Username))
		}),
		accounts: newTable(func(a, b *Account) bool {
			return before(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.HostUserID, b.HostUserID),
				cmp.Compare(a.AccountID, b.AccountID))
		}),
		grants: newTable(func(a, b *Grant) bool {
			return before(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.SharedKey, b.SharedKey),
				cmp.Compare(a.HostUserID, b.HostUserID), cmp.Compare(a.Sequence, b.Sequence))
		}),
		tokens: newTable(func(a, b *Token) bool { return a.Text < b.Text }),
		expiring: newTable(func(a, b *Token) bool {
			return before(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.Text, b.Text))
		}),
		revoked: newTable(func(a, b *Grant) bool { return a.revocation < b.revocation }),
		groups: newTable(func(a, b *Group) bool {
			return before(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.GroupID, b.GroupID))
		}),
		orders: newGroupOrders(),
		jobs:   newJobTables(),
		alerts: newTable(func(a, b *AlertPreference) bool {
			return before(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.HostUserID, b.HostUserID),
				cmp.Compare(a.AlertPrefID, b.AlertPrefID))
		}),
		requestIDs: newUsedRequestIDs(),
	}
}

// before reads the comparisons of a key's members, the most significant first.
func before(comparisons ...int) bool { return cmp.Or(comparisons...) < 0 }

// Fork returns a world equal to this one, in O(1). From then on, what is written to either is not seen in the
// other. Any number of goroutines may fork or read a world that is not written to.
func (w *World) Fork() *World {
	w.forking.Lock()
	defer w.forking.Unlock()
	return &World{
		behavior: w.behavior,
		random:   w.random,
		sequence: w.sequence,
		alertID:  w.alertID,
		home:     w.home,

		institutions: w.institutions.fork(),
		clients:      w.clients.fork(),
		users:        w.users.fork(),
		usernames:    w.usernames.fork(),
		accounts:     w.accounts.fork(),
		grants:       w.grants.fork(),
		tokens:       w.tokens.fork(),
		expiring:     w.expiring.fork(),
		revoked:      w.revoked.fork(),
		groups:       w.groups.fork(),
		orders:       w.orders.fork(),
		jobs:         w.jobs.fork(),
		alerts:       w.alerts.fork(),
		requestIDs:   w.requestIDs.fork(),
		added:        w.added,
		revocations:  w.revocations,
	}
}

// Equal reports whether both worlds hold the same rows and switches and will draw the same ids from here on.
func (w *World) Equal(other *World) bool {
	return reflect.DeepEqual(w.behavior, other.behavior) &&
		w.random == other.random && w.sequence == other.sequence && w.alertID == other.alertID &&
		w.home == other.home &&
		w.institutions.equal(other.institutions, sameRow) &&
		w.clients.equal(other.clients, sameRow) &&
		w.users.equal(other.users, sameRow) &&
		w.accounts.equal(other.accounts, sameRow) &&
		w.grants.equal(other.grants, sameRow) &&
		w.tokens.equal(other.tokens, sameRow) &&
		w.groups.equal(other.groups, (*Group).equal) &&
		w.jobs.byID.equal(other.jobs.byID, sameRow) &&
		w.alerts.equal(other.alerts, sameRow) &&
		w.requestIDs.byID.equal(other.requestIDs.byID, sameRow)
}

// sameRow compares rows by value; a row that two worlds share needs no look.
func sameRow[R any](a, b *R) bool { return a == b || reflect.DeepEqual(a, b) }

// Behavior returns the behaviour switches in force. They must not be written to.
func (w *World) Behavior() *Behavior { return w.behavior }

// SetBehavior replaces the behaviour switches.
func (w *World) SetBehavior(b Behavior) { w.behavior = &b }

// Reseed makes the world draw from another seed from here on. The rows that are there stay as they are.
func (w *World) Reseed(seed uint64) { w.random = newRandom(seed) }

// next returns the sequence number of a new row.
func (w *World) next() uint64 {
	w.sequence++
	return w.sequence
}
