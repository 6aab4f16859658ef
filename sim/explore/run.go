package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Call is a request of an app to an operation.
type Call struct {
	Operation string `json:"operation"`
	Dialect   string `json:"dialect"`
	Number    int    `json:"number"` // among the calls of the operation in its run, from 1
	// Request identifies what was asked, without what differs from call to call, such as the id of the request.
	Request string `json:"request"`
}

// Name returns the operation and the number, such as groups.create#1.
func (c Call) Name() string { return fmt.Sprintf("%s#%d", c.Operation, c.Number) }

// Aimed is a failure of a call.
type Aimed struct {
	Call    Call    `json:"call"`
	Failure Failure `json:"failure"`
}

// Name returns the names of both, such as groups.create#1/500_2001.
func (a Aimed) Name() string { return a.Call.Name() + "/" + a.Failure.Name }

// Run is a run of the app.
type Run struct {
	Faults []Aimed `json:"faults"` // in the order of the calls; none: it is undisturbed

	place []int  // in the report: of each fault the places of the call in its run and of the failure
	state string // see trace.state
}

// Name returns the names of the faults, such as groups.create#1/500_2001, joined by "+".
func (r Run) Name() string {
	names := make([]string, len(r.Faults))
	for i, a := range r.Faults {
		names[i] = a.Name()
	}
	return strings.Join(names, "+")
}

// Rules returns the rules that make the calls fail, for a bank that had no request yet.
func (r Run) Rules() []fault.Rule {
	rules := make([]fault.Rule, len(r.Faults))
	for i, a := range r.Faults {
		rules[i] = fault.Rule{
			Name: ruleName(i), Operation: fault.On(a.Call.Operation), When: fault.When{Nth: a.Call.Number},
			Phase: a.Failure.Phase, Then: a.Failure.Then,
		}
	}
	return rules
}

const rulePrefix = "explore-"

// ruleName returns the name of the rule for a fault of a run, by its place.
func ruleName(i int) string { return fmt.Sprint(rulePrefix, i+1) }

// yaml returns the failures of a run as the faults of a scenario.
func (r Run) yaml() string {
	var b strings.Builder
	b.WriteString("faults:\n")
	for i, a := range r.Faults {
		fmt.Fprintf(&b, "  - name: %s\n    operation: %s\n    when: {nth: %d}\n", ruleName(i), a.Call.Operation, a.Call.Number)
		if a.Failure.Phase != "" {
			fmt.Fprintf(&b, "    phase: %s\n", a.Failure.Phase)
		}
		fmt.Fprintf(&b, "    then: %s\n", encode(a.Failure.Then)) // YAML in JSON's notation
	}
	return b.String()
}

// Observation is what a run came to.
type Observation struct {
	Exchanges []journal.Exchange // all that the bank had, oldest first
	Changes   []Change           // the rows in which the bank differs from its start
	Ended     Ended
	Message   string // of the app: why it failed, the end of its output; reports keep it, of which there may be thousands
	Took      time.Duration
	Broken    []string // the invariants that the end of the run broke, each with its error
	Evicted   uint64   // how many exchanges came before these, and found no room in the journal
}

// Change is a row in which the bank differs from its start. Its JSON is that of GET /v1/sandboxes/NAME/diff.
type Change struct {
	Row    string         `json:"row"`
	Before map[string]any `json:"before"` // nil: it was not there
	After  map[string]any `json:"after"`  // nil: it is not there
}

// Ended is how a run ended.
type Ended string

// The ends.
const (
	Passed Ended = "passed"
	Failed Ended = "failed" // by an assertion, or an exit code
	Hung   Ended = "hung"   // its time was over
)
