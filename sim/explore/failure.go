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

// Failure is one way in which a call can fail.
type Failure struct {
	// Name is the status and the code of an error, such as 500_2001, or what happens to the answer: reset, timeout,
	// truncated, malformed, answer-lost-after-commit. 401_expired is a token that has expired.
	Name  string `json:"name"`
	About string `json:"about"` // in a sentence
	// Committed says that the change of the call is made, and its answer is lost or replaced.
	Committed bool `json:"committed,omitzero"`
	// Then and Phase are those of the fault's rule.
	Then  fault.Then  `json:"then"`
	Phase fault.Phase `json:"phase,omitzero"`
}

// The names of failures that are no errors of an operation.
const (
	lostBefore      = "reset"
	noAnswer        = "timeout"
	lostAfter       = "answer-lost-after-commit"
	noAnswerAfter   = "timeout-after-commit"
	cut             = "truncated"
	unreadable      = "malformed"
	afterCommit     = "-after-commit" // follows the status of an error
	expired         = "_expired"      // follows the status with which an expired token is refused
	serverErrorCode = http.StatusInternalServerError
)

// hang is longer than any app should wait, so that one without a deadline shows.
const hang = fault.MaxHang

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
	l := &failures{op: op, behavior: contract.SpokenIn(b, op.Dialect)}
	l.errors()
	l.connections()
	return l.all
}

// failures lists the failures of an operation.
type failures struct {
	op       *contract.Operation
	behavior *sim.Behavior
	all      []Failure
	seen     []string // the statuses and codes of errors
}

// errors adds the errors: by status, and in each those of the family first.
func (l *failures) errors() {
	f := l.op.Family
	expiry, expires := l.refusal(sim.TokenExpired)
	statuses := slices.Clone(l.op.Errors)
	for i, status := range statuses {
		if status == http.StatusUnauthorized { // which a switch may replace
			statuses[i] = f.Status(contract.Refusal{Status: status}, l.behavior)
		}
	}
	slices.Sort(statuses)
	for _, status := range slices.Compact(statuses) {
		if expires && f.Status(expiry.Refusal, l.behavior) == status {
			l.expired(status, expiry)
		}
		l.error(status, f.Injection(status))
		for _, rule := range byState {
			if i, ok := l.refusal(rule); ok && f.Status(i.Refusal, l.behavior) == status {
				l.error(status, i)
			}
		}
		if status == serverErrorCode {
			spike, _ := f.InjectionOf(status, f.Refusal(contract.SpikeArrested).Code)
			l.error(status, spike)
		}
	}
}

// refusal returns the error of a rule that can refuse requests to the operation.
func (l *failures) refusal(rule sim.Code) (contract.Injection, bool) {
	if !slices.Contains(l.op.Refuses, rule) {
		return contract.Injection{}, false
	}
	r := l.op.Family.Refusal(rule)
	if !r.AppliesUnder(l.behavior) {
		return contract.Injection{}, false
	}
	i, ok := l.op.Family.InjectionOf(r.Status, r.Code)
	i.Refusal = r
	return i, ok
}

// error adds an error, unless one with its status and code is there.
func (l *failures) error(status int, i contract.Injection) {
	name := errorName(status, i.Code)
	if slices.Contains(l.seen, name) {
		return
	}
	l.seen = append(l.seen, name)
	then := fault.Then{Status: status}
	if i.Code != l.op.Family.Injection(status).Code {
		then.Error = &fault.Error{Code: i.Code}
	}
	l.add(Failure{Name: name, About: answered(status, i.Code, i.Message), Then: then})
}

// expired adds the refusal of an expired token, in place of the error with the same status and code.
func (l *failures) expired(status int, i contract.Injection) {
	l.seen = append(l.seen, errorName(status, i.Code))
	then := fault.Then{Status: status, Error: &fault.Error{Code: i.Code, Message: "the access token has expired"}}
	l.add(Failure{Name: strconv.Itoa(status) + expired, About: answered(status, i.Code, then.Error.Message), Then: then})
}

// errorName names an error. A code that is the simulator's own says nothing to an app.
func errorName(status int, code string) string {
	if code == contract.InjectedCode {
		return strconv.Itoa(status)
	}
	return fmt.Sprintf("%d_%s", status, code)
}

func answered(status int, code, message string) string {
	return fmt.Sprintf("It is answered with %d and code %s: %s.", status, code, message)
}

// connections adds what happens to answers.
func (l *failures) connections() {
	lost := fault.Then{Connection: &fault.Connection{Kind: fault.Reset}}
	none := fault.Then{Connection: &fault.Connection{Kind: fault.Hang, Hang: fault.Duration(hang)}}
	l.add(Failure{Name: lostBefore, About: "The connection is reset, and nothing is carried out.", Then: lost})
	l.add(Failure{Name: noAnswer, About: "There is no answer, and nothing is carried out.", Then: none})
	changes := l.op.Changes
	made := ""
	if changes {
		made = "The change is made, and "
	}
	if l.op.Answer(l.behavior).Body != nil { // of an answer without a body there is nothing to cut
		l.add(Failure{Name: cut, About: sentence(made + "half of the answer's body is sent."), Committed: changes, Phase: fault.After,
			Then: fault.Then{Connection: &fault.Connection{Kind: fault.Truncate}}})
		l.add(Failure{Name: unreadable, About: sentence(made + "the body of the answer is not valid JSON."), Committed: changes, Phase: fault.After,
			Then: fault.Then{Connection: &fault.Connection{Kind: fault.Malformed}}})
	}
	if !changes {
		return
	}
	l.add(Failure{Name: lostAfter, About: made + "its answer is lost: the connection is reset.", Committed: true, Phase: fault.After, Then: lost})
	l.add(Failure{Name: noAnswerAfter, About: made + "there is no answer.", Committed: true, Phase: fault.After, Then: none})
	if slices.Contains(l.op.Errors, serverErrorCode) {
		i := l.op.Family.Injection(serverErrorCode)
		l.add(Failure{Name: strconv.Itoa(serverErrorCode) + afterCommit, Committed: true, Phase: fault.After,
			About: made + fmt.Sprintf("it is answered with %d and code %s.", serverErrorCode, i.Code), Then: fault.Then{Status: serverErrorCode}})
	}
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text[0] >= 'a' && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}

func (l *failures) add(f Failure) { l.all = append(l.all, f) }

// few returns those of an operation's failures that stand for the others where a call fails that only a failed run makes: the
// service fails, the connection is lost, and the answer is lost after the change.
func few(all []Failure) []Failure {
	var some []Failure
	for _, f := range all {
		serverError := f.Then.Status == serverErrorCode && f.Then.Error == nil && !f.Committed
		if serverError || f.Name == lostBefore || f.Name == lostAfter {
			some = append(some, f)
		}
	}
	return some
}
