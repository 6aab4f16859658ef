package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// getCoverage takes ?operation= and ?sandbox= and answers what was met since the start of the simulator, or in a sandbox since its
// creation; 404 if there is no such sandbox.
func (a control) getCoverage(w http.ResponseWriter, r *http.Request) error {
	operation := r.URL.Query().Get("operation")
	counter := a.Sandboxes.Coverage()
	if r.URL.Query().Has("sandbox") {
		sb, err := a.sandbox(r.URL.Query().Get("sandbox"))
		if err != nil {
			return err
		}
		counter = sb.Coverage()
	}
	run := counter.Run(a.Version)
	if operation != "" {
		run = run.Only(func(name string) bool { return name == operation })
	}
	return reply(w, coverage.File{Format: coverage.Format, Runs: []coverage.Run{run}})
}
