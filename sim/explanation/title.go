package explanation

import (
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// title returns the request and its answer in a line: PUT /…/user/preferences → 400 UXESTMT_11013.
func title(x journal.Exchange) string {
	return x.Request.Method + " " + shortPath(x.Request.Path) + " → " + sent(x)
}

// sent returns what was sent to the client, in short.
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

// sentCode returns the error code of the answer that was sent; empty: it has none.
func sentCode(x journal.Exchange) string {
	switch {
	case x.Response.Status < 400:
		return ""
	case answeredByFault(x) && !(x.Fault.Phase == "after" && x.Fault.BankStatus == x.Response.Status):
		return contract.ErrorCode([]byte(x.Response.Body))
	}
	return bankCode(x)
}

// bankCode returns the error code of the bank's refusal; empty: it refused nothing.
func bankCode(x journal.Exchange) string {
	family := contract.FamilyOfError(x.Decision.Entries)
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
