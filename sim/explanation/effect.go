package explanation

import (
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Effect is what a fault did to an exchange.
type Effect struct {
	Name   string `json:"name"`
	Effect string `json:"effect" doc:"What the fault did, such as: delayed the answer by 250ms."`
}

// String names the fault and its effect.
func (e Effect) String() string { return e.Name + ": " + e.Effect }

// effects says what each fault did that fired. The list is never nil.
func effects(x journal.Exchange) []Effect {
	all := []Effect{}
	if x.Fault == nil {
		return all
	}
	for _, name := range x.Fault.Fired {
		all = append(all, Effect{name, effectOf(x, name)})
	}
	return all
}

// effectOf says what a fault did that fired.
func effectOf(x journal.Exchange, name string) string {
	switch f := x.Fault; {
	case slices.Contains(f.WithoutEffect, name):
		return "had no effect: another fault took its place, or there was no valid token or no body to change"
	case f.AnsweredBy == name:
		return answerOfFault(x)
	case f.ExpiredBy == name:
		return "let the access token expire before the operation, for good"
	case f.StaleBy == name:
		return "let the bank answer from earlier data"
	case f.DelayMicros == 0:
		return "set headers of the answer"
	case len(f.Fired) > 1:
		return "delayed the answer, or set headers of it; the delays of all faults are " + delay(f) + " together"
	}
	return "delayed the answer by " + delay(x.Fault)
}

// answerOfFault says what the client got from the fault that answered, and whether an operation was carried out.
func answerOfFault(x journal.Exchange) string {
	f, after := x.Fault, x.Fault.Phase == string(fault.After)
	text := "answered with " + statusAndCode(x)
	if after {
		text += " in place of the bank's " + withCode(bankStatus(x), bankCode(x))
	}
	if damage := connectionDamage(x); damage != "" {
		if x.Response.Status == 0 || after && f.BankStatus == x.Response.Status {
			text = damage
		} else {
			text += ", and " + damage
		}
	}
	if f.DelayMicros > 0 {
		text += ", delayed by " + delay(f)
	}
	switch op := contract.Document().Operation(x.Operation); {
	case x.Decision.Outcome == journal.Stubbed:
		return text + ": the interface has no path " + x.Request.Path
	case op == nil:
		return text
	case !after:
		return text + "; the operation was not carried out"
	case x.Decision.Outcome == journal.Refused:
		return text + "; the bank had refused the request by then"
	case op.Changes:
		return text + "; the operation had been carried out by then, and what it changed stays"
	}
	return text + "; the operation had been carried out by then"
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
	return (&fault.Connection{Kind: kind}).Over(major).Kind.Describe().Done
}

func delay(f *journal.Fault) string {
	return (time.Duration(f.DelayMicros) * time.Microsecond).String()
}
