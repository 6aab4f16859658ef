package coverage

import (
	"maps"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Only returns what a file says of some operations. Of the entries of the ledger it keeps those that are about nothing else,
// because the counts of others have other answers, too.
func Only(f File, include func(operation string) bool) File {
	others := func(p Met) bool { return !include(p.Operation) }
	only := File{Format: Format, Runs: slices.Clone(f.Runs)}
	for i, r := range only.Runs {
		r.Points = slices.DeleteFunc(slices.Clone(r.Points), others)
		r.Besides = slices.DeleteFunc(slices.Clone(r.Besides), others)
		r.Entries = maps.Clone(r.Entries)
		maps.DeleteFunc(r.Entries, func(id string, _ uint64) bool {
			e, ok := contract.FindEntry(id)
			return !ok || len(e.Operations) == 0 || slices.ContainsFunc(e.Operations, func(name string) bool { return !include(name) })
		})
		only.Runs[i] = r
	}
	return only
}
