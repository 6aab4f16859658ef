package mcp

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// The tools that get past a refusal.
const (
	newToken = "mint_token"
	lookUp   = "read_state"
)

// remedies are the tools by the rule that refused. Where an explanation has fixes, they come in place of these.
var remedies = map[sim.Code]string{
	contract.TokenMissing:   newToken,
	contract.TokenMalformed: newToken,
	sim.TokenUnknown:        newToken,
	sim.TokenExpired:        newToken,
	sim.TokenOfAnotherUser:  newToken,
	sim.ScopeMissing:        newToken, // it has all scopes of its client
	sim.GroupBusy:           lookUp,   // the job has no end
	sim.JobRunning:          lookUp,
	sim.InstitutionUnknown:  lookUp,
	sim.UserUnknown:         lookUp,
	sim.AccountUnknown:      lookUp,
	sim.GroupUnknown:        lookUp,
	sim.JobUnknown:          lookUp,
	sim.WorldFull:           "reset",
}

// nextCalls returns the calls that get past the faults and the refusal of an explained exchange, ready to be sent. If
// the request itself has to change, the call is the one that shows what the operation takes.
func nextCalls(sandbox any, why object) (all []object) {
	add := func(tool string, arguments object) {
		if sandbox != nil {
			arguments["sandbox"] = sandbox
		}
		all = append(all, object{"tool": tool, "arguments": arguments})
	}
	exchange := inner(why, "exchange")
	fired, _ := inner(exchange, "fault")["fired"].([]any)
	for _, name := range fired {
		add("remove_fault", object{"name": name})
	}
	fixes := objects("fixes", why)
	for _, fix := range fixes {
		add(toolOf(fix))
	}
	decision := inner(exchange, "decision")
	if decision["outcome"] != journal.Refused || len(fixes) > 0 {
		return all
	}
	if tool, known := remedies[sim.Code(fmt.Sprint(decision["rule"]))]; known {
		add(tool, object{})
		return all
	}
	if name, _ := exchange["operation"].(string); name != "" {
		return append(all, object{"tool": "describe_operation", "arguments": object{"operation": name}})
	}
	all = append(all, object{"tool": "list_operations", "arguments": object{}})
	if decision["rule"] == string(contract.PathUnknown) {
		stubbed := inner(exchange, "request")["path"]
		add("add_fault", object{"path": stubbed, "then": object{"status": 200, "body": object{}}})
	}
	return all
}

// toolOf returns the tool that makes the call of a fix, and its arguments.
func toolOf(fix object) (tool string, arguments object) {
	arguments = inner(fix, "body")
	if fix["path"] == "/clock" {
		return "advance_clock", arguments
	}
	keys := strings.Split(fmt.Sprint(fix["path"]), "/") // "", institutions, ID, users, ID, accounts, ID
	for i, name := range []string{"institution", "user", "account"} {
		if 2*i+2 < len(keys) {
			tool = "change_" + name
			arguments[name], _ = url.PathUnescape(keys[2*i+2])
		}
	}
	return tool, arguments
}
