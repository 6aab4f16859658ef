package explanation

import (
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Effect is what a fault did to an exchange.
type Effect struct {
	Name   string `json:"name"`
	Effect string `json:"effect" about:"Such as: delayed the answer by 250ms."`
}

// done says what the kinds of connection faults do to an answer.
var done = map[fault.Kind]string{
	fault.Reset:     "reset the connection (TCP RST), without an answer",
	fault.Close:     "closed the connection, without an answer",
	fault.Hang:      "kept the client waiting, and then closed the connection without an answer",
	fault.Truncate:  "sent only the beginning of the answer's body, and closed the connection",
	fault.Malformed: "sent a body that is not JSON in place of the answer's",
	fault.Trickle:   "sent the answer's body in small pieces",
	fault.Garbage:   "sent bytes that are not HTTP before the answer",
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
	f := x.Fault
	alone := len(f.Fired) == 1
	switch {
	case f.AnsweredBy == name && f.DelayMicros > 0 && alone:
		return answering(x) + "; delayed it by " + delay(f)
	case f.AnsweredBy == name:
		return answering(x)
	case f.DelayMicros > 0 && alone:
		return "delayed the answer by " + delay(f)
	case f.DelayMicros > 0:
		return "delayed the answer, or set a header of it; all faults together delayed it by " + delay(f)
	}
	return "set a header of the answer, or nothing: it neither answered nor delayed"
}

// answering says what the fault did that gave or lost the answer.
func answering(x journal.Exchange) string {
	return result(x) + " " + place(x)
}

// result says what the client got from the fault that answered.
func result(x journal.Exchange) string {
	f := x.Fault
	damage := done[fault.Kind(f.Connection)]
	own := f.Phase == string(fault.Before) || f.BankStatus != x.Response.Status || f.Connection == ""
	switch {
	case x.Response.Status == 0 || damage != "" && !own:
		return damage
	case damage != "":
		return "answered with " + sent(x) + ", and " + damage
	}
	return "answered with " + sent(x)
}

// place says where the fault came that answered.
func place(x journal.Exchange) string {
	if x.Fault.Phase == string(fault.Before) {
		return "before the operation, which was not carried out"
	}
	return fmt.Sprintf("after the bank had decided its own answer, %s", withCode(bankStatus(x), bankCode(x)))
}

// faulted says what happened to a request that a fault kept from being carried out.
func faulted(x journal.Exchange) string {
	if !answeredByFault(x) {
		text := "The fault " + x.Decision.Rule + " held the request back: " + x.Decision.Message + "."
		return text
	}
	return sentenceOf(x) + undocumented(x)
}

// afterwards says what faults made of the bank's own answer.
func afterwards(x journal.Exchange) string {
	if !answeredByFault(x) {
		return ""
	}
	return sentenceOf(x) + undocumented(x)
}

func sentenceOf(x journal.Exchange) string {
	return fmt.Sprintf("The fault %s %s %s.", x.Fault.AnsweredBy, result(x), place(x))
}

func undocumented(x journal.Exchange) string {
	if !x.Fault.Undocumented {
		return ""
	}
	return fmt.Sprintf(" The operation's description doesn't list the status %d.", x.Response.Status)
}

// delayed says for how long faults held the answer back.
func delayed(x journal.Exchange) string {
	if x.Fault == nil || x.Fault.DelayMicros == 0 {
		return ""
	}
	return fmt.Sprintf("Faults delayed the answer by %s.", delay(x.Fault))
}

func delay(f *journal.Fault) string {
	return (time.Duration(f.DelayMicros) * time.Microsecond).String()
}
