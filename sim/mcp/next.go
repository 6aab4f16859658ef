package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// remedy is a call of a tool that gets past a refusal by a rule.
type remedy struct {
	tool      string
	arguments object
}

var (
	acceptDisclosure = remedy{"change_state", object{"disclosureStatus": sim.Accepted}}
	multistatement   = remedy{"change_state", object{"multistatement": true}}
	newToken         = remedy{"mint_token", nil}
	waitForJob       = remedy{"advance_clock", object{"advance": "1h"}}
	lookUp           = remedy{"read_state", nil}
)

// remedies are by the rule. The arguments of change_state lack the row: it is the one that the rule looked at.
var remedies = map[sim.Code]remedy{
	sim.MultistatementNotConfigured:      multistatement,
	sim.DisclosuresWithoutMultistatement: multistatement,
	sim.UserNotActive:                    {"change_state", object{"active": true}},
	sim.DisclosureNotAccepted:            acceptDisclosure,
	sim.DisclosuresNotAllAccepted:        acceptDisclosure,
	sim.AccountUndisclosed:               acceptDisclosure,
	contract.TokenMissing:                newToken,
	contract.TokenMalformed:              newToken,
	sim.TokenUnknown:                     newToken,
	sim.TokenExpired:                     newToken,
	sim.TokenOfAnotherUser:               newToken,
	sim.GroupBusy:                        waitForJob,
	sim.JobRunning:                       waitForJob,
	sim.InstitutionUnknown:               lookUp,
	sim.UserUnknown:                      lookUp,
	sim.AccountUnknown:                   lookUp,
	sim.GroupUnknown:                     lookUp,
	sim.JobUnknown:                       lookUp,
	sim.WorldFull:                        {"reset", nil},
}

// nextCalls returns the calls that get past the faults and the refusal of an exchange, ready to be sent. If the
// request itself has to change, the call is the one that shows what the operation takes.
func nextCalls(sandbox any, exchange object) (all []object) {
	add := func(tool string, arguments object) {
		if sandbox != nil {
			arguments["sandbox"] = sandbox
		}
		all = append(all, object{"tool": tool, "arguments": arguments})
	}
	if fired, _ := inner(exchange, "fault")["fired"].([]any); len(fired) == 1 {
		add("remove_fault", object{"name": fired[0]})
	} else if len(fired) > 1 {
		add("remove_fault", object{}) // all
	}
	decision := inner(exchange, "decision")
	if decision["outcome"] != journal.Refused {
		return all
	}
	r, known := remedies[sim.Code(fmt.Sprint(decision["rule"]))]
	if !known {
		arguments := object{}
		if exchange["operation"] != "" {
			arguments["operation"] = exchange["operation"]
		}
		return append(all, object{"tool": "list_operations", "arguments": arguments})
	}
	arguments := object{}
	if r.tool == "change_state" {
		keys := strings.Split(fmt.Sprint(decision["row"]), "/")[1:]
		for i, name := range []string{"institution", "user", "account"}[:min(len(keys), 3)] {
			arguments[name], _ = url.PathUnescape(keys[i])
		}
	}
	maps.Copy(arguments, r.arguments)
	add(r.tool, arguments)
	return all
}
