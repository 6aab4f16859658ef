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

// reason gives the reason for the answer in a line. credentials says why they were not accepted, or is "".
func reason(x journal.Exchange, credentials string) string {
	answered := ""
	if f := x.Fault; f != nil && f.AnsweredBy != "" {
		answered = f.AnsweredBy + " " + effectOf(x, f.AnsweredBy) + "."
		if f.Undocumented {
			answered += " " + undocumented(x)
		}
	}
	switch x.Decision.Outcome {
	case journal.Stubbed:
		cause := "The stub " + answered
		if slices.Contains(x.Decision.Entries, contract.EverywhereForwarding.ID) {
			cause += " The request was " + x.Decision.Message + "."
		}
		return cause
	case journal.Refused:
		cause := x.Decision.Message
		if credentials != "" {
			cause += ": " + credentials
		}
		for _, l := range x.Lints {
			if l.Code == journal.Misspelt {
				cause += "; " + l.Message
			}
		}
		return cause
	}
	switch {
	case answered != "":
		return "The fault " + answered
	case x.Decision.Outcome == journal.Faulted:
		return "The fault " + x.Decision.Rule + " held the request back: " + x.Decision.Message + "."
	}
	return cmp.Or(x.Decision.Message, "the bank carried out "+x.Operation)
}

// undocumented says that the operation doesn't document the status of the answer.
func undocumented(x journal.Exchange) string {
	return fmt.Sprintf("The operation's description doesn't list the status %d.", x.Response.Status)
}

// statusAndCode returns the status and the code of the answer, or "no answer".
func statusAndCode(x journal.Exchange) string {
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
