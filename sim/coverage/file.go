package coverage

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Format names the format of files of coverage.
const Format = "banksim-coverage/1"

// File is the coverage of one or several runs of the simulator.
type File struct {
	Format string `json:"format"` // Format
	Runs   []Run  `json:"runs"`   // by their ids
}

// Run is what was met in one run of the simulator. Its counts only grow.
type Run struct {
	ID      string    `json:"id"` // random: summing a run up with itself, or with what it was before, counts nothing twice
	Version string    `json:"version"`
	Started time.Time `json:"started"` // real time
	// Points has every point of every operation, in the order of the contract. Those of a dialect in which the operation
	// was not called are not possible, unless it was called in neither and the dialect is that of the document.
	Points []Met `json:"points"`
	// Entries are the entries of the ledger that answers rested on, with how many answers did.
	Entries map[string]uint64 `json:"entries"`
	// Other are answers that no description lists, such as an injected status: their counts, by operation and status.
	Other []Met `json:"other"`
}

// Only returns what a run says of an operation. It leaves out the entries of the ledger that are about others as well, because their
// counts have other answers, too.
func (r Run) Only(operation string) Run {
	r.Points, r.Other = ofOperation(r.Points, operation), ofOperation(r.Other, operation)
	r.Entries = maps.Clone(r.Entries)
	maps.DeleteFunc(r.Entries, func(id string, _ uint64) bool {
		e, known := contract.FindEntry(id)
		return !known || !slices.Equal(e.Operations, []string{operation}) // one without operations is about all
	})
	return r
}

// Decode reads a file of coverage. It may be of another version of banksim, which knows other points, as long as the format is
// the same.
func Decode(data []byte) (File, error) {
	var f File
	if err := wire.Decode(data, &f); err != nil {
		return File{}, fmt.Errorf("it is not of format %s: %w", Format, err)
	}
	if f.Format != Format {
		return File{}, fmt.Errorf("its format is %s, and that of a file of coverage is %s", phrase.Quote(f.Format), Format)
	}
	if i := slices.IndexFunc(f.Runs, func(r Run) bool { return r.ID == "" }); i >= 0 {
		return File{}, fmt.Errorf("its member runs.%d.id is missing, by which runs are told apart", i)
	}
	return f, nil
}

// Encode returns a file of coverage with these runs. It leaves out points that were neither met nor possible: [Summarize] knows
// those of the contract.
func Encode(runs []Run) ([]byte, error) {
	f := File{Format: Format, Runs: slices.Clone(runs)}
	for i, r := range f.Runs {
		f.Runs[i].Points = slices.DeleteFunc(slices.Clone(r.Points), func(m Met) bool { return !m.Possible && !m.met() })
	}
	data, err := wire.Encode(f)
	return append(data, '\n'), err
}
