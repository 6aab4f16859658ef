package controlapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// seen is all that the default sandbox holds, and which sandboxes there are.
func seen(b *simtest.Bank) []any {
	now := b.Sandbox.Known()
	all := []any{now.Generation, b.World(), now.Now, now.Running, b.Sandbox.Known().Snapshots(), b.Journal().Last()}
	for _, sb := range b.Sandboxes.All() {
		all = append(all, sb)
	}
	return all
}

// Every refusal is a problem document that says what is wrong, and changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"taken"}`)
	b.ControlSandbox(201, "POST /snapshots", `{"name":"taken"}`)
	simtest.ListGroups.Send(b)
	const (
		large       = 1<<20 + 1
		s           = "/v1/sandboxes/default"
		institution = s + institutionPath
		user        = s + userPath
		account     = s + accountPath
		tokens      = s + tokensPath
	)
	for _, test := range []struct {
		request, body string
		status        int
		detail        string
	}{
		{"GET /nope", "", 404, `no path "/nope"`},
		{"GET /v1/sandboxes/", "", 404, "no path"},
		{"GET /v1/sandboxes/nope/state", "", 404, `no sandbox "nope": POST /v1/sandboxes creates one`},
		{"GET /v1/sandboxes/%2e%2e/state", "", 404, `no sandbox ".."`},
		{"PUT /v1/info", "", 405, "takes GET"},
		{"POST " + s + "/journal/stream", "", 405, "takes GET"},
		{"PATCH " + s + "/journal/verify", "", 405, "takes"},

		{"POST /v1/sandboxes", `[]`, 400, "must be a JSON object"},
		{"POST /v1/sandboxes", `null`, 400, "must be a JSON object"},
		{"POST /v1/sandboxes", `{"name":"x"`, 400, "not valid JSON"},
		{"POST /v1/sandboxes", `{"name":"x"} {}`, 400, "not valid JSON"},
		{"POST /v1/sandboxes", "{\"name\":\"\xff\"}", 400, "not valid JSON"},
		{"POST /v1/sandboxes", `{"name":"x","name":"y"}`, 400, `"name" is given twice`},
		{"POST /v1/sandboxes", `{"nam":"x"}`, 400, `unknown member "nam": did you mean "name"?`},
		{"POST /v1/sandboxes", `{"name":7}`, 400, `"name" must be a string`},
		{"POST /v1/sandboxes", `{"seed":-1}`, 400, `"seed" must be a whole number, 0 or more`},
		{"POST /v1/sandboxes", `{"seed":"7"}`, 400, `"seed" must be a whole number, 0 or more`},
		{"POST /v1/sandboxes", strings.Repeat(" ", large), 413, "larger than 1048576 bytes"},
		{"POST /v1/sandboxes", `{"name":"Upper"}`, 400, "a-z, 0-9 and -"},
		{"POST /v1/sandboxes", `{"name":"-x"}`, 400, "a-z, 0-9 and -"},
		{"POST /v1/sandboxes", `{"name":"a/b"}`, 400, "a-z, 0-9 and -"},
		{"POST /v1/sandboxes", `{"name":"` + strings.Repeat("x", 64) + `"}`, 400, "1 to 63"},
		{"POST /v1/sandboxes", `{"name":"taken"}`, 409, "exists"},
		{"POST /v1/sandboxes", `{"name":"default"}`, 409, "exists"},
		{"POST /v1/sandboxes", `{"ttl":"soon"}`, 400, `ttl must be a duration above 0, such as 90s, 15m or 24h, not "soon"`},
		{"POST /v1/sandboxes", `{"ttl":"0s"}`, 400, "ttl must be a duration above 0"},
		{"POST /v1/sandboxes", `{"ttl":"-1h"}`, 400, "ttl must be a duration above 0"},
		{"POST /v1/sandboxes", `{"ttl":60}`, 400, `"ttl" must be a string`},
		{"POST /v1/sandboxes", `{"scenario":"empty","scenarioYaml":"name: x"}`, 400, "not both"},
		{"POST /v1/sandboxes", `{"scenario":"retial"}`, 422, "built-in scenario"},
		{"POST /v1/sandboxes", `{"scenario":""}`, 422, "built-in scenario"},
		{"POST /v1/sandboxes", `{"scenario":"/etc/passwd"}`, 422, "never a file"},
		{"POST /v1/sandboxes", `{"scenario":"retail.yaml"}`, 422, "never a file"},
		{"POST /v1/sandboxes", `{"scenario":"../scenarios/retail"}`, 422, "never a file"},
		{"POST /v1/sandboxes", `{"scenarioYaml":""}`, 422, "the scenario has a problem"},
		{"DELETE /v1/sandboxes/default", "", 409, "reset it instead"},
		{"DELETE /v1/sandboxes/nope", "", 404, "no sandbox"},

		{"POST " + s + "/fork", `{"name":"taken"}`, 409, "exists"},
		{"POST " + s + "/fork", `{"name":"_"}`, 400, "a-z, 0-9 and -"},
		{"POST " + s + "/fork", `{"ttl":"1"}`, 400, "ttl must be a duration above 0"},
		{"PATCH " + s, `{"ttl":"1h"}`, 409, "the default sandbox can't expire"},
		{"PATCH " + s, `{"ttl":"0s"}`, 400, "ttl must be a duration above 0"},
		{"PATCH " + s, `{}`, 400, "the patch is empty, and changes nothing: give ttl"},
		{"PATCH /v1/sandboxes/none", `{"ttl":"1h"}`, 404, "there is no sandbox"},
		{"GET " + s + "/journal?format=txt", ``, 400, `did you mean "text"?`},
		{"POST /v1/sandboxes/nope/fork", "", 404, "no sandbox"},
		{"POST /v1/sandboxes/nope/reset", "", 404, "no sandbox"},

		{"PUT " + s + "/scenario", "", 422, "the scenario has a problem"},
		{"PUT " + s + "/scenario", "extends: retail\ninstitutions: 7\n", 422, "nothing was changed"},
		{"PUT " + s + "/scenario", "extends: /etc/passwd\n", 422, "the scenario has a problem"},
		{"PUT " + s + "/scenario", strings.Repeat("#", large), 413, "larger than 1048576 bytes"},

		{"PATCH " + institution, "", 400, "the patch is empty"},
		{"PATCH " + institution, `[{"op":"replace"}]`, 400, "must be a JSON object"},
		{"PATCH " + institution, `{"multistatement":null}`, 400, "multistatement can't be null: give it a value, or leave it out"},
		{"PATCH " + institution, `{"multistatement":"true"}`, 400, `multistatement must be true or false, not "true"`},
		{"PATCH " + institution, `{"multistatement":false,"alertTypes":[]}`, 400,
			`unknown member "alertTypes": the members are "multistatement"`},
		{"PATCH " + s + "/institutions/00000", `{"multistatement":false}`, 404, "no institution"},
		{"PATCH " + institution, `{}`, 400, "the patch is empty, and changes nothing: give multistatement"},
		{"PATCH " + user, `{"active":false,"disclosureStatus":null}`, 400, "disclosureStatus can't be null: give it a value, or leave it out"},
		{"PATCH " + user, `{"active":false,"disclosureStatus":"accepted"}`, 400,
			`disclosureStatus can't be "accepted": did you mean "ACCEPTED"?`},
		{"PATCH " + user, `{"active":false,"disclosureStatus":true}`, 400, `disclosureStatus must be a string, not true`},
		{"PATCH " + user, `{"active":false,"activateEstatement":true}`, 400, `the members are "active", "disclosureStatus"`},
		{"PATCH " + user, `{"active":0}`, 400, `active must be true or false, not 0`},
		{"PATCH " + user, `{"active":"` + strings.Repeat("n", 90) + `"}`, 400, "nnn…"},
		{"PATCH " + user, `{}`, 400, "the patch is empty, and changes nothing: give active or disclosureStatus"},
		{"PATCH " + institution + "/users/9", `{"active":false}`, 404, "no user"},
		{"PATCH " + s + "/institutions/0/users/1001", `{"active":false}`, 404, "no institution"},
		{"PATCH " + account, `{"activateEstatement":null}`, 400, "activateEstatement can't be null"},
		{"PATCH " + account, `{"activateEstatement":true,"active":true}`, 400, `the members are "activateEstatement", "disclosureStatus"`},
		{"PATCH " + account, `{"activateEstatement":true,"disclosureStatus":"NO"}`, 400,
			`disclosureStatus can't be "NO": it can be "ACCEPTED", "NOT_ACCEPTED"`},
		{"PATCH " + institution + "/users/1001/accounts/nope", `{"activateEstatement":true}`, 404, "no account"},
		{"PATCH " + institution + "/users/9/accounts/nope", `{"activateEstatement":true}`, 404, "no user"},

		{"POST " + tokens, "", 400, "client is missing"},
		{"POST " + tokens, `{"client":"nope"}`, 400, "client is not one of the institution's"},
		{"POST " + tokens, `{"client":"demo-app","hostUserId":"nope"}`, 400, "hostUserId is not one of the institution's users"},
		{"POST " + tokens, `{"client":"demo-app","expiresIn":"0"}`, 400, "expiresIn must be a duration above 0"},
		{"POST " + tokens, `{"client":"demo-app","expiresIn":60}`, 400, `"expiresIn" must be a string`},
		{"POST " + tokens, `{"client":"demo-app","accessToken":"x"}`, 400, `the members are "client", "hostUserId", "expiresIn"`},
		{"POST " + s + "/institutions/0/tokens", `{"client":"demo-app"}`, 404, "no institution"},

		{"POST " + s + "/snapshots", "", 400, "name must be"},
		{"POST " + s + "/snapshots", `{"name":"No good"}`, 400, "name must be"},
		{"POST " + s + "/snapshots", `{"name":"start"}`, 400, "start names the start of the sandbox: it can't be made or deleted"},
		{"POST " + s + "/snapshots", `{"name":"taken"}`, 409, "exists"},
		{"POST " + s + "/snapshots/takn/restore", "", 404, `there is no snapshot "takn": there are "taken", "start"`},
		{"DELETE " + s + "/snapshots/nope", "", 404, "no snapshot"},
		{"DELETE " + s + "/snapshots/start", "", 400, "it can't be made or deleted"},
		{"DELETE " + s + "/journal?operation=groups.list", "", 400, `unknown query parameter "operation": this call has none`},
		{"GET " + s + "/diff?since=nope", "", 404, "no snapshot"},
		{"GET " + s + "/diff?sinse=start", "", 400, `unknown query parameter "sinse": did you mean "since"?`},
		{"GET " + s + "/diff?since=%zz", "", 400, "the query is not"},

		{"POST " + s + "/clock", "", 400, "give advance, set or run"},
		{"POST " + s + "/clock", `{"advance":"1 day"}`, 400, "advance must be a duration"},
		{"POST " + s + "/clock", `{"advance":"1h","set":"2026-01-15T09:00:00Z"}`, 400, "not both"},
		{"POST " + s + "/clock", `{"set":"tomorrow"}`, 400, `"set" must be a time`},
		{"POST " + s + "/clock", `{"set":"9999-12-31T23:59:59Z"}`, 400, "between the years 1 and 9000"},
		{"POST " + s + "/clock", `{"run":1}`, 400, `"run" must be true or false`},

		{"GET " + s + "/journal?status=ok", "", 400, "status must be a whole number from 100 to 599"},
		{"GET " + s + "/journal?status=600", "", 400, "status must be"},
		{"GET " + s + "/journal?limit=0", "", 400, `limit must be a whole number from 1 to 1000, not "0"`},
		{"GET " + s + "/journal?limit=1001", "", 400, "limit must be"},
		{"GET " + s + "/journal?limit=", "", 400, "limit must be"},
		{"GET " + s + "/journal?after=x", "", 400, "after must be the id of an exchange"},
		{"GET " + s + "/journal?after=-1", "", 400, "after must be"},
		{"GET " + s + "/journal?after=01", "", 400, "after must be"},
		{"GET " + s + "/journal?operaton=groups.list", "", 400, `unknown query parameter "operaton"`},
		{"GET " + s + "/journal?status=200&status=500", "", 400, "status is given twice"},
		{"GET " + s + "/journal?operation=groups", "", 400, `did you mean "groups.*"?`},
		{"GET " + s + "/journal/999", "", 404, `no exchange "999"`},
		{"GET " + s + "/journal/x", "", 404, `no exchange "x"`},
		{"GET " + s + "/journal/stream?after=x", "", 400, "after must be"},
		{"GET /v1/lifeline?linger=soon", "", 400, "linger must be a duration from 0s to 1h"},
		{"GET /v1/lifeline?linger=-1s", "", 400, "linger must be a duration from 0s to 1h"},
		{"GET " + s + "/journal/stream?from=1", "", 400, `the parameters are "operation", "dialect", "status", "outcome", "text", "after"`},
		{"GET " + s + "/journal/stream?operation=groups.lists", "", 400, `did you mean "groups.list"?`},
		{"GET " + s + "/journal/stream?status=99", "", 400, "status must be"},
		{"GET " + s + "/journal/stream?outcome=acepted", "", 400, `did you mean "accepted"?`},
		{"GET " + s + "/journal/stream?text=" + strings.Repeat("x", 201), "", 400, "text must have at most 200 characters"},
		{"GET " + s + "/journal?outcome=", "", 400, `outcome can't be "": it can be "accepted", "refused", "faulted"`},
		{"GET " + s + "/journal?outcome=lost", "", 400, `outcome can't be "lost": it can be "accepted", "refused"`},
		{"GET " + s + "/journal?text=" + strings.Repeat("x", 201), "", 400, "text must have at most 200 characters"},
		{"GET " + s + "/journal?text=night+status:6xx", "", 400, `"status:6xx", which is no status: write status:404,`},
		{"POST " + s + "/fork", `{"before":"1","after":"1"}`, 400, "give before or after, not both"},
		{"POST " + s + "/fork", `{"before":"x"}`, 404, `no exchange "x"`},
		{"POST " + s + "/fork", `{"after":""}`, 404, `no exchange ""`},
		{"POST " + s + "/fork", `{"after":1}`, 400, `"after" must be a string`},
		{"POST " + s + "/fork", `{"before":"999"}`, 404, `no exchange "999"`},
		{"POST " + s + "/fork", `{"name":"taken","before":"1"}`, 409, "exists"},
		{"POST " + s + "/fork", `{"name":"Upper","before":"1"}`, 400, "a-z, 0-9 and -"},
		{"POST " + s + "/journal/verify", "", 400, "nothing is expected"},
		{"POST " + s + "/journal/verify", `{"status":200,"inOrder":[{"status":200},{"status":200}]}`, 400, "inOrder goes with no other member but after"},
		{"POST " + s + "/journal/verify", `{"inOrder":[{"operation":"groups.list"},{"operation":"groups.crate"}]}`, 400,
			`inOrder[1]: unknown operation "groups.crate": did you mean "groups.create"?`},
		{"POST " + s + "/journal/verify", `{"operation":"groups.list","exactly":1,"atLeast":1}`, 400, "exactly"},
		{"POST " + s + "/journal/verify", `{"operation":"groups.list","atLeast":2,"atMost":1}`, 400, "atLeast"},
		{"POST " + s + "/journal/verify", `{"headers":{}}`, 400,
			`unknown member "headers": did you mean "header"?`},
		{"POST " + s + "/journal/verify", `{"header":{"x":7}}`, 400, `"header.x" must be a string`},
	} {
		before := seen(b)
		res := b.Control(test.status, test.request, test.body)
		assert.Equal(t, "application/problem+json", res.Header.Get("Content-Type"), test.request)
		p := decodeProblem(t, res)
		assert.Equal(t, test.status, p.Status, test.request)
		assert.Equal(t, http.StatusText(test.status), p.Title, test.request)
		assert.Contains(t, p.Detail, test.detail, "%s %s", test.request, test.body)
		assert.Equal(t, test.status == 422, len(p.Problems) > 0, test.request)
		assert.Equal(t, test.status == 429 || test.status == 503, res.Header.Get("Retry-After") != "", test.request)
		assert.Equal(t, test.status == 405, res.Header.Get("Allow") != "", test.request)
		assert.Equal(t, before, seen(b), "%s %s changed something", test.request, test.body)
	}
}

