package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// getCoverage answers with a [coverage.File] of one run.
func (a control) getCoverage(w http.ResponseWriter, r *http.Request) error {
	operation := r.URL.Query().Get("operation")
	counter := a.Sandboxes.Coverage()
	if r.URL.Query().Has("sandbox") {
		sb, err := a.sandbox(r.Context(), r.URL.Query().Get("sandbox"))
		if err != nil {
			return err
		}
		counter = sb.Coverage()
	}
	run := counter.Run(a.Version)
	if operation != "" {
		run = run.Only(operation)
	}
	return reply(w, coverage.File{Format: coverage.Format, Runs: []coverage.Run{run}})
}
