package infer

import (
	"fmt"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// faultsOf returns rules for the answers of a broken or a busy service, each for the same request of its operation as
// in the capture. They are switched off. told says how many answers have no rule.
func faultsOf(all []exchange) (rules []fault.Rule, told []string) {
	nth, left := map[string]int{}, 0
	for _, x := range all {
		nth[x.op.Name]++
		if !x.isFault() {
			continue
		}
		rule := fault.Rule{
			Name: "recorded-" + strconv.Itoa(len(rules)+1), Operation: fault.Operations{x.op.Name}, Off: true,
			When: fault.When{Nth: nth[x.op.Name]}, From: fmt.Sprintf("exchange %d of the capture", x.number),
			Then: fault.Then{Status: x.status},
		}
		if code := contract.ErrorCode(x.answer); isErrorCode().MatchString(code) {
			rule.Then.Error = &fault.Error{Code: code}
		}
		if len(fault.CheckCodes([]fault.Rule{rule})) > 0 { // a gateway's own code
			rule.Then.Error = nil
		}
		if isSeconds().MatchString(x.retryAfter) {
			rule.Then.Headers = map[string]fault.HeaderValues{"Retry-After": {x.retryAfter}}
		}
		if len(rules) == fault.MaxRules/2 || len(fault.Check([]fault.Rule{rule})) > 0 {
			left++
			continue
		}
		rules = append(rules, rule)
	}
	if left > 0 {
		told = append(told, fmt.Sprintf("no faults for %s of a broken or busy service: a capture has at most %d",
			wording.Count(left, "answer"), fault.MaxRules/2))
	}
	return rules, told
}

// isSeconds matches a Retry-After that has a number of seconds.
var isSeconds = lazy.Regexp(`^\d{1,9}$`)
