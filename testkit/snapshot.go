package testkit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// Snapshot is a moment of a bank: its rows and its time.
type Snapshot struct {
	bank *Bank
	name string
}

// Snapshot saves the moment. A bank has 100 snapshots at most.
func (b *Bank) Snapshot() Snapshot {
	b.t.Helper()
	s := Snapshot{b, fmt.Sprintf("testkit-%d", b.snapshots.Add(1))}
	b.must("Snapshot", http.MethodPost, "/snapshots", api.NewSnapshot{Name: s.name}, nil)
	b.taken = append(b.taken, s.name)
	return s
}

// removeSnapshots removes the snapshots that a test has taken.
func (b *Bank) removeSnapshots() {
	for _, name := range b.taken {
		if err := b.call(context.Background(), http.MethodDelete, "/snapshots/"+name, nil, nil); err != nil {
			b.t.Errorf("testkit: removing a snapshot: %v", err)
		}
	}
}

// Restore puts the rows and the time of the bank back to the snapshot. The journal and the faults stay.
func (s Snapshot) Restore() {
	s.bank.t.Helper()
	s.bank.must("Restore", http.MethodPost, "/snapshots/"+url.PathEscape(s.name)+"/restore", nil, nil)
}

// Diff returns the rows of the bank that differ from the snapshot.
func (s Snapshot) Diff() []Change {
	s.bank.t.Helper()
	var diff struct {
		Changes []Change `json:"changes"`
	}
	s.bank.must("Diff", http.MethodGet, "/diff?since="+url.QueryEscape(s.name), nil, &diff)
	return diff.Changes
}

// Change is a row that differs between two moments. Each side has the members that [State] shows of the row itself, and
// fingerprints of secrets.
type Change struct {
	Row    string         `json:"row"`    // its table and its key, such as accounts/02688/1001/acc-1001-checking
	Before map[string]any `json:"before"` // or nil if the row was not there
	After  map[string]any `json:"after"`  // or nil if the row is not there
}

// Fork returns another bank of the same test, with the rows and the time that this one has now. It has the faults of
// the scenario, no injected ones, and an empty journal.
func (b *Bank) Fork() *Bank {
	b.t.Helper()
	forked, err := b.fork(context.Background())
	if err != nil {
		b.fatalf("Fork: %v", err)
	}
	bank := newBank(b.t, forked)
	b.t.Cleanup(bank.end)
	return bank
}

// Reset puts everything back to the start: rows, faults, journal, clock and random source.
func (b *Bank) Reset() {
	b.t.Helper()
	b.conclude() // afterwards the journal is empty
	if b.explores != nil {
		if err := b.beginAgain(); err != nil {
			b.fatalf("Reset: %v", err)
		}
		return
	}
	b.must("Reset", http.MethodPost, "/reset?verdict=true", nil, nil) // conclude has said it
	b.since, b.injected = "0", nil
}
