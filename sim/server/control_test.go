package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// problem is a problem document of the control API.
type problem struct {
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Problems []struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
	} `json:"problems"`
}

const (
	sandboxesURL = "/v1/sandboxes"
	defaultURL   = sandboxesURL + "/default"
	patchURL     = defaultURL + "/institutions/02688"
	tokensURL    = patchURL + "/tokens"
)

// call sends a call of the control API, "METHOD path", that must be answered with a status.
func (b *bank) call(status int, request, body string, headers ...string) answer {
	b.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	res := b.send(method, b.server.ControlURL()+path, body, headers...)
	require.Equal(b.t, status, res.StatusCode, "%s %s: %s", request, body, res.body)
	return res
}

// in returns the attempt in a sandbox.
func (a attempt) in(sandbox string) attempt { return a.at("/sandboxes/" + sandbox + a.path) }

// observed is all that the control API shows of a bank, its journal aside.
func (b *bank) observed() string {
	b.t.Helper()
	var all strings.Builder
	for _, path := range []string{"", "/state", "/clock", "/scenario", "/snapshots", "/diff"} {
		all.WriteString(b.call(200, "GET "+defaultURL+path, "").body + "\n")
	}
	return all.String() + b.call(200, "GET "+sandboxesURL, "").body
}

// Every refusal is a problem document that says what to do, and leaves everything as it was.
func TestControlRefusals(t *testing.T) {
	b := startBank(t, frozenRetail)
	b.call(201, "POST "+sandboxesURL, `{"name":"taken"}`)
	b.call(201, "POST "+defaultURL+"/snapshots", `{"name":"taken"}`)
	listGroups.send(b)
	const large = 1<<20 + 1
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
		{"POST /v1/sandboxes/default/journal/stream", "", 405, "takes GET"},
		{"PATCH /v1/sandboxes/default/journal/verify", "", 405, "takes"},

		{"POST /v1/sandboxes", `[]`, 400, "must be a JSON object"},
		{"POST /v1/sandboxes", `null`, 400, "must be a JSON object"},
		{"POST /v1/sandboxes", `{"name":"x"`, 400, "not valid JSON"},
		{"POST /v1/sandboxes", `{"name":"x"} {}`, 400, "not valid JSON"},
		{"POST /v1/sandboxes", "{\"name\":\"\xff\"}", 400, "not valid JSON"},
		{"POST /v1/sandboxes", `{"name":"x","name":"y"}`, 400, `"name" is given twice`},
		{"POST /v1/sandboxes", `{"nam":"x"}`, 400, `unknown member "nam": the members are name, scenario, scenarioYaml, seed, ttl`},
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
		{"POST /v1/sandboxes", `{"ttl":"soon"}`, 400, "ttl must be a duration above 0"},
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

		{"POST /v1/sandboxes/default/fork", `{"name":"taken"}`, 409, "exists"},
		{"POST /v1/sandboxes/default/fork", `{"name":"_"}`, 400, "a-z, 0-9 and -"},
		{"POST /v1/sandboxes/default/fork", `{"ttl":"1h"}`, 400, "the members are name"},
		{"POST /v1/sandboxes/nope/fork", "", 404, "no sandbox"},
		{"POST /v1/sandboxes/nope/reset", "", 404, "no sandbox"},

		{"PUT /v1/sandboxes/default/scenario", "", 422, "the scenario has a problem"},
		{"PUT /v1/sandboxes/default/scenario", "extends: retail\ninstitutions: 7\n", 422, "nothing was changed"},
		{"PUT /v1/sandboxes/default/scenario", "extends: /etc/passwd\n", 422, "the scenario has a problem"},
		{"PUT /v1/sandboxes/default/scenario", strings.Repeat("#", large), 413, "larger than 1048576 bytes"},

		{"PATCH " + patchURL, "", 400, "the body is empty: give some of multistatement"},
		{"PATCH " + patchURL, `[{"op":"replace"}]`, 400, "must be a JSON object"},
		{"PATCH " + patchURL, `{"multistatement":null}`, 400, "multistatement can't be removed: give it a value, or leave it out"},
		{"PATCH " + patchURL, `{"multistatement":"true"}`, 400, `"multistatement" must be true or false`},
		{"PATCH " + patchURL, `{"multistatement":false,"alertTypes":[]}`, 400, `unknown member "alertTypes": the members are multistatement`},
		{"PATCH " + defaultURL + "/institutions/00000", `{"multistatement":false}`, 404, "no institution"},
		{"PATCH " + defaultURL + "/institutions/00000", `{}`, 404, "no institution"},
		{"PATCH " + patchURL + "/users/1001", `{"active":false,"disclosureStatus":null}`, 400, "disclosureStatus can't be removed"},
		{"PATCH " + patchURL + "/users/1001", `{"active":false,"disclosureStatus":"accepted"}`, 400, "must be ACCEPTED or NOT_ACCEPTED"},
		{"PATCH " + patchURL + "/users/1001", `{"active":false,"disclosureStatus":true}`, 400, `"disclosureStatus" must be a string`},
		{"PATCH " + patchURL + "/users/1001", `{"active":false,"activateEstatement":true}`, 400, "the members are active, disclosureStatus"},
		{"PATCH " + patchURL + "/users/1001", `{"active":0}`, 400, `"active" must be true or false`},
		{"PATCH " + patchURL + "/users/9", `{"active":false}`, 404, "no user"},
		{"PATCH " + defaultURL + "/institutions/0/users/1001", `{"active":false}`, 404, "no institution"},
		{"PATCH " + patchURL + "/users/1001/accounts/acc-1001-checking", `{"activateEstatement":null}`, 400, "activateEstatement can't be removed"},
		{"PATCH " + patchURL + "/users/1001/accounts/acc-1001-checking", `{"activateEstatement":true,"active":true}`, 400, "the members are activateEstatement, disclosureStatus"},
		{"PATCH " + patchURL + "/users/1001/accounts/acc-1001-checking", `{"activateEstatement":true,"disclosureStatus":"NO"}`, 400, "must be ACCEPTED or NOT_ACCEPTED"},
		{"PATCH " + patchURL + "/users/1001/accounts/nope", `{"activateEstatement":true}`, 404, "no account"},
		{"PATCH " + patchURL + "/users/9/accounts/nope", `{"activateEstatement":true}`, 404, "no user"},

		{"POST " + tokensURL, "", 400, "client is missing"},
		{"POST " + tokensURL, `{"client":"nope"}`, 400, "client is not one of the institution's"},
		{"POST " + tokensURL, `{"client":"demo-app","hostUserId":"nope"}`, 400, "hostUserId is not one of the institution's users"},
		{"POST " + tokensURL, `{"client":"demo-app","expiresIn":"0"}`, 400, "expiresIn must be a duration above 0"},
		{"POST " + tokensURL, `{"client":"demo-app","expiresIn":60}`, 400, `"expiresIn" must be a string`},
		{"POST " + tokensURL, `{"client":"demo-app","accessToken":"x"}`, 400, "the members are client, hostUserId, expiresIn"},
		{"POST " + defaultURL + "/institutions/0/tokens", `{"client":"demo-app"}`, 404, "no institution"},

		{"POST /v1/sandboxes/default/snapshots", "", 400, "name must be"},
		{"POST /v1/sandboxes/default/snapshots", `{"name":"No good"}`, 400, "name must be"},
		{"POST /v1/sandboxes/default/snapshots", `{"name":"start"}`, 400, "name can't be start"},
		{"POST /v1/sandboxes/default/snapshots", `{"name":"taken"}`, 409, "exists"},
		{"POST /v1/sandboxes/default/snapshots/nope/restore", "", 404, "no snapshot"},
		{"GET /v1/sandboxes/default/diff?since=nope", "", 404, "no snapshot"},
		{"GET /v1/sandboxes/default/diff?sinse=start", "", 400, `unknown query parameter "sinse": the parameters are since`},
		{"GET /v1/sandboxes/default/diff?since=%zz", "", 400, "the query is not"},

		{"POST /v1/sandboxes/default/clock", "", 400, "give advance, set or run"},
		{"POST /v1/sandboxes/default/clock", `{"advance":"1 day"}`, 400, "advance must be a duration"},
		{"POST /v1/sandboxes/default/clock", `{"advance":"1h","set":"2026-01-15T09:00:00Z"}`, 400, "not both"},
		{"POST /v1/sandboxes/default/clock", `{"set":"tomorrow"}`, 400, `"set" must be a time`},
		{"POST /v1/sandboxes/default/clock", `{"set":"9999-12-31T23:59:59Z"}`, 400, "between the years 1 and 9000"},
		{"POST /v1/sandboxes/default/clock", `{"run":1}`, 400, `"run" must be true or false`},

		{"GET /v1/sandboxes/default/journal?status=ok", "", 400, "status must be a whole number from 100 to 599"},
		{"GET /v1/sandboxes/default/journal?status=600", "", 400, "status must be"},
		{"GET /v1/sandboxes/default/journal?limit=0", "", 400, "limit must be a whole number from 1 to 1000"},
		{"GET /v1/sandboxes/default/journal?limit=1001", "", 400, "limit must be"},
		{"GET /v1/sandboxes/default/journal?limit=", "", 400, "limit must be"},
		{"GET /v1/sandboxes/default/journal?after=x", "", 400, "after must be the id of an exchange"},
		{"GET /v1/sandboxes/default/journal?after=-1", "", 400, "after must be"},
		{"GET /v1/sandboxes/default/journal?after=01", "", 400, "after must be"},
		{"GET /v1/sandboxes/default/journal?operaton=groups.list", "", 400, `unknown query parameter "operaton"`},
		{"GET /v1/sandboxes/default/journal?status=200&status=500", "", 400, "status is given twice"},
		{"GET /v1/sandboxes/default/journal/999", "", 404, `no exchange "999"`},
		{"GET /v1/sandboxes/default/journal/x", "", 404, `no exchange "x"`},
		{"GET /v1/sandboxes/default/journal/stream?after=x", "", 400, "after must be"},
		{"GET /v1/sandboxes/default/journal/stream?from=1", "", 400, "the parameters are after"},
		{"POST /v1/sandboxes/default/journal/verify", "", 400, "nothing is expected"},
		{"POST /v1/sandboxes/default/journal/verify", `{"operation":"groups.list","exactly":1,"atLeast":1}`, 400, "exactly"},
		{"POST /v1/sandboxes/default/journal/verify", `{"operation":"groups.list","atLeast":2,"atMost":1}`, 400, "atLeast"},
		{"POST /v1/sandboxes/default/journal/verify", `{"headers":{}}`, 400, `unknown member "headers": the members are operation, status, method, path, header, query, body, exactly, atLeast, atMost`},
		{"POST /v1/sandboxes/default/journal/verify", `{"header":{"x":7}}`, 400, `"header.x" must be a string`},
	} {
		before := b.observed()
		res := b.call(test.status, test.request, test.body)
		assert.Equal(t, "application/problem+json", res.Header.Get("Content-Type"), test.request)
		p := decode[problem](t, res)
		assert.Equal(t, test.status, p.Status, test.request)
		assert.Equal(t, http.StatusText(test.status), p.Title, test.request)
		assert.Contains(t, p.Detail, test.detail, "%s %s", test.request, test.body)
		assert.Equal(t, test.status == 422, len(p.Problems) > 0, test.request)
		assert.Equal(t, test.status == 405, res.Header.Get("Allow") != "", test.request)
		assert.Equal(t, before, b.observed(), "%s %s changed something", test.request, test.body)
	}
	assert.Contains(t, b.call(200, "GET "+defaultURL+"/journal", "").body, `"operation":"groups.list"`, "the journal is as it was, too")
}

