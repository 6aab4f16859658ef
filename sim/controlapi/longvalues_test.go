package controlapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// maxProblem is how many bytes a problem document has at most, whatever it quotes.
const maxProblem = 4 << 10

// A problem document quotes the beginning of a long value alone.
func TestProblemsAreShort(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	var (
		member  = strings.Repeat("m", 900<<10) // in a body, whose bound is 1 MiB
		half    = member[:400<<10]
		digits  = strings.Repeat("7", 900<<10)
		text    = strings.Repeat("t", 20<<10) // in a path, whose bound is that of the listener, 32 KiB
		odd     = strings.Repeat("%01", 6<<10)
		key     = strings.Repeat("k", 990) // the longest in YAML has 1000 bytes
		s       = "/v1/sandboxes/default"
		retail  = "extends: retail\n"
		changed = retail + "institutions:\n  - institutionId: \"02688\"\n    "
		then    = `{"operation":"groups.list","then":{`
		user    = changed + "users: [{hostUserId: \"1001\", alertPreferences: [{"
		fault   = `{"operation":"groups.list","then":{"status":500},`
	)
	const (
		putScenario = "PUT /v1/sandboxes/default/scenario"
		addFaults   = "POST /v1/sandboxes/default/faults"
		verify      = "POST /v1/sandboxes/default/journal/verify"
	)
	for _, test := range []struct{ name, request, body string }{
		{"path", "GET /" + text, ""},
		{"path of odd characters", "GET /" + odd, ""},
		{"path of the bank", "GET /v3/groups/" + text, ""},
		{"path of a sandbox", "GET /sandboxes/" + text, ""},
		{"sandbox", "GET /v1/sandboxes/" + text + "/state", ""},
		{"sandbox of odd characters", "GET /v1/sandboxes/" + odd + "/state", ""},
		{"sandbox of a call elsewhere", "DELETE /v1/sandboxes/" + text, ""},
		{"name of a sandbox", "POST /v1/sandboxes", `{"name":"` + member + `"}`},
		{"scenario of a sandbox", "POST /v1/sandboxes", `{"scenario":"` + member + `"}`},
		{"ttl", "POST /v1/sandboxes", `{"ttl":"` + member + `"}`},
		{"seed", "POST /v1/sandboxes", `{"seed":` + digits + `}`},
		{"unknown member", "POST /v1/sandboxes", `{"` + member + `":1}`},
		{"duplicate member", "POST /v1/sandboxes", `{"` + half + `":1,"` + half + `":1}`},
		{"fork", "POST " + s + "/fork", `{"name":"` + member + `"}`},
		{"fork before", "POST " + s + "/fork", `{"before":"` + member + `"}`},
		{"fork of a long number", "POST " + s + "/fork", `{"after":"` + digits + `"}`},
		{"snapshot", "DELETE " + s + "/snapshots/" + text, ""},
		{"snapshot to restore", "POST " + s + "/snapshots/" + text + "/restore", ""},
		{"name of a snapshot", "POST " + s + "/snapshots", `{"name":"` + member + `"}`},
		{"diff", "GET " + s + "/diff?since=" + text, ""},
		{"clock", "POST " + s + "/clock", `{"advance":"` + member + `"}`},
		{"time", "POST " + s + "/clock", `{"set":"` + member + `"}`},
		{"institution", "PATCH " + s + "/institutions/" + text, `{}`},
		{"institution, odd", "PATCH " + s + "/institutions/" + odd, `{"multistatement":true}`},
		{"user", "PATCH " + s + institutionPath + "/users/" + text, `{"active":true}`},
		{"user of an institution", "PATCH " + s + "/institutions/" + text[:9<<10] + "/users/" + text[:9<<10],
			`{"active":true}`},
		{"account", "PATCH " + s + userPath + "/accounts/" + text, `{"activateEstatement":true}`},
		{"member of a patch", "PATCH " + s + userPath, `{"` + member + `":true}`},
		{"status of a patch", "PATCH " + s + userPath, `{"disclosureStatus":"` + member + `"}`},
		{"client of a token", "POST " + s + tokensPath, `{"client":"` + member + `"}`},
		{"institution of a token", "POST " + s + "/institutions/" + text + "/tokens", `{"client":"demo-app"}`},
		{"user of a token", "POST " + s + tokensPath, `{"client":"demo-app","hostUserId":"` + member + `"}`},
		{"institution of the state", "GET " + s + "/state?institution=" + text, ""},
		{"user of the state", "GET " + s + "/state?institution=02688&user=" + text, ""},
		{"unknown parameter", "GET " + s + "/state?" + text + "=1", ""},
		{"unknown parameter of none", "DELETE " + s + "/journal?" + text + "=1", ""},
		{"operation of the journal", "GET " + s + "/journal?operation=" + text, ""},
		{"dialect of the journal", "GET " + s + "/journal?dialect=" + text, ""},
		{"outcome of the journal", "GET " + s + "/journal?outcome=" + text, ""},
		{"status of the journal", "GET " + s + "/journal?status=" + text, ""},
		{"exchange", "GET " + s + "/journal/" + text, ""},
		{"exchange to explain", "GET " + s + "/journal/" + text + "/explain", ""},
		{"expected operation", verify, `{"operation":"` + member + `"}`},
		{"expected member", verify, `{"body":{"` + member + `":"~("}}`},
		{"expected header", verify, `{"header":{"` + member + `":"~("}}`},
		{"expected header, mistyped", verify, `{"header":{"` + member + `":7}}`},
		{"expected query", verify, `{"query":{"` + member + `":"~["}}`},
		{"expected expression", verify, `{"path":"~` + member + `"}`},
		{"fault", "DELETE " + s + "/faults/" + text, ""},
		{"name of a fault", addFaults, fault + `"name":"` + member + `"}`},
		{"name of two faults", addFaults, `[` + fault + `"name":"` + half + `"},` + fault + `"name":"` + half + `"}]`},
		{"operation of a fault", addFaults, `{"operation":"` + member + `","then":{"status":500}}`},
		{"key of a fault", addFaults, fault + `"` + key + `":1}`},
		{"status of a fault", addFaults, then + `"status":` + digits + `}}`},
		{"delay of a fault", addFaults, then + `"delay":"` + member + `"}}`},
		{"delay without a unit", addFaults, then + `"delay":"` + digits + `"}}`},
		{"header of a fault", addFaults, then + `"headers":{"` + key + `":"\r\n"}}}`},
		{"header without a name", addFaults, then + `"headers":{"` + key + ` ":"x"}}}`},
		{"header without a value", addFaults, then + `"headers":{"` + key + `":null}}}`},
		{"condition of a fault", addFaults, fault + `"when":{"request":{"body":{"` + key + `":"~("}}}}`},
		{"conditions within", addFaults,
			fault + `"when":{"request":{"body":` + strings.Repeat(`{"`+key+`":`, 20) + `"~("` +
				strings.Repeat("}", 20) + `}}}`},
		{"scenario", putScenario, member},
		{"scenario that is extended", putScenario, "extends: " + member},
		{"file that is extended", putScenario, "extends: " + member + ".yaml"},
		{"key", putScenario, retail + key + ": 1\n"},
		{"key that is too long", putScenario, retail + `? "` + member + `"` + "\n: 1\n"},
		{"duplicate key", putScenario, retail + key + ": 1\n" + key + ": 1\n"},
		{"key without a blank", putScenario, retail + key + ":x\n"},
		{"tag", putScenario, retail + "seed: !" + member + " 1\n"},
		{"seed of a scenario", putScenario, retail + "seed: " + member + "\n"},
		{"number", putScenario, retail + "seed: " + digits + "\n"},
		{"octal number", putScenario, retail + "seed: 0" + digits + "\n"},
		{"number in quotes", putScenario, retail + `seed: "` + strings.Repeat("0", 900<<10) + "7\"\n"},
		{"switch", putScenario, retail + "behavior: {groups: {duplicateName: " + member + "}}\n"},
		{"unknown switch", putScenario, retail + "behavior: {groups: {" + key + ": 1}}\n"},
		{"flag", putScenario, retail + "behavior: {strict: " + member + "}\n"},
		{"start of the clock", putScenario, retail + "clock: {start: " + member + "}\n"},
		{"duration of a scenario", putScenario,
			retail + "behavior: {tokens: {accessTokenLifetime: " + digits + "h}}\n"},
		{"list instead of a text", putScenario, changed + "users: " + member + "\n"},
		{"duplicate user", putScenario, changed + "users: [{hostUserId: " + half + "}, {hostUserId: " + half + "}]\n"},
		{"user to remove", putScenario, changed + "users: [{hostUserId: " + member + ", remove: true}]\n"},
		{"user of a token, scenario", putScenario,
			changed + "tokens: [{accessToken: x, client: demo-app, hostUserId: " + member + "}]\n"},
		{"alert type", putScenario,
			user + "alertPreferenceDetails: {alertPrefId: 77, alertTypeName: " + half +
				", channelTypeName: " + half + "}}]}]\n"},
		{"participants", putScenario,
			changed + "groups: [{groupName: x, participants: [" + half + ", " + half + "]}]\n"},
		{"group", putScenario, changed + "groups: [{groupName: " + member + "}]\n"},
		{"null that removes nothing", putScenario, retail + "behavior: {groups: {" + key + ": null}}\n"},
		{"empty list", putScenario, retail + "behavior: {" + key + ": []}\n"},
		{"alert's information", putScenario, user + "additionalInfo: {" + key + ": " + member + "}}]}]\n"},
		{"request's path", "POST " + s + "/requests", `{"path":"` + member + `"}`},
		{"request's method", "POST " + s + "/requests", `{"path":"/x","method":"` + member + `x y"}`},
		{"request's secret", "POST " + s + "/requests",
			`{"path":"/x","headers":{"` + key + `-token":"tok_0123456789ab",` +
				`"Authorization":"Bearer tok_0123456789ab"}}`},
		{"lifeline", "GET /v1/lifeline?linger=" + text, ""},
		{"coverage", "GET /v1/coverage?sandbox=" + text, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			method, path, _ := strings.Cut(test.request, " ")
			res := b.Do(b.Request(method, b.Server.ControlURL()+path, test.body))
			assert.GreaterOrEqual(t, res.StatusCode, 400, "the call is refused: %.300s", res.Body)
			assert.Less(t, len(res.Body), maxProblem, "%d %.300s", res.StatusCode, res.Body)
		})
	}
}
