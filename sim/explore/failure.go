package explore

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// Failure is one way for a call to fail.
type Failure struct {
	// Name is the status and the code of an error, such as 500_2001, or what happens to the answer, such as reset,
	// timeout or answer-lost-after-commit. It is 401_expired if the access token expires, and ends with -stays if the
	// failure stays.
	Name  string `json:"name"`
	About string `json:"about"`
	// Committed says that the change of the call is made, and its answer is lost or replaced.
	Committed bool `json:"committed,omitzero"`
	// Stays says that the next calls of the operation fail as well.
	Stays bool        `json:"stays,omitzero"`
	Then  fault.Then  `json:"then"` // of the fault's rule
	Phase fault.Phase `json:"phase,omitzero"`
}

// The names of failures that stand for others, see isTypical.
const (
	lostBefore = "reset"
	lostAfter  = "answer-lost-after-commit"
)

const (
	stayingCalls  = 50 // how many calls a failure fails that stays (choice)
	stayingSuffix = "-stays"
)

// staying returns the failure as one that stays. It reports false if there is no such failure: an expired token stays
// expired anyway.
func (f Failure) staying() (Failure, bool) {
	ok := !f.Stays && !f.Then.ExpireToken
	f.Name, f.Stays = f.Name+stayingSuffix, true
	f.About += fmt.Sprintf(" The next calls of the operation fail as well, %d in all.", stayingCalls)
	return f, ok
}

// isTypical reports whether a failure is explored for calls that only failed runs make. It stands for the others then.
// The typical failures are an error of the service, and a connection that is lost before or after the change.
func isTypical(f Failure) bool {
	serviceFails := f.Then.Status == http.StatusInternalServerError && f.Then.Error == nil && !f.Committed
	return serviceFails || f.Name == lostBefore || f.Name == lostAfter
}

// stateRules refuse correct requests because of the state of the bank. An app can't avoid them.
var stateRules = []sim.Code{
	sim.GroupExists, sim.GroupBusy, sim.JobRunning,
	sim.UserNotActive, sim.DisclosureNotAccepted,
	sim.UserCredentialsWrong, sim.RefreshTokenInvalid,
	sim.AlertTypeNotOpted,
}

// Failures returns how calls of an operation can fail. Each failure has a name of its own. There are the errors that
// the description of the operation lists, and the failures of the connection. An operation that changes the bank can
// fail before and after the change. Errors that look alike to an app are one failure. Errors that only a wrong request
// meets are left out. A nil behavior is the default.
func Failures(op *contract.Operation, b *sim.Behavior) []Failure {
	if b == nil {
		defaults := sim.DefaultBehavior()
		b = &defaults
	}
	p := contract.NewPolicies(*b).In(op.Dialect)
	return append(errorFailures(op, p), connectionFailures(op, op.Answer(p).Body != nil)...)
}

// errorFailures returns the errors of an operation, by status.
func errorFailures(op *contract.Operation, p *sim.Policy) (all []Failure) {
	statuses := slices.Clone(op.Errors)
	for i, status := range statuses {
		if status == http.StatusUnauthorized { // a switch may replace it
			statuses[i] = op.Family.Status(contract.Refusal{Status: status}, p)
		}
	}
	slices.Sort(statuses)
	for _, status := range slices.Compact(statuses) {
		byStatus := op.Family.Injection(status)
		errors := append(refusals(op, p, status, sim.TokenExpired), byStatus)
		errors = append(errors, refusals(op, p, status, stateRules...)...)
		if status == http.StatusInternalServerError {
			spike, _ := op.Family.InjectionOf(status, op.Family.Refusal(contract.SpikeArrested).Code)
			errors = append(errors, spike)
		}
		seen := map[string]bool{}
		for _, e := range errors {
			if !seen[e.Code] {
				all = append(all, errorFailure(status, e, e.Code == byStatus.Code))
			}
			seen[e.Code] = true
		}
	}
	return all
}

// errorFailure returns the failure of a call that an error answers. byStatus says that a fault needs only the status to
// answer so.
func errorFailure(status int, e contract.Injection, byStatus bool) Failure {
	if e.Rule == sim.TokenExpired {
		return Failure{
			Name: strconv.Itoa(status) + "_expired", Then: fault.Then{ExpireToken: true},
			About: fmt.Sprintf("The access token expires for good: calls with it are answered with %d and code %s.",
				status, e.Code),
		}
	}
	f := Failure{
		Name: fmt.Sprintf("%d_%s", status, e.Code), Then: fault.Then{Status: status},
		About: fmt.Sprintf("It is answered with %d and code %s: %s.", status, e.Code, e.Message),
	}
	if e.Code == contract.InjectedCode { // the simulator's own code says nothing to an app
		f.Name = strconv.Itoa(status)
	}
	if !byStatus {
		f.Then.Error = &fault.Error{Code: e.Code}
	}
	return f
}

// refusals returns the errors of those rules that refuse calls of an operation with a status.
func refusals(op *contract.Operation, p *sim.Policy, status int, rules ...sim.Code) (all []contract.Injection) {
	for _, rule := range rules {
		r := op.Family.Refusal(rule)
		if !slices.Contains(op.Refuses, rule) || !r.AppliesUnder(p) || op.Family.Status(r, p) != status {
			continue
		}
		if e, ok := op.Family.InjectionOf(r.Status, r.Code); ok {
			e.Refusal = r
			all = append(all, e)
		}
	}
	return all
}

// connectionFailures returns what can happen to the answers of an operation, and to the body that they may have.
func connectionFailures(op *contract.Operation, hasBody bool) []Failure {
	by := func(kind fault.Kind) fault.Then { return fault.Then{Connection: &fault.Connection{Kind: kind}} }
	hang := fault.Hang{For: fault.Duration(fault.MaxHang)} // longer than any app should wait
	all := []Failure{
		{Name: lostBefore, About: "The connection is reset, and nothing is carried out.", Then: by(fault.Reset{})},
		{Name: "timeout", About: "There is no answer, and nothing is carried out.", Then: by(hang)},
	}
	after := func(name, about string, then fault.Then) {
		if op.Changes {
			about = "The change is made. " + about
		}
		all = append(all, Failure{Name: name, About: about, Committed: op.Changes, Phase: fault.After, Then: then})
	}
	if hasBody {
		after("truncated", "Half of the answer's body is sent.", by(fault.Truncate{}))
		after("malformed", "The body of the answer is not valid JSON.", by(fault.Malformed{}))
	}
	if op.Changes {
		after(lostAfter, "Its answer is lost: the connection is reset.", by(fault.Reset{}))
		after("timeout-after-commit", "There is no answer.", by(hang))
	}
	if op.Changes && slices.Contains(op.Errors, 500) {
		code := op.Family.Injection(500).Code
		after("500-after-commit", "It is answered with 500 and code "+code+".", fault.Then{Status: 500})
	}
	return all
}
