package explore

import (
	"encoding/json"
	"fmt"
	"regexp"
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

	when *fault.When // that finds the call where its number doesn't; nil: that does
}

// Name returns the names of both, such as groups.create#1/500_2001.
func (a Aimed) Name() string { return a.Call.Name() + "/" + a.Failure.Name }

// rule returns the rule that makes the call fail.
func (a Aimed) rule(name string) fault.Rule {
	when := fault.When{Nth: a.Call.Number}
	if a.when != nil {
		when = *a.when
	}
	return fault.Rule{Name: name, Operation: fault.On(a.Call.Operation), When: when, Phase: a.Failure.Phase, Then: a.Failure.Then}
}

// Run is a run of the app.
type Run struct {
	Faults []Aimed `json:"faults"` // in the order of the calls; none: it is undisturbed

	place   []int // in the report: of each fault the places of the call in its run and of the failure
	state   [16]byte
	counted bool // whether it counts as made already
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
		rules[i] = a.rule(ruleName(i))
	}
	return rules
}

// ruleName returns the name of the rule for a fault of a run, by its place.
func ruleName(i int) string { return fmt.Sprintf("explore-%d", i+1) }

// ours matches the names of these rules.
var ours = regexp.MustCompile(`^explore-[0-9]+$`)

// Observation is what a run came to.
type Observation struct {
	Exchanges []journal.Exchange // all that the bank had, oldest first
	Changes   []Change           // the rows in which the bank differs from its start
	Ended     Ended
	Message   string // of the app: why it failed, the end of its output
	Took      time.Duration
	Broken    []string // the invariants that the end of the run broke, each with its error
	Evicted   uint64   // how many exchanges came before these, and found no room in the journal
}

// Change is a row in which the bank differs from its start. Its JSON is that of GET /v1/sandboxes/NAME/diff.
type Change struct {
	Row    string          `json:"row"`
	Before json.RawMessage `json:"before"` // null: it was not there
	After  json.RawMessage `json:"after"`  // null: it is not there
}

// Ended is how a run ended.
type Ended string

// The ends.
const (
	Passed Ended = "passed"
	Failed Ended = "failed" // by an assertion, or an exit code
	Hung   Ended = "hung"   // its time was over
)