// A body may come without a Content-Type, or with the one that curl gives it, but not with that of something else.
func TestControlContentTypes(t *testing.T) {
	b := startBank(t, frozenRetail)
	const yaml = "extends: retail\n"
	for _, test := range []struct {
		request, body, media string
		status               int
	}{
		{"POST /v1/sandboxes", "{}", "application/json; charset=utf-8", 201},
		{"POST /v1/sandboxes", "{}", "application/x-www-form-urlencoded", 201},
		{"POST /v1/sandboxes", "{}", "application/yaml", 415},
		{"POST /v1/sandboxes", "{}", "application/merge-patch+json", 415},
		{"POST /v1/sandboxes", "{}", "json", 415},
		{"PATCH " + patchURL, "{}", "application/merge-patch+json", 200},
		{"PATCH " + patchURL, "{}", "application/json", 200},
		{"PATCH " + patchURL, "{}", "application/json-patch+json", 415},
		{"PUT /v1/sandboxes/default/scenario", yaml, "application/yaml", 200},
		{"PUT /v1/sandboxes/default/scenario", yaml, "text/plain; charset=utf-8", 200},
		{"PUT /v1/sandboxes/default/scenario", yaml, "application/json", 415},
	} {
		b.call(test.status, test.request, test.body, "Content-Type: "+test.media)
	}
}

