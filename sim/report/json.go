package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

//go:embed report.schema.json
var schemaSource []byte

// Schema returns the JSON Schema of reports in JSON (draft 2020-12).
func Schema() []byte { return bytes.Clone(schemaSource) }

// writeJSON returns the report in JSON. Lists without elements are written as such and not as null.
func writeJSON(r Report) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(withLists(r))
	return out.Bytes(), err
}

// withLists returns the report with empty lists in the place of nil. It leaves the report that it is given as it is.
func withLists(r Report) Report {
	if r.Coverage != nil {
		c := *r.Coverage
		c.Operations = listed(c.Operations, func(o *coverage.OperationSummary) { o.Points, o.Besides = listOf(o.Points), listOf(o.Besides) })
		c.Entries = listOf(c.Entries)
		r.Coverage = &c
	}
	r.Explorations = listed(r.Explorations, func(e *explore.Report) {
		e.Calls = listOf(e.Calls)
		e.Results = listed(e.Results, func(o *explore.Result) {
			o.Faults, o.Calls, o.Differences, o.Findings = listOf(o.Faults), listOf(o.Calls), listOf(o.Differences), listOf(o.Findings)
		})
	})
	return r
}

// listed returns a copy of a list with each element changed.
func listed[T any](of []T, change func(*T)) []T {
	all := listOf(slices.Clone(of))
	for i := range all {
		change(&all[i])
	}
	return all
}

func listOf[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}
