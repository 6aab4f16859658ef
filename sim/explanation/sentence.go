package explanation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// reason gives the reason for the answer: in a line, and at length. The sentence has what faults did, what the bank
// decided, and what that rests on. credentials says why they were not accepted, or is "".
func (why Explanation) reason(credentials string) (cause, sentence string) {
	x, f := why.Exchange, cmp.Or(why.Exchange.Fault, &journal.Fault{})
	expired, answered, delayed := why.did("The fault", f.ExpiredBy), why.did("The fault", f.AnsweredBy), ""
	if answered != "" && f.Undocumented {
		answered += fmt.Sprintf(" The operation's description doesn't list the status %d.", x.Response.Status)
	}
	if answered == "" && f.DelayMicros > 0 {
		delayed = "Faults delayed the answer by " + delay(f) + "."
	}
	switch x.Decision.Outcome {
	case journal.Faulted:
		cause = cmp.Or(answered, "The fault "+x.Decision.Rule+" held the request back: "+x.Decision.Message+".")
		return cause, join(cause, delayed)
	case journal.Stubbed:
		cause = why.did("The stub", f.AnsweredBy)
		if slices.Contains(x.Decision.Entries, contract.EverywhereForwarding.ID) {
			cause += " The request was " + x.Decision.Message + "."
		}
		return cause, cause
	case journal.Refused:
		cause = x.Decision.Message
		if credentials != "" {
			cause += ": " + credentials
		}
		for _, l := range x.Lints {
			if l.Code == journal.Misspelt {
				cause += "; " + l.Message
			}
		}
	default:
		cause = cmp.Or(answered, carriedOut(x))
	}
	decided := why.decided()
	if answered != "" {
		decided = "Without it: " + strings.ToLower(decided[:1]) + decided[1:]
	}
	return cause, join(expired, answered, decided, delayed)
}

// did says in a sentence what the fault with a name did, or returns "" if no such fault fired.
func (why Explanation) did(subject, name string) string {
	for _, f := range why.Faults {
		if f.Name == name {
			return subject + " " + name + " " + f.Effect + "."
		}
	}
	return ""
}

// decided says what the bank decided, and what that rests on.
func (why Explanation) decided() string {
	x, e := why.Exchange, CitedEntry{}
	if all := why.Entries; len(all) > 0 && all[0].ID == x.Decision.Entries[0] {
		e = all[0]
	}
	if x.Decision.Outcome != journal.Refused {
		text := fmt.Sprintf("Accepted with %d: %s.", bankStatus(x), carriedOut(x))
		if e.ID != "" {
			text = join(text, "It rests on "+e.ID+":", e.Question, e.Answer, e.foundation())
		}
		return text
	}
	code, row, origin := bankCode(x), "", ""
	if x.Decision.Row != "" {
		row = ", decided by row " + x.Decision.Row
	}
	if contract.OwnCode(code) {
		origin = "The code is the simulator's own: the real service doesn't have it."
	}
	text := fmt.Sprintf("Refused with %s: %s (rule %s%s).",
		withCode(bankStatus(x), code), x.Decision.Message, x.Decision.Rule, row)
	switch {
	case x.Decision.Rule == string(contract.Strictness): // the message says what the answer would rest on
		return join(text, origin, instead(contract.EverywhereStrict.Switch.Key, "false", e.Answer), e.others())
	case e.ID == "" || origin != "" && e.Switch == nil && e.Basis == string(contract.Choice): // origin says it
		return join(text, origin)
	}
	return join(text, origin, e.foundation())
}

// carriedOut says what the bank did with an accepted request: an operation, or a preflight and the like.
func carriedOut(x journal.Exchange) string {
	return cmp.Or(x.Decision.Message, "the bank carried out "+x.Operation)
}

// foundations say what an answer rests on.
var foundations = map[contract.Basis]string{
	contract.Documented: "the interface's document has this answer",
	contract.Published:  "the service's public API description has this answer",
	contract.Convention: "this answer follows a convention",
	contract.Choice:     "this answer is a choice of the simulator's own",
}

// foundation says what the answer rests on, and what would change it.
func (e CitedEntry) foundation() string {
	text := foundations[contract.Basis(e.Basis)]
	source := strings.TrimPrefix(strings.TrimPrefix(e.Source, contract.OwnSource), contract.PublishedSource)
	if s := e.Switch; s != nil && s.Value != s.Default {
		text = "the scenario decides so with " + setting(s.Key, s.Value) + "; " + text
	} else if detail := strings.TrimLeft(source, ";:, "); detail != "" { // beyond the basis
		text += " (" + detail + ")"
	}
	return join(strings.ToUpper(text[:1])+text[1:]+".", e.others())
}

// others says what else the entry's switch could select.
func (e CitedEntry) others() string {
	if e.Switch == nil {
		return ""
	}
	var texts []string
	for _, a := range e.Switch.Alternatives {
		if a.AnyOf() {
			return "behavior." + e.Switch.Key + " can have other values."
		}
		texts = append(texts, instead(e.Switch.Key, a.Value, a.Answer))
	}
	return join(texts...)
}

// instead says what the answer is with another value of a switch.
func instead(key, value, answer string) string {
	return fmt.Sprintf("With %s instead: %q", setting(key, value), answer)
}

// setting returns a switch and its value in the form of a scenario.
func setting(key, value string) string { return "behavior." + key + ": " + cmp.Or(value, `""`) }

// join makes a text of sentences. Empty ones are left out.
func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// sent returns the status and the code of the answer, or "no answer".
func sent(x journal.Exchange) string {
	status, code := x.Response.Status, bankCode(x)
	switch {
	case status == 0:
		return "no answer"
	case status < 400:
		code = ""
	case code == "" || status != bankStatus(x): // it is a fault's
		code = contract.ErrorCode([]byte(x.Response.Body))
	}
	return withCode(status, code)
}

func withCode(status int, code string) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + code)
}

// bankCode returns the error code of the bank's refusal, or "" if the bank refused nothing.
func bankCode(x journal.Exchange) string {
	family := contract.In(sim.Dialect(x.Dialect)).FamilyOfError(x.Decision.Entries)
	if x.Decision.Outcome != journal.Refused || family == nil {
		return ""
	}
	return family.Refusal(sim.Code(x.Decision.Rule)).Code
}

// bankStatus returns the status of the bank's own answer.
func bankStatus(x journal.Exchange) int {
	if x.Fault != nil && x.Fault.BankStatus != 0 {
		return x.Fault.BankStatus
	}
	return x.Response.Status
}
