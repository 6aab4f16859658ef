package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Observation holds the requests that the bank had in a run, the rows that differ after it, and how the app ended.
type Observation struct {
	Exchanges []journal.Exchange // all that the journal has, oldest first
	Evicted   uint64             // earlier exchanges that the journal has lost
	Changes   []Change           // the rows that differ from the start
	Ended     Ended
	Message   string // what the app said about its failure, cut by the caller: a report may hold thousands of messages
	Took      time.Duration
	Broken    []string // the invariants that don't hold at the end, each with its error
	Succeeded bool     // whether the app reported success
}

// Change is a row that differs between two worlds, as the control API shows it. Secrets are fingerprints.
type Change struct {
	Row    string         `json:"row" doc:"Its table and its key, such as accounts/02688/1001/acc-1001-checking."`
	Before map[string]any `json:"before" doc:"null: it was not there."`
	After  map[string]any `json:"after" doc:"null: it is not there."`
}

// Ended is how a run ended.
type Ended string

// A run ends in one of these ways.
const (
	Passed Ended = "passed"
	Failed Ended = "failed" // by an assertion or an exit code
	Hung   Ended = "hung"   // it took too long
)

// checkUndisturbed returns an error if an undisturbed run says nothing about what to explore.
func checkUndisturbed(o Observation, allOrNothing bool) error {
	t := newTrace(o.Exchanges, nil)
	switch {
	case o.Ended == Hung:
		text := "it doesn't end in its time: give it more, or look what it waits for\n" + o.Message
		return errors.New(strings.TrimSpace(text))
	case o.Ended != Passed:
		return fmt.Errorf("it fails: %s", o.Message)
	case len(o.Broken) > 0:
		return fmt.Errorf("the end breaks an invariant: %s", o.Broken[0])
	case o.Evicted > 0:
		return fmt.Errorf("it makes more requests than a journal holds, which has lost the first %d of them: "+
			"explore a smaller part of it", o.Evicted)
	case len(t.calls) == 0:
		return fmt.Errorf("it calls no operation of the bank, and makes %d other requests: "+
			"give it the base URL of its bank, to which it appends the paths of the interface", len(o.Exchanges))
	case allOrNothing && len(newRows(o.Changes, t)) == 0 && !slices.ContainsFunc(t.calls, tracedCall.changesRows):
		return fmt.Errorf("it changes nothing that could be left half done, so all or nothing can't be required: "+
			"its calls are %s. Let it make a change that the bank accepts, or don't require all or nothing",
			strings.Join(t.report(), ", "))
	}
	return nil
}
