package testkit

import (
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Change is a row that differs between two states of a bank. Each side has the members that [State] shows of the row
// itself, and fingerprints of the secrets that it leaves out.
type Change = api.Change

// Snapshot keeps the bank's world and time under a name, of 1 to 63 of a-z, 0-9 and "-", for [Bank.Restore] and [Bank.Diff].
// A bank has 100 snapshots at most.
func (b *Bank) Snapshot(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots", api.NewSnapshot{Name: name}, nil)
}

// Restore puts the bank's world and time back to a snapshot. The journal and the faults stay as they are.
func (b *Bank) Restore(name string) {
	b.t.Helper()
	b.in(http.MethodPost, "/snapshots/"+url.PathEscape(name)+"/restore", nil, nil)
}

// Diff returns the rows that differ from a snapshot, or from the bank's start if the name is empty.
func (b *Bank) Diff(snapshot string) []Change {
	b.t.Helper()
	var diff api.Diff
	b.in(http.MethodGet, "/diff?since="+url.QueryEscape(snapshot), nil, &diff)
	return diff.Changes
}

// Fork returns another bank of the same test, which starts as this one is now. It has a base URL and a journal of its own.
func (b *Bank) Fork() *Bank {
	b.t.Helper()
	fork := newBank(b.t, b.simulator, b.hosts, api.SandboxPath(b.name, "/fork"), api.NewFork{})
	fork.failure = b.failure
	return fork
}

// Reset puts everything back to the start: world, faults, journal, clock and random source.
func (b *Bank) Reset() {
	b.t.Helper()
	b.in(http.MethodPost, "/reset", nil, nil)
}
