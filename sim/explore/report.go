package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verdict is the bank's judgement on the end of a run, compared with that of the undisturbed run, up to generated ids,
// tokens and times.
type Verdict string

// The verdicts.
const (
	Completed       Verdict = "completed"        // the same state
	NothingHappened Verdict = "nothing happened" // the state of the start
	HalfDone        Verdict = "left half done"   // neither
	DoneTwice       Verdict = "done twice"       // the same state, and rows of it again
)

// Reaction is what the app did after a failure.
type Reaction string

// The reactions.
const (
	GaveUp         Reaction = "gave up"                          // it made no more calls
	RetriedSameID  Reaction = "retried with the same request id" // the same request
	RetriedNewID   Reaction = "retried with a new request id"    // the same request
	RetriedNoID    Reaction = "retried without a request id"     // the same request
	WentOn         Reaction = "went on regardless"               // with the call that follows in the undisturbed run
	Compensated    Reaction = "did something else"               // a call that the undisturbed run doesn't make
	DidNotNotice   Reaction = "was not reached by the failure"   // the fault didn't fire
	HungAfterwards Reaction = "hung"                             // it didn't end in its time
)

// Result is what a run came to.
type Result struct {
	Name     string        `json:"name"`
	Faults   []Aimed       `json:"faults"`
	Verdict  Verdict       `json:"verdict"`
	Reaction Reaction      `json:"reaction"` // to the last fault
	Ended    Ended         `json:"ended"`
	Message  string        `json:"message,omitzero"`
	Took     time.Duration `json:"took"` // nanoseconds
	// Calls are the names of the calls that the run made, with the statuses of their answers, such as "groups.create#1 500".
	Calls []string `json:"calls"`
	// Differences are the rows in which the end differs from that of the undisturbed run, each in a line.
	Differences []string `json:"differences"`
	// Findings say what is wrong, each in a sentence. None: nothing is.
	Findings []string `json:"findings"`
	YAML     string   `json:"yaml"` // the faults of a scenario
	Run      string   `json:"run"`  // the command that makes this run alone

	place []int // in the report
}

// Report is what an exploration found.
type Report struct {
	Format string   `json:"format"` // ReportFormat
	Name   string   `json:"name"`
	Calls  []string `json:"calls"` // of the undisturbed run, by their names
	// NotDeterministic names the first difference between the two undisturbed runs; empty: there is none.
	NotDeterministic string   `json:"notDeterministic,omitzero"`
	Results          []Result `json:"results"` // in the order of the calls and failures
	Runs             int      `json:"runs"`
	// SameAsAnother are the runs that were not made because the same calls with the same changes come before the same failure as in one
	// that was.
	SameAsAnother int           `json:"sameAsAnother"`
	LeftOut       int           `json:"leftOut"`        // runs that were not made because a bound was reached, or that were not selected
	Ended         string        `json:"ended,omitzero"` // which bound or interruption ended it early; empty: none
	Took          time.Duration `json:"took"`           // nanoseconds
}

// Findings returns how many findings there are.
func (r Report) Findings() int {
	n := 0
	for _, result := range r.Results {
		n += len(result.Findings)
	}
	return n
}

// Nothing says why the exploration says nothing about what the app does when a call fails, or which pattern selects no failure; empty:
// it says something.
func (e *Explorer) Nothing() string {
	r := e.Report()
	for _, pattern := range e.options.Only {
		if !e.matched[pattern] && r.Ended == "" {
			return fmt.Sprintf("%q selects no failure of the calls %s", pattern, strings.Join(r.Calls, ", "))
		}
	}
	switch {
	case len(r.Results) == 0:
		return "no run with a failure was made: " + cmp.Or(r.Ended, "all of them were skipped")
	case !slices.ContainsFunc(r.Results, func(result Result) bool { return result.Reaction != DidNotNotice }):
		return fmt.Sprintf("none of the %d failures reached the app: no call met them, or they were taken away from the bank", len(r.Results))
	}
	return ""
}

// ReportFormat names the format of reports.
const ReportFormat = "banksim-exploration/1"
