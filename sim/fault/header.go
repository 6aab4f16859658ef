package fault

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Header is the request header by which a caller asks for a fault.
const Header = contract.FaultHeader

// FromHeader returns the rule that a request to an operation asks for, in JSON, to be read and checked as that of a
// scenario is. The header has the members of then, phase, and of error its code and message: "status=500;
// delay=200ms; phase=after".
func FromHeader(text, operation string) []byte {
	var rule, then, content []string
	for part := range strings.SplitSeq(text, ";") {
		key, value, _ := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		literal := string(wire.MustEncode(value))
		if number, err := strconv.Atoi(value); err == nil && key == "status" {
			literal = strconv.Itoa(number)
		} else if value == "true" && key == "expireToken" {
			literal = value
		}
		member := string(wire.MustEncode(key)) + ":" + literal
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
