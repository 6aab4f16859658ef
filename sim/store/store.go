// Package store keeps banks where they outlive their process. It knows rows and documents, and nothing of what they say: package sandbox
// writes them, and reads them at the start. Without a store, banks are in memory only. Start at Store.
package store

import (
	"errors"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Store keeps banks by the names of their sandboxes. Its methods may be called by many goroutines.
type Store interface {
	// Banks returns all banks that the store keeps, sorted by name.
	Banks() ([]Bank, error)
	// Commit makes changes to a bank, all or none, and returns when they are safe. A bank that isn't there is created.
	Commit(name string, c Changes) error
	// Delete deletes a bank. One that isn't there is no error.
	Delete(name string) error
	// Place returns where the banks are kept, for people: it has no secret.
	Place() string
	Close() error
}

// Bank is all that a store keeps of a sandbox.
type Bank struct {
	Name   string
	Meta   []byte                     // JSON
	Start  []byte                     // the scenario, in YAML
	Worlds map[string][]sim.StoredRow // by name: see Present
}

// Present is the name of the world that a bank has at present. Others are those to which it can return.
const Present = "present"

// Changes are what a change makes of a bank.
type Changes struct {
	Meta   []byte
	Start  []byte                     // nil: it stays
	Rows   []sim.StoredRow            // of the present world, that were put or removed
	Worlds map[string][]sim.StoredRow // that take the place of what there was as a whole; nil rows: the world is deleted
}

// ErrDamaged is why banks can't be read.
var ErrDamaged = errors.New("is damaged")
