package explore

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
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

// when returns the conditions of the failure's rule: it fires for the call and, if it stays, for those that follow.
func (a Aimed) when() fault.When {
	if a.Failure.Stays {
		before := a.Call.Number - 1
		return fault.When{First: before + stays, After: before}
	}
	return fault.When{Nth: a.Call.Number}
}

// Rules returns the rules that make the calls fail, for a bank that had no request yet.
func (r Run) Rules() []fault.Rule {
	rules := make([]fault.Rule, len(r.Faults))
	for i, a := range r.Faults {
		rules[i] = fault.Rule{
			Name: ruleName(i), Operation: fault.Operations{a.Call.Operation}, When: a.when(),
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
		fmt.Fprintf(&b, "  - name: %s\n    operation: %s\n    when: %s\n", ruleName(i), a.Call.Operation, encode(a.when()))
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
	Succeeded bool     // whether the app reported success
	Evicted   uint64   // how many exchanges came before these, and found no room in the journal
}

// Change is a row that differs between two worlds, as the control API shows it. Each side has the members that the state shows of the
// row itself, and fingerprints of the secrets that it leaves out.
type Change struct {
	Row    string         `json:"row" about:"Its table and its key, such as accounts/02688/1001/acc-1001-checking."`
	Before map[string]any `json:"before" about:"null: it was not there."`
	After  map[string]any `json:"after" about:"null: it is not there."`
}

// Ended is how a run ended.
type Ended string

// The ends.
const (
	Passed Ended = "passed"
	Failed Ended = "failed" // by an assertion, or an exit code
	Hung   Ended = "hung"   // its time was over
)

// Failure is one way in which a call can fail.
type Failure struct {
	// Name is the status and the code of an error, such as 500_2001, or what happens to the answer: reset, timeout,
	// truncated, malformed, answer-lost-after-commit. 401_expired is a token that expires. One that stays ends with -stays.
	Name  string `json:"name"`
	About string `json:"about"` // in a sentence
	// Committed says that the change of the call is made, and its answer is lost or replaced.
	Committed bool `json:"committed,omitzero"`
	// Stays says that the calls of the operation that follow fail as well.
	Stays bool `json:"stays,omitzero"`
	// Then and Phase are those of the fault's rule.
	Then  fault.Then  `json:"then"`
	Phase fault.Phase `json:"phase,omitzero"`
}

// The names of failures that stand for others, see standsForOthers.
const (
	lostBefore = "reset"
	lostAfter  = "answer-lost-after-commit"
)

// A failure that stays fails so many calls (choice). Its name is that of the one that doesn't stay, with the suffix.
const (
	stays       = 50
	staysSuffix = "-stays"
)

// staying returns the failure as one that stays; ok is false if there is none: a token that has expired stays so by itself.
func (f Failure) staying() (staying Failure, ok bool) {
	ok = !f.Stays && !f.Then.ExpireToken
	f.Name, f.Stays = f.Name+staysSuffix, true
	f.About += fmt.Sprintf(" So it is with the calls of the operation that follow, %d in all.", stays)
	return f, ok
}

// byState are the rules that refuse requests in which nothing is wrong, because of the state that the bank is in: an app can't
// avoid them by correct requests.
var byState = []sim.Code{
	sim.GroupExists, sim.GroupBusy, sim.JobRunning,
	sim.UserNotActive, sim.DisclosureNotAccepted,
	sim.UserCredentialsWrong, sim.RefreshTokenInvalid,
	sim.AlertTypeNotOpted,
}

// Failures returns the ways in which calls of an operation can fail, in the dialect that the operation is described in: the
// errors that its description lists and that a behaviour makes possible, connection failures, and for an operation that
// changes the bank those before and after its commit. Their names are unique.
//
// They are those that differ for an app: of the errors with a status that which the family answers it with, and besides those
// of rules whose refusals an app can't avoid by correct requests.
func Failures(op *contract.Operation, b *sim.Behavior) []Failure {
	if b == nil {
		defaults := sim.DefaultBehavior()
		b = &defaults
	}
	p := contract.NewPolicies(*b).In(op.Dialect)
	return append(errorsOf(op, p), connectionFailures(op, op.Answer(p).Body != nil)...)
}

// errorsOf returns the errors of an operation by status, and in each that of an expired token and that of the family first.
func errorsOf(op *contract.Operation, p *sim.Policy) []Failure {
	statuses := slices.Clone(op.Errors)
	for i, status := range statuses {
		if status == http.StatusUnauthorized { // which a switch may replace
			statuses[i] = op.Family.Status(contract.Refusal{Status: status}, p)
		}
	}
	slices.Sort(statuses)
	var all []Failure
	var seen []string // statuses and codes
	for _, status := range slices.Compact(statuses) {
		common := op.Family.Injection(status)
		errors := append(refusals(op, p, status, sim.TokenExpired), common)
		errors = append(errors, refusals(op, p, status, byState...)...)
		if status == http.StatusInternalServerError {
			spike, _ := op.Family.InjectionOf(status, op.Family.Refusal(contract.SpikeArrested).Code)
			errors = append(errors, spike)
		}
		for _, i := range errors {
			f := Failure{Name: fmt.Sprintf("%d_%s", status, i.Code), Then: fault.Then{Status: status}}
			if i.Code == contract.InjectedCode { // the simulator's own, which says nothing to an app
				f.Name = strconv.Itoa(status)
			}
			if slices.Contains(seen, f.Name) {
				continue
			}
			seen = append(seen, f.Name)
			if i.Code != common.Code {
				f.Then.Error = &fault.Error{Code: i.Code}
			}
			f.About = fmt.Sprintf("It is answered with %d and code %s: %s.", status, i.Code, i.Message)
			if i.Rule == sim.TokenExpired {
				f.Name, f.Then = strconv.Itoa(status)+"_expired", fault.Then{ExpireToken: true}
				f.About = fmt.Sprintf("The access token expires for good: calls with it are answered with %d and code %s.", status, i.Code)
			}
			all = append(all, f)
		}
	}
	return all
}

// refusals returns the errors of an operation that have a status and one of the rules.
func refusals(op *contract.Operation, p *sim.Policy, status int, rules ...sim.Code) (all []contract.Injection) {
	for _, rule := range rules {
		r := op.Family.Refusal(rule)
		if !slices.Contains(op.Refuses, rule) || !r.AppliesUnder(p) || op.Family.Status(r, p) != status {
			continue
		}
		if i, ok := op.Family.InjectionOf(r.Status, r.Code); ok {
			i.Refusal = r
			all = append(all, i)
		}
	}
	return all
}

// connectionFailures returns what can happen to the answers of an operation.
func connectionFailures(op *contract.Operation, hasBody bool) []Failure {
	reset := &fault.Connection{Kind: fault.Reset{}}
	none := &fault.Connection{Kind: fault.Hang{For: fault.Duration(fault.MaxHang)}} // longer than any app should wait
	all := []Failure{
		{Name: lostBefore, About: "The connection is reset, and nothing is carried out.", Then: fault.Then{Connection: reset}},
		{Name: "timeout", About: "There is no answer, and nothing is carried out.", Then: fault.Then{Connection: none}},
	}
	after := func(name, about string, then fault.Then) {
		if op.Changes {
			about = "The change is made, and " + about
		}
		about = strings.ToUpper(about[:1]) + about[1:]
		all = append(all, Failure{Name: name, About: about, Committed: op.Changes, Phase: fault.After, Then: then})
	}
	if hasBody {
		truncated, malformed := &fault.Connection{Kind: fault.Truncate{}}, &fault.Connection{Kind: fault.Malformed{}}
		after("truncated", "half of the answer's body is sent.", fault.Then{Connection: truncated})
		after("malformed", "the body of the answer is not valid JSON.", fault.Then{Connection: malformed})
	}
	if !op.Changes {
		return all
	}
	after(lostAfter, "its answer is lost: the connection is reset.", fault.Then{Connection: reset})
	after("timeout-after-commit", "there is no answer.", fault.Then{Connection: none})
	if slices.Contains(op.Errors, 500) {
		code := op.Family.Injection(500).Code
		after("500-after-commit", "it is answered with 500 and code "+code+".", fault.Then{Status: 500})
	}
	return all
}

// standsForOthers reports whether a failure is one of those that are explored where a call fails that only a failed run makes: the
// service fails, the connection is lost, and the answer is lost after the change.
func standsForOthers(f Failure) bool {
	serverError := f.Then.Status == http.StatusInternalServerError && f.Then.Error == nil && !f.Committed
	return serverError || f.Name == lostBefore || f.Name == lostAfter
}
