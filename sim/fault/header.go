package fault

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// Header is the request header that asks for a fault.
const Header = contract.FaultHeader

// FromHeader returns the JSON of the rule that a request to an operation asks for. The caller reads and checks it like
// a rule of a scenario. The header has the members of then, and phase, code and message: "status=500; delay=200ms;
// phase=after".
func FromHeader(text, operation string) []byte {
	var rule, then, content []string
	for part := range strings.SplitSeq(text, ";") {
		key, value, _ := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		literal := string(strictjson.MustEncode(value))
		if number, err := strconv.Atoi(value); err == nil && key == "status" {
			literal = strconv.Itoa(number)
		} else if value == "true" && key == "expireToken" {
			literal = value
		}
		member := string(strictjson.MustEncode(key)) + ":" + literal
		switch key {
		case "":
		case "phase":
			rule = append(rule, member)
		case "code", "message":
			content = append(content, member)
		default:
			then = append(then, member)
		}
	}
	if content != nil {
		then = append(then, `"error":{`+strings.Join(content, ",")+"}")
	}
	rule = append(rule, `"then":{`+strings.Join(then, ",")+"}")
	return fmt.Appendf(nil, `{"name":%q,"operation":%q,%s}`, Header, operation, strings.Join(rule, ","))
}
