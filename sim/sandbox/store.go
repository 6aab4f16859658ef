package sandbox

import (
	"context"
	"errors"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Store keeps banks where they outlive the process that uses it alone. It knows rows and documents, and nothing of what they say. Its
// methods may be called by many goroutines.
type Store interface {
	// Banks returns all banks that the store keeps, sorted by name.
	Banks() ([]StoredBank, error)
	// Commit makes changes to a bank, all or none, and returns when they are safe. A bank that isn't there is created.
	Commit(name string, c StoredChanges) error
	// Delete deletes a bank. One that isn't there is no error.
	Delete(name string) error
	// Place returns where the banks are kept, for people: it has no secret.
	Place() string
}

// SharedStore keeps banks that several processes serve at a time. It keeps their journals, too. A context bounds how long it waits.
type SharedStore interface {
	// Banks is that of Store.
	Banks() ([]StoredBank, error)
	// Names returns the names of the banks.
	Names(ctx context.Context) ([]string, error)
	// Bank returns a bank. It fails with ErrNoSandbox.
	Bank(ctx context.Context, name string) (StoredBank, error)
	// Create creates a bank. It fails with ErrTaken.
	Create(ctx context.Context, name string, c StoredChanges) (StoredVersion, error)
	// Begin waits until nobody uses a bank, and has it used by the caller until the turn ends. It fails with ErrDeleted where the bank of
	// the version isn't there any more.
	Begin(ctx context.Context, name string, since StoredVersion) (SharedTurn, error)
	// Conflicts returns how often a transaction was repeated because of others.
	Conflicts() uint64
	Place() string
}

// SharedTurn is a time in which one process uses a bank. It ends with Commit or Delete, or with End, which can follow them.
type SharedTurn interface {
	// News returns the version of the bank, and what others have done to it since the version that the turn began with or, if the store
	// doesn't know that any more, the whole bank.
	News() (StoredVersion, []StoredRecord, *StoredBank)
	// Commit makes changes, all or none, each of which has a record. Old records with exchanges are deleted, all but so many. It fails with
	// ErrUnsure where it can't be known whether it did.
	Commit(ctx context.Context, changes []StoredChanges, exchanges int) (StoredVersion, error)
	// Delete deletes the bank.
	Delete(ctx context.Context) error
	End()
}

// StoredBank is all that a store keeps of a sandbox.
type StoredBank struct {
	Name    string
	Meta    []byte                     // JSON
	Start   []byte                     // the scenario, in YAML
	Worlds  map[string][]sim.StoredRow // by name: see PresentWorld
	Version StoredVersion              // in a shared store
	Journal []StoredRecord             // likewise, those with an exchange
}

// PresentWorld is the name of the world that a bank has at present. Others are those to which it can return.
const PresentWorld = "present"

// StoredChanges are what a change makes of a bank.
type StoredChanges struct {
	Meta   []byte                     // nil: it stays, which only a shared store lets it
	Start  []byte                     // nil: it stays
	Rows   []sim.StoredRow            // of the present world, that were put or removed
	Worlds map[string][]sim.StoredRow // that take the place of what there was as a whole; nil rows: the world is deleted

	// Of a shared store.
	Exchange []byte // that is recorded; nil: none
	Newest   uint64 // number of the newest exchange that was recorded then
	Restarts bool   // whether the journal begins anew
}

// StoredVersion is the state of a bank in a shared store.
type StoredVersion struct {
	Bank  int64 // which bank of its name it is
	Seq   int64 // how many records it has had; 0: it isn't known
	Token int64 // of the last one, drawn at random
}

// StoredRecord is what a change did to a bank.
type StoredRecord struct {
	Meta     []byte // nil: it stayed
	Rows     []sim.StoredRow
	Exchange []byte // nil: none
	Number   uint64 // of the newest exchange then
}

// Errors of stores.
var (
	// ErrNotStored is the error of a change that the store didn't take. Nothing has changed.
	ErrNotStored = errors.New("the store of the banks can't be used at present")
	// ErrUnsure is the error of a change of which it isn't known whether a shared store has taken it.
	ErrUnsure = errors.New("the store of the banks didn't say whether it has taken the change, which may have been made")
)
