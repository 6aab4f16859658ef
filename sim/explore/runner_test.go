package explore_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// app is what the apps of these tests have: a bank, and a number for the ids of requests.
type app struct {
	bank     *simtest.Bank
	run      int // how many runs were made before
	requests int
}

// anApp is an app: it does what it is for, and fails with an error if it couldn't.
type anApp func(a *app) error

// answer is an answer that was read.
type answer struct {
	status int
	body   map[string]any
}

var errRefused = errors.New("refused")

// send sends a call with an id of its own, and reads the answer. An answer that is no success is errRefused.
func (a *app) send(call simtest.Call) (answer, error) {
	a.requests++
	res, err := call.With("transactionId", fmt.Sprintf("t-%d", a.requests)).Try(a.bank)
	if err != nil {
		return answer{}, err
	}
	got := answer{status: res.StatusCode}
	if res.Body != "" {
		err = json.Unmarshal([]byte(res.Body), &got.body)
	}
	if err == nil && got.status >= 300 {
		err = errRefused
	}
	return got, err
}

// runner runs an app in banks of its own.
type runner struct {
	t        *testing.T
	scenario string
	app      anApp
	reports  bool // whether the app reports its outcome
	runs     int
}

// run makes a run.
func (r *runner) run(of explore.Run) explore.Observation {
	r.t.Helper()
	b := simtest.NewBank(r.t, cmp.Or(r.scenario, simtest.FrozenRetail))
	if len(of.Faults) > 0 {
		b.ControlSandbox(201, "POST /faults", simtest.JSON(of.Rules()))
	}
	began := time.Now()
	err := r.app(&app{bank: b, run: r.runs})
	r.runs++
	o := explore.Observation{Ended: explore.Passed, Took: time.Since(began), Succeeded: r.reports && err == nil}
	if err != nil {
		o.Ended, o.Message = explore.Failed, err.Error()
	}
	o.Exchanges = b.Exchanges(journal.Query{})
	var diff struct{ Changes []explore.Change }
	require.NoError(r.t, json.Unmarshal([]byte(b.ControlSandbox(200, "GET /diff", "").Body), &diff))
	o.Changes = diff.Changes
	return o
}

// explore explores an app.
func (r *runner) explore(o explore.Options) explore.Report {
	r.t.Helper()
	e, err := explore.New(o, r.run(explore.Run{}), r.run(explore.Run{}))
	require.NoError(r.t, err)
	for runs := e.Next(); len(runs) > 0; runs = e.Next() {
		for _, run := range runs {
			e.Done(run, r.run(run))
		}
	}
	return e.Report()
}

// results returns the results by the names of their runs.
func results(r explore.Report) map[string]explore.Result {
	all := map[string]explore.Result{}
	for _, result := range r.Results {
		all[result.Name] = result
	}
	return all
}

// withoutTimeouts selects all failures but timeouts, which take the app's patience.
var withoutTimeouts = []string{"*/[^t]*", "*/truncated"}
