package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// getCoverage takes ?operation= and answers what was met since the start of the simulator, in all sandboxes.
func (a control) getCoverage(w http.ResponseWriter, r *http.Request) error {
	return a.replyCoverage(w, r, a.Sandboxes.Coverage())
}

// getSandboxCoverage takes ?operation= and answers what was met in a sandbox since its creation.
func (a control) getSandboxCoverage(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	return a.replyCoverage(w, r, sb.Coverage())
}

// replyCoverage answers 200 with a run.
func (a control) replyCoverage(w http.ResponseWriter, r *http.Request, c *coverage.Counter) error {
	operation, err := operationOf(r)
	if err != nil {
		return err
	}
	run := c.Run(a.Version)
	if operation != "" {
		run = run.Only(func(name string) bool { return name == operation })
	}
	return reply(w, coverage.File{Format: coverage.Format, Runs: []coverage.Run{run}})
}

// operationOf returns the operation that a call names in its query; empty: none.
func operationOf(r *http.Request) (string, error) {
	operation := r.URL.Query().Get("operation")
	if _, known := contract.Find(operation); !known && operation != "" {
		return "", refuse(http.StatusBadRequest, "there is no operation %s%s", phrase.Quote(operation),
			phrase.DidYouMean(operation, contract.Names(), "the operations are"))
	}
	return operation, nil
}
