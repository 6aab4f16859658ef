package controlapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// coverageStart is what a file of coverage begins with.
type coverageStart struct {
	Format string `json:"format"`
}

// coverageRunStart is what a run begins with.
type coverageRunStart struct {
	ID      string    `json:"id"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// getCoverage takes ?operation= and answers what was met since the start of the simulator, in all sandboxes.
func (a control) getCoverage(w http.ResponseWriter, r *http.Request) error {
	operation, err := operationOf(r)
	if err != nil {
		return err
	}
	return a.replyCoverage(w, r, func() coverage.Run { return a.Sandboxes.Coverage().Run(a.Version, operation) })
}

// getSandboxCoverage takes ?operation= and answers what was met in a sandbox since its creation.
func (a control) getSandboxCoverage(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	operation, err := operationOf(r)
	if err != nil {
		return err
	}
	return a.replyCoverage(w, r, func() coverage.Run { return sb.Coverage().Run(a.Version, sb.Name(), sb.CreatedAt(), operation) })
}

// replyCoverage answers 200 with a run, point by point. The run is summed up once there is a place for the answer, because it takes
// as much memory as the answer, and those that wait should take none.
func (a control) replyCoverage(w http.ResponseWriter, r *http.Request, sumUp func() coverage.Run) error {
	return a.replyInTurn(w, r, func(s *wire.Stream) {
		run := sumUp()
		s.Open(coverageStart{coverage.Format})
		s.Text(`,"runs":[`)
		s.Open(coverageRunStart{run.ID, run.Version, run.Started})
		s.Text(`,"points":`)
		wire.Array(s, slices.Values(run.Points), func(m coverage.Met) { s.Value(m) })
		s.Text(`,"entries":`)
		s.Value(run.Entries)
		s.Text(`,"besides":`)
		wire.Array(s, slices.Values(run.Besides), func(m coverage.Met) { s.Value(m) })
		s.Text("}]}")
	})
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
