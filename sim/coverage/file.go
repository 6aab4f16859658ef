package coverage

import "time"

// Format names the format of files of coverage.
const Format = "banksim-coverage/1"

// File is the coverage of one or several runs of the simulator.
type File struct {
	Format string `json:"format"` // Format
	Runs   []Run  `json:"runs"`   // by their ids
}

// Run is what was met in one run of the simulator. Its counts only grow.
type Run struct {
	ID      string    `json:"id"` // random: merging a run with itself, or with what it was before, counts nothing twice
	Version string    `json:"version"`
	Started time.Time `json:"started"` // real time
	// Points has every point of every operation, in the order of the contract. Those of a dialect in which the operation
	// was not called are not possible, unless it was called in neither and the dialect is that of the document.
	Points []Met `json:"points"`
	// Entries are the entries of the ledger that answers rested on, with how many answers did.
	Entries map[string]uint64 `json:"entries"`
	// Besides are answers that no description lists, such as an injected status: their counts, by operation and status.
	Besides []Met `json:"besides"`
}
