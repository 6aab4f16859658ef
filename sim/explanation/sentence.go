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

// sentence gives the reason for an answer at length: the decision of the bank and its evidence, the settings that would
// change it, and the effect of faults.
func sentence(x journal.Exchange, p *sim.Policy) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch x.Decision.Outcome {
	case journal.Faulted:
		add(cmp.Or(afterwards(x), "The fault "+x.Decision.Rule+" held the request back: "+x.Decision.Message+"."))
	case journal.Stubbed:
		add(fmt.Sprintf("The stub %s %s: the interface has no path %s.", x.Fault.AnsweredBy, result(x), x.Request.Path))
		if slices.Contains(x.Decision.Entries, contract.EverywhereForwarding.ID) {
			add("The request was " + x.Decision.Message + ".")
		}
	default:
		if x.Fault != nil && x.Fault.ExpiredBy != "" {
			add("The fault " + x.Fault.ExpiredBy + " let the access token expire before the operation, for good.")
		}
		add(afterwards(x))
		add(decided(x, p))
	}
	if x.Fault != nil && x.Fault.DelayMicros > 0 {
		add("Faults delayed the answer by " + delay(x.Fault) + ".")
	}
	return strings.Join(parts, " ")
}

// decided describes the decision of the bank. If a fault came first, it begins with words that lead back to the bank.
func decided(x journal.Exchange, p *sim.Policy) string {
	var decisive *contract.Entry // nil if this version of the ledger doesn't have the entry
	if len(x.Decision.Entries) > 0 {
		decisive, _ = contract.FindEntry(x.Decision.Entries[0])
	}
	var what string
	switch {
	case x.Decision.Rule == string(contract.Strictness):
		what = strict(x, decisive, p)
	case x.Decision.Outcome == journal.Refused:
		what = refused(x)
		// That a code is our own says it already.
		if e := decisive; e != nil &&
			(e.Basis != contract.Choice || e.Switch != nil || !contract.OwnCode(bankCode(x))) {
			what += " " + foundation(e, p)
		}
	default:
		did := "the bank carried out " + x.Operation
		if x.Operation == "" { // a preflight, or the key set
			did = x.Decision.Message
		}
		what = fmt.Sprintf("Accepted with %d: %s.", bankStatus(x), did)
		if e := decisive; e != nil {
			what += fmt.Sprintf(" It rests on %s: %s %s %s", e.ID, e.Question, e.AnswerUnder(p), foundation(e, p))
		}
	}
	if answeredByFault(x) {
		what = "Without it: " + strings.ToLower(what[:1]) + what[1:]
	}
	return what
}

// refused says which rule of the bank refused the request.
func refused(x journal.Exchange) string {
	text := fmt.Sprintf("Refused with %s: %s (rule %s",
		withCode(bankStatus(x), bankCode(x)), x.Decision.Message, x.Decision.Rule)
	if x.Decision.Row != "" {
		text += ", decided by row " + x.Decision.Row
	}
	text += ")."
	if contract.OwnCode(bankCode(x)) {
		text += " The code is the simulator's own: the real service doesn't have it."
	}
	return text
}

// strict says which entry a strict sandbox objects to. The entry is nil if it isn't known.
func strict(x journal.Exchange, e *contract.Entry, p *sim.Policy) string {
	text := fmt.Sprintf("Refused with %s: the sandbox is strict, and the answer would rest on nothing but a choice of "+
		"the simulator's own", withCode(bankStatus(x), bankCode(x)))
	if e != nil {
		text += fmt.Sprintf(", %s: %s %s %s", e.ID, e.Question, e.AnswerUnder(p), others(e, p))
	} else {
		text += "."
	}
	return strings.TrimSpace(text) +
		fmt.Sprintf(
			" Without behavior.%s, the sandbox lets such answers through.", contract.EverywhereStrict.Switch.Key,
		)
}

// foundations say what an answer rests on.
var foundations = map[contract.Basis]string{
	contract.Documented: "the interface's document has this answer",
	contract.Published:  "the service's public API description has this answer",
	contract.Convention: "this answer follows a convention",
	contract.Choice:     "this answer is a choice of the simulator's own",
}

// foundation says what the answer that a policy selects rests on, and what would change it.
func foundation(e *contract.Entry, p *sim.Policy) string {
	text := foundations[e.BasisUnder(p)]
	source := strings.TrimPrefix(
		strings.TrimPrefix(e.SourceIn(p.Dialect), contract.OwnSource), contract.PublishedSource,
	)
	if e.Switch != nil && e.Switch.Value(&p.Behavior) != e.Switch.Default {
		text = fmt.Sprintf(
			"The scenario decides so with %s; %s", setting(e.Switch.Key, e.Switch.Value(&p.Behavior)), text,
		)
	} else if detail := strings.TrimLeft(source, ";:, "); detail != "" { // beyond the basis
		text += " (" + detail + ")"
	}
	return strings.TrimSpace(strings.ToUpper(text[:1]) + text[1:] + ". " + others(e, p))
}

// others says what else an entry's switch could select.
func others(e *contract.Entry, p *sim.Policy) string {
	if e.Switch == nil {
		return ""
	}
	var texts []string
	for _, a := range e.Others(p) {
		if a.AnyOf() {
			return fmt.Sprintf("behavior.%s can have other values.", e.Switch.Key)
		}
		texts = append(texts, fmt.Sprintf("With %s instead: %q", setting(e.Switch.Key, a.Value), a.Answer))
	}
	return strings.Join(texts, " ")
}

// setting returns a switch and its value in the form of a scenario.
func setting(key, value string) string {
	if value == "" {
		value = `""`
	}
	return "behavior." + key + ": " + value
}

// sent returns the status and the code of the answer, or "no answer".
func sent(x journal.Exchange) string {
	if x.Response.Status == 0 {
		return "no answer"
	}
	return withCode(x.Response.Status, sentCode(x))
}

func withCode(status int, code string) string {
	if code == "" {
		return strconv.Itoa(status)
	}
	return strconv.Itoa(status) + " " + code
}

// sentCode returns the error code of the answer that was sent, or "" without one.
func sentCode(x journal.Exchange) string {
	switch {
	case x.Response.Status < 400:
		return ""
	case answeredByFault(x) && !(x.Fault.Phase == "after" && x.Fault.BankStatus == x.Response.Status):
		return contract.ErrorCode([]byte(x.Response.Body))
	}
	return bankCode(x)
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

func answeredByFault(x journal.Exchange) bool { return x.Fault != nil && x.Fault.AnsweredBy != "" }

// shortPath returns the last two segments of a path.
func shortPath(path string) string {
	segments := strings.Split(path, "/")
	if len(segments) <= 4 {
		return path
	}
	return "/…/" + strings.Join(segments[len(segments)-2:], "/")
}
