package match

import (
	"maps"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

func (r Requests) checkQuery() (all []Mistake) {
	types := map[string][]typed{}
	for _, op := range r.Operations {
		for _, p := range op.Parameters {
			if p.In == "query" {
				types[p.Name] = append(types[p.Name], typed{Type: p.Type})
			}
		}
	}
	known := slices.Sorted(maps.Keys(types))
	ofOthers := contract.QueryParameters(contract.AllOperations())
	for _, name := range slices.Sorted(maps.Keys(r.Query)) {
		at, text, problem := []string{"query", name}, r.Query[name], ""
		near, isSlip := wording.Slip(name, known)
		isName := func(other string) bool { return strings.EqualFold(other, name) }
		switch {
		case len(r.Operations) == 0: // the path is the app's own
		case types[name] != nil:
			if text != nil {
				all = append(all, r.checkText(at, *text, types[name])...)
			}
		case isSlip:
			problem = "did you mean " + wording.Quote(near) + "?"
		case slices.ContainsFunc(contract.RequestHeaders(), isName):
			problem = "it is a header"
		case slices.ContainsFunc(ofOthers, isName):
			problem = r.have(known)
		case !r.OwnNames:
			problem = r.have(known) + ownNames
		}
		if problem != "" {
			problem = "unknown query parameter " + wording.Quote(name) + ": " + problem
			all = append(all, Mistake{Field: at, Text: problem})
		}
	}
	return all
}
