package coverage

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Format names the format of coverage files.
const Format = "banksim-coverage/1"

// File is the coverage of one or several runs of the simulator.
type File struct {
	Format string `json:"format"` // the constant Format
	Runs   []Run  `json:"runs"`
}

// Run is the coverage of one run of the simulator. Its counts only grow.
type Run struct {
	ID      string    `json:"id"` // random: nothing counts twice if a run is given twice, early and late
	Version string    `json:"version"`
	Started time.Time `json:"started"` // real time
	// Points are all points of all operations, in the order of the contract. They are possible only in the dialects of
	// the calls. If an operation was never called, they are possible in one dialect.
	Points []PointCount `json:"points"`
	// Entries maps an entry of the ledger to the number of answers that cite it.
	Entries map[string]uint64 `json:"entries"`
	// Other are answers that no description lists, such as an injected 418.
	Other []PointCount `json:"other"`
}

// Only returns the part of a run that is about an operation. An entry of the ledger that other operations cite as well
// is left out.
func (r Run) Only(operation string) Run {
	r.Points, r.Other = ofOperation(r.Points, operation), ofOperation(r.Other, operation)
	r.Entries = maps.Clone(r.Entries)
	maps.DeleteFunc(r.Entries, func(id string, _ uint64) bool {
		e, known := contract.FindEntry(id)
		return !known || !slices.Equal(e.Operations, []string{operation})
	})
	return r
}

func ofOperation(points []PointCount, name string) []PointCount {
	return slices.DeleteFunc(slices.Clone(points), func(p PointCount) bool { return p.Operation != name })
}

// Decode reads a coverage file. Another version of banksim may have written it, with other points, as long as the
// format is the same.
func Decode(data []byte) (File, error) {
	var f File
	if err := strictjson.Decode(data, &f); err != nil {
		return File{}, fmt.Errorf("it is not of format %s: %w", Format, err)
	}
	if f.Format != Format {
		return File{}, fmt.Errorf("its format is %s, and a coverage file has the format %s",
			wording.Quote(f.Format), Format)
	}
	if i := slices.IndexFunc(f.Runs, func(r Run) bool { return r.ID == "" }); i >= 0 {
		return File{}, fmt.Errorf("its member runs.%d.id is missing: without it, a run could count twice", i)
	}
	return f, nil
}

// Encode returns a coverage file with these runs. It leaves out points that are neither covered nor possible, because
// [Summarize] knows the points of the contract.
func Encode(runs []Run) ([]byte, error) {
	f := File{Format: Format, Runs: slices.Clone(runs)}
	for i, r := range f.Runs {
		isDispensable := func(p PointCount) bool { return !p.Possible && !p.isCovered() }
		f.Runs[i].Points = slices.DeleteFunc(slices.Clone(r.Points), isDispensable)
	}
	data, err := strictjson.Encode(f)
	return append(data, '\n'), err
}