// No error text holds a value of the body: it may be a secret.
func TestControlErrorsHoldNoValue(t *testing.T) {
	const canary = "canary7d1f"
	b := startBank(t, frozenRetail)
	for request, members := range map[string][]string{
		"POST /v1/sandboxes":                                           {"name", "scenarioYaml", "seed", "ttl"},
		"POST /v1/sandboxes/default/fork":                              {"name"},
		"POST /v1/sandboxes/default/snapshots":                         {"name"},
		"POST /v1/sandboxes/default/clock":                             {"advance", "set", "run"},
		"POST " + tokensURL:                                            {"client", "hostUserId", "expiresIn"},
		"PATCH " + patchURL:                                            {"multistatement"},
		"PATCH " + patchURL + "/users/1001":                            {"active", "disclosureStatus"},
		"PATCH " + patchURL + "/users/1001/accounts/acc-1001-checking": {"activateEstatement", "disclosureStatus"},
		"POST /v1/sandboxes/default/journal/verify":                    {"operation", "status", "method", "path", "header", "query", "body", "exactly"},
	} {
		for _, member := range append(members, "unknown") {
			for _, value := range []string{`"@"`, `["@"]`, `{"a":"@"}`, `{"@":"@"}`, `"@" x`, `"@`, `"~@("`, `{"a":"~@("}`, `"@\x"`} {
				body := `{"` + member + `":` + strings.ReplaceAll(value, "@", canary) + "}"
				if request == "POST "+tokensURL && member != "client" {
					body = `{"client":"demo-app",` + body[1:]
				}
				method, path, _ := strings.Cut(request, " ")
				res := b.control(method, path, body)
				if res.StatusCode >= 400 && !strings.Contains(value, `"@":`) {
					assert.NotContains(t, res.body, canary, "%s %s", request, body)
				}
			}
		}
	}
}
