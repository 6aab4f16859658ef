package explore

import (
	"cmp"
	"slices"
	"time"
)

// Report is what an exploration has found.
type Report struct {
	Name  string   `json:"name"`
	Calls []string `json:"calls"` // names of the calls of the undisturbed run
	// Refused are the calls that the undisturbed run makes in vain, with the statuses of their answers.
	Refused []string `json:"refused,omitzero"`
	// NotDeterministic is the first difference between the two undisturbed runs, or empty.
	NotDeterministic string        `json:"notDeterministic,omitzero"`
	Results          []Result      `json:"results"` // in the order of the calls and failures
	Runs             int           `json:"runs"`
	SameAsAnother    int           `json:"sameAsAnother"`  // runs that were not made because they equal another run
	LeftOut          int           `json:"leftOut"`        // runs that a bound or a pattern left out
	Ended            string        `json:"ended,omitzero"` // why it ended early, or empty
	Took             time.Duration `json:"took"`           // in nanoseconds
}

// Result is what a run with a failure came to.
type Result struct {
	Name     string        `json:"name"`
	Faults   []FailingCall `json:"faults"`
	Verdict  Verdict       `json:"verdict"`
	Reaction Reaction      `json:"reaction"` // to the last fault
	Ended    Ended         `json:"ended"`
	Message  string        `json:"message,omitzero"`
	Took     time.Duration `json:"took"` // in nanoseconds
	// Calls are the calls that the run made, with the statuses of their answers, such as "groups.create#1 500".
	Calls       []string `json:"calls"`
	Differences []string `json:"differences"`     // from the end of the undisturbed run, each row in a line
	Findings    []string `json:"findings"`        // what is wrong, each in a sentence
	SameAs      string   `json:"sameAs,omitzero"` // an earlier or shorter run with the same findings and differences
	YAML        string   `json:"yaml"`            // the faults for a scenario
	Run         string   `json:"run"`             // the command that repeats this run

	order []int
	cause string // the findings and differences, or "" without findings
}

// Findings returns how many findings there are.
func (r Report) Findings() int {
	n := 0
	for _, result := range r.Results {
		n += len(result.Findings)
	}
	return n
}

// sort sorts the results by calls and failures. Results of the same cause name the first result that has the fewest
// failures.
func (r *Report) sort() {
	byOrder := func(a, b Result) int { return slices.Compare(a.order, b.order) }
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(len(a.Faults), len(b.Faults)), byOrder(a, b))
	})
	first := map[string]string{}
	for i := range r.Results {
		if result := &r.Results[i]; result.cause != "" {
			result.SameAs = first[result.cause]
			first[result.cause] = cmp.Or(first[result.cause], result.Name)
		}
	}
	slices.SortStableFunc(r.Results, byOrder)
}
