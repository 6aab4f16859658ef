package testkit

import (
	"net/http"
	"net/url"
)

// Change is a row that differs between two states of a bank. Each side has the members that [State] shows of the row
// itself, and fingerprints of the secrets that it leaves out.
type Change struct {
	Row    string         `json:"row"`    // its table and its key, such as accounts/02688/1001/acc-1001-checking
	Before map[string]any `json:"before"` // nil: the row was added
	After  map[string]any `json:"after"`  // nil: the row was removed
}

// Snapshot keeps the bank's world and time under a name, of 1 to 63 of a-z, 0-9 and "-", for [Bank.Restore] and [Bank.Diff].
// A bank has 100 snapshots at most.
func (b *Bank) Snapshot(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots", map[string]string{"name": name}, nil)
}

// Restore puts the bank's world and time back to a snapshot. The journal and the faults stay as they are.
func (b *Bank) Restore(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots/"+url.PathEscape(name)+"/restore", nil, nil)
}

// Diff returns the rows that differ from a snapshot, or from the bank's start if the name is empty.
func (b *Bank) Diff(snapshot string) []Change {
	b.t.Helper()
	var diff struct{ Changes []Change }
	b.in(http.MethodGet, "/diff?since="+url.QueryEscape(snapshot), nil, &diff)
	return diff.Changes
}

// Fork returns another bank of the same test, which starts as this one is now. It has a base URL and a journal of its own.
func (b *Bank) Fork() *Bank {
	b.t.Helper()
	fork := newBank(b.t, b.simulator, b.hosts, "/"+b.name+"/fork", struct{}{})
	fork.failure = b.failure
	return fork
}

// Reset puts everything back to the start: world, faults, journal, clock and random source.
func (b *Bank) Reset() {
	b.t.Helper()
	b.in(http.MethodPost, "/reset", nil, nil)
}
