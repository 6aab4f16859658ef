package sandbox

import (
	"context"
	"errors"
	"iter"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Format is the number of the format of stored and exported banks. Format 1 is not read: it was never released.
const Format = 2

// Store keeps banks where they outlive this process: in a file or in a database. Without a store, banks are in memory
// and nothing is called. A store doesn't interpret rows and descriptions. Its methods may be called by many
// goroutines. Those of a database end when their context ends.
type Store interface {
	// Location says where the banks are. It is for people and has no secret.
	Location() string
	// Shared reports whether other processes may commit to the banks, too. Such a store keeps exchanges.
	Shared() bool
	// Check fails if the store can't be used now. After a failed write it tries to write.
	Check(ctx context.Context) error

	// List returns the heads of all banks, sorted by name, without a lock.
	List(ctx context.Context) ([]Head, error)
	// Load returns a bank at one version. It takes no lock. It fails with ErrNoSandbox.
	Load(ctx context.Context, name string) (Bank, error)
	// Export calls fn with a bank at one version, and with the rows of all its worlds, for fn to range over once. The
	// bank has no Worlds. Export fails with ErrNoSandbox, and with the error of fn.
	Export(ctx context.Context, name string, fn func(Bank, Rows) error) error
	// Create stores a new bank with the rows of all its worlds. It fails with ErrTaken and ErrUnsure, and with the
	// error of the rows.
	Create(ctx context.Context, name string, b Bank, rows Rows) (Version, error)
	// Delete deletes a bank. It fails with ErrUnsure, and with ErrDeleted if the bank of this version is gone.
	Delete(ctx context.Context, name string, v Version) error

	// Commit stores a batch, all of it or nothing, if the bank is still at the base version. It returns the version
	// that follows and the number of the first exchange, or 0 if the store keeps no exchanges. It fails with
	// ErrConflict, ErrDeleted or ErrUnsure. After another error nothing of a change is stored.
	Commit(ctx context.Context, name string, base Version, b Batch) (next Version, first uint64, err error)
	// Follow returns what others have committed since a version, and the exchanges after a number. It fails with
	// ErrDeleted, or with ErrTooOld if the bank must be loaded.
	Follow(ctx context.Context, name string, since Version, after uint64) (News, error)
	// Locked calls fn while no other process can commit to the bank. It returns the error of fn, or of the lock. A
	// commit of fn through the store that it is given ends the lock.
	Locked(ctx context.Context, name string, v Version, fn func(Store) error) error

	// Stage stores the rows of a world that a later commit will refer to by its id. It takes no lock for long.
	Stage(ctx context.Context, name string, v Version, rows Rows) error
	// World returns the rows of a world.
	World(ctx context.Context, name string, v Version, id WorldID) ([]sim.StoredRow, error)
	// Drop deletes worlds that the bank no longer refers to.
	Drop(ctx context.Context, name string, v Version, ids ...WorldID) error
}

// Version is the state of a stored bank. Two banks that have had the same name one after the other differ in Bank.
type Version struct {
	Bank  int64 // drawn when the bank was created
	Seq   int64 // counts the changes
	Token int64 // drawn for the last change, or 0
}

// WorldID identifies a world of a stored bank: its present one, a snapshot or the start of a fork.
type WorldID int64

// OwnRows is the WorldID of a bank's own rows: its faults and its snapshots.
const OwnRows WorldID = 0

// Head is a stored bank without its rows.
type Head struct {
	Name        string
	Version     Version
	Description []byte // JSON
}

// Bank is a stored bank at one version.
type Bank struct {
	Version     Version
	Description []byte // JSON
	Scenario    []byte // YAML
	Present     WorldID
	// Worlds has the rows of a loaded bank by world: its own rows and the present world at least.
	Worlds    map[WorldID][]sim.StoredRow
	Journal   uint64 // the generation in which the journal began
	Exchanges []NumberedExchange
	Last      uint64 // number of the newest exchange, or 0 if the store keeps none
}

// Rows yields rows of worlds, or an error in the place of the rest.
type Rows iter.Seq2[Row, error]

// NumberedExchange is an exchange that a store keeps.
type NumberedExchange struct {
	Number uint64 `json:"number"`
	Data   []byte `json:"data"` // see journal.Record.Encode
}

// Batch is what waiting requests commit together.
type Batch struct {
	Change    *Change  // leads to the next version; or nil if requests have only read
	Exchanges [][]byte // in the order of their numbers
	Journal   uint64   // the generation in which the journal began, after the change
	Present   WorldID  // after the change
	Keep      int      // how many exchanges the journal holds; older ones may be deleted
}

// Change is what the requests and calls of a batch have changed in a bank.
type Change struct {
	Description []byte // JSON
	Rows        []Row  // each once
	Scenario    []byte // the new scenario, or nil if it stays. Follow leaves it out
	// Whole says that the change replaced a world: it can't be followed row by row.
	Whole bool
}

// Row is a row of a world that a change put or removed.
type Row struct {
	World WorldID `json:"world,omitzero"`
	sim.StoredRow
}

// News is what others have committed to a bank.
type News struct {
	Version   Version  // of the last change
	Changes   []Change // each leads to the next version
	Exchanges []NumberedExchange
	Last      uint64 // number of the newest exchange
}

// Errors of stores.
var (
	// ErrConflict is the error of a commit whose base is no longer the version of the bank.
	ErrConflict = errors.New("the bank was changed by others")
	// ErrTooOld says that the version is too old to follow: load the bank.
	ErrTooOld = errors.New("the bank has changed too much to be followed")
	// ErrNotStored is the error of a change that the store didn't take. Nothing has changed.
	ErrNotStored = errors.New("the store of the banks can't be used at present")
	// ErrUnsure is the error of a change if it isn't known whether the store has taken it.
	ErrUnsure = errors.New("the store of the banks didn't say whether it has taken the change, " +
		"which may have been made")
)
