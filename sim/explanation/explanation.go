package explanation

import (
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Explanation gives the reason for the answer of an exchange.
type Explanation struct {
	Exchange journal.Exchange `json:"exchange"`
	Title    string           `json:"title" doc:"The request and its answer in a line."`
	Cause    string           `json:"cause" doc:"The reason of the answer in a line."`
	Sentence string           `json:"sentence" doc:"The reason of the answer at length, with its basis."`
	Basis    Basis            `json:"basis" doc:"The kind of source that the answer is based on."`
	Entries  []CitedEntry     `json:"entries" doc:"The entries of the ledger behind the answer. The first one decided."`
	Faults   []Effect         `json:"faults" doc:"The faults that fired, in their order."`
	Lints    []journal.Lint   `json:"lints" doc:"What is odd about the request."`
	Fixes    []Fix            `json:"fixes" doc:"Calls of the control API that remove the reason of a refusal."`
	Copies   Copies           `json:"copies" doc:"Copies of the exchange to go on with."`
}

// Basis is what an answer rests on.
type Basis struct {
	Name  string `json:"name" doc:"The basis: document, published, convention or choice."`
	About string `json:"about" doc:"What the basis means."`
}

// New explains an exchange of a bank with policies.
func New(x journal.Exchange, policies *sim.Policies, past Past) Explanation {
	p := policies.In(sim.Dialect(x.Dialect))
	return Explanation{
		Exchange: x,
		Title:    x.Request.Method + " " + shortPath(x.Request.Path) + " → " + sent(x),
		Cause:    cause(x, past),
		Sentence: sentence(x, p),
		Basis:    Basis{x.Decision.Basis, contract.Basis(x.Decision.Basis).About()},
		Entries:  entries(x.Decision.Entries, p),
		Faults:   effects(x),
		Lints:    x.Lints,
		Fixes:    past.fixes(x),
		Copies:   newCopies(x),
	}
}

// CitedEntry is an entry of the ledger, with the answer under the behaviour of the sandbox.
type CitedEntry struct {
	ID       string       `json:"id"`
	Question string       `json:"question"`
	Answer   string       `json:"answer" doc:"The answer that the sandbox's behaviour selects."`
	Basis    string       `json:"basis" doc:"The basis of that answer."`
	Source   string       `json:"source" doc:"The source of the default answer."`
	Switch   *EntrySwitch `json:"switch,omitzero" doc:"The key that selects another answer. Not there: none does."`
}

// EntrySwitch is a key of a scenario's behavior block that selects another answer.
type EntrySwitch struct {
	Key          string                 `json:"key" doc:"The key under behavior, such as groups.createStatus."`
	Value        string                 `json:"value" doc:"The value that the sandbox has."`
	Default      string                 `json:"default" doc:"The value if a scenario says nothing."`
	Alternatives []contract.Alternative `json:"alternatives" doc:"The other values."`
}

// entries returns the entries with the ids.
func entries(ids []string, p *sim.Policy) []CitedEntry {
	all := make([]CitedEntry, 0, len(ids))
	for _, id := range ids {
		e, ok := contract.FindEntry(id)
		if !ok {
			continue
		}
		cited := CitedEntry{ID: id, Question: e.Question, Answer: e.AnswerUnder(p), Source: e.SourceIn(p.Dialect)}
		cited.Basis = string(e.BasisUnder(p))
		if s := e.Switch; s != nil {
			cited.Switch = &EntrySwitch{
				Key:          s.Key,
				Value:        s.Value(&p.Behavior),
				Default:      s.Default,
				Alternatives: e.Others(p),
			}
		}
		all = append(all, cited)
	}
	return all
}

// Effect is what a fault did to an exchange.
type Effect struct {
	Name   string `json:"name"`
	Effect string `json:"effect" doc:"What the fault did, such as: delayed the answer by 250ms."`
}

// effects says what each fault did that fired.
func effects(x journal.Exchange) []Effect {
	all := []Effect{}
	if x.Fault == nil {
		return all
	}
	for _, name := range x.Fault.Fired {
		all = append(all, Effect{name, effect(x, name)})
	}
	return all
}

func effect(x journal.Exchange, name string) string {
	f, alone := x.Fault, len(x.Fault.Fired) == 1
	switch {
	case f.AnsweredBy == name:
		text := result(x)
		if alone && f.DelayMicros > 0 {
			text += ", delayed by " + delay(f)
		}
		if x.Operation != "" {
			text += "; " + operation(x)
		}
		return text
	case f.ExpiredBy == name:
		return "let the access token expire before the operation"
	case f.DelayMicros == 0:
		return "neither gave the answer nor delayed it: it set headers, or found no valid access token to expire"
	case alone:
		return "delayed the answer by " + delay(f)
	}
	return "delayed the answer, or set headers of it; the delays of all faults are " + delay(f) + " together"
}

// connectionDamage says what a connection fault did to the answer, or "" if there was no connection fault.
func connectionDamage(x journal.Exchange) string {
	kind, err := fault.KindNamed(x.Fault.Connection)
	if err != nil {
		return ""
	}
	major := 1
	if x.Request.HTTPVersion != "" {
		major = 2
	}
	delivered := (&fault.Connection{Kind: kind}).Over(major)
	return delivered.Kind.Describe().Done
}

// result says what the client got from the fault that answered.
func result(x journal.Exchange) string {
	f := x.Fault
	damage := connectionDamage(x)
	answered := "answered with " + sent(x)
	if f.Phase == string(fault.After) {
		answered += " in place of the bank's " + withCode(bankStatus(x), bankCode(x))
	}
	switch {
	case damage == "":
		return answered
	case x.Response.Status == 0 || f.Phase == string(fault.After) && f.BankStatus == x.Response.Status:
		return damage
	}
	return answered + ", and " + damage
}

// operation says whether the operation was carried out under the fault that answered.
func operation(x journal.Exchange) string {
	switch {
	case x.Fault.Phase == string(fault.Before):
		return "the operation was not carried out"
	case x.Decision.Outcome == journal.Refused:
		return "the bank had refused the request by then"
	}
	if op := contract.Document().Operation(x.Operation); op != nil && op.Changes {
		return "the operation had been carried out by then, and what it changed stays"
	}
	return "the operation had been carried out by then"
}

// afterwards says what the fault that answered did, or "" if the bank answered.
func afterwards(x journal.Exchange) string {
	if !answeredByFault(x) {
		return ""
	}
	text := fmt.Sprintf("The fault %s %s; %s.", x.Fault.AnsweredBy, result(x), operation(x))
	if x.Fault.Undocumented {
		text += fmt.Sprintf(" The operation's description doesn't list the status %d.", x.Response.Status)
	}
	return text
}

func delay(f *journal.Fault) string {
	return (time.Duration(f.DelayMicros) * time.Microsecond).String()
}