// No error text holds a value of the body that may be a secret.
func TestErrorsHoldNoValue(t *testing.T) {
	t.Parallel()
	const canary = "canary7d1f"
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for request, members := range map[string][]string{
		"POST":                         {"name", "scenarioYaml", "seed"},
		"POST /default/fork":           {"name"},
		"POST /default/snapshots":      {"name"},
		"POST /default/clock":          {"advance", "set", "run"},
		"POST /default" + tokensPath:   {"client", "hostUserId"},
		"POST /default/journal/verify": {"operation", "status", "header", "query", "body", "exactly"},
	} {
		method, path, _ := strings.Cut(request, " ")
		for _, member := range append(members, "unknown") {
			for _, value := range []string{`"@"`, `["@"]`, `{"a":"@"}`, `{"@":"@"}`, `"@" x`, `"@`, `"~@("`, `{"a":"~@("}`, `"@\x"`} {
				body := `{"` + member + `":` + strings.ReplaceAll(value, "@", canary) + "}"
				if strings.HasSuffix(path, tokensPath) && member != "client" {
					body = `{"client":"demo-app",` + body[1:]
				}
				res := b.Do(b.Request(method, b.Server.ControlURL()+"/v1/sandboxes"+path, body))
				if res.StatusCode >= 400 && !strings.Contains(value, `"@":`) {
					assert.NotContains(t, res.Body, canary, "%s %s", request, body)
				}
			}
		}
	}
}
