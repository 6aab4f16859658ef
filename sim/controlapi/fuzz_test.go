package controlapi_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// fuzzed is the sandbox that fuzz tests call.
const fuzzed = "/v1/sandboxes/fuzzed"

// fuzzedCalls are calls of all routes but the stream, with a body that each takes. What is in braces is a name.
var fuzzedCalls = [][2]string{
	{"POST /v1/sandboxes", `{"name":"x","seed":7,"ttl":"1h","scenarioYaml":"extends: retail"}`},
	{"POST /v1/sandboxes", `{"scenario":"retail"}`},
	{"POST /v1/sandboxes/{fuzzed}/fork", `{"name":"x"}`},
	{"POST " + fuzzed + "/fork", `{"before":"1"}`},
	{"POST " + fuzzed + "/reset", ""},
	{"PUT " + fuzzed + "/scenario", fuzzedScenario},
	{"POST " + fuzzed + "/clock", `{"advance":"1h","run":false}`},
	{"POST " + fuzzed + "/clock", `{"set":"2026-01-15T09:00:00Z"}`},
	{"POST " + fuzzed + "/snapshots", `{"name":"x"}`},
	{"POST " + fuzzed + "/snapshots/{start}/restore", ""},
	{"DELETE " + fuzzed + "/snapshots/{x}", ""},
	{"PATCH " + fuzzed + "/institutions/{02688}", `{"multistatement":true}`},
	{"PATCH " + fuzzed + "/institutions/{02688}/users/{1001}", `{"active":false,"disclosureStatus":"ACCEPTED"}`},
	{
		"PATCH " + fuzzed + userPath + "/accounts/{acc-1001-checking}",
		`{"activateEstatement":true,"disclosureStatus":"NOT_ACCEPTED"}`,
	},
	{"POST " + fuzzed + "/tokens", `{"institutionId":"02688","client":"demo-app","hostUserId":"1001","expiresIn":"1h"}`},
	{
		"POST " + fuzzed + "/faults",
		`[{"name":"x","operation":"groups.*","when":{"nth":2,"request":{"header":{"a":"~b"},"body":{"c":{"d":"~e"}}}},` +
			`"then":{"status":500,"delay":"1s","headers":{"Retry-After":"2"}}},{"name":"y","operation":"jobs.list","then":{"status":500}}]`,
	},
	{
		"POST " + fuzzed + "/journal/verify",
		`{"operation":"groups.*","status":200,"path":"~a","header":{"transactionid":"~^t"},"body":{"groupName":"~x"},"atLeast":1}`,
	},
	{"POST " + fuzzed + "/requests", `{"method":"POST","path":"/x?y","headers":{"A":"b","C":["d","e"]},"body":"{}"}`},
	{"POST " + fuzzed + "/requests", `{"path":"/x","headers":{"a-token":"tok_0123456789ab"}}`},
	{"DELETE /v1/sandboxes/{fuzzed}", ""},
	{"DELETE " + fuzzed + "/faults?name={x}", ""},
	{"DELETE " + fuzzed + "/journal", ""},
	{"GET /v1/sandboxes/{fuzzed}", ""},
	{"GET " + fuzzed + "/state?institution={02688}&user={1001}", ""},
	{"GET " + fuzzed + "/diff?since={start}", ""},
	{"GET " + fuzzed + "/journal?q={status:200}", ""},
	{"GET " + fuzzed + "/journal/{1}", ""},
	{"GET " + fuzzed + "/journal/{1}/why", ""},
	{"GET /v3/groups/{x}", ""},
	{"POST /v1/keepalive?linger={1s}", ""},
	{"GET /v1/coverage?sandbox={x}", ""},
	{"POST /v1/scenarios/validate", "extends: retail\nseed: 9\nfaults: [{then: {status: 500}}]\n"},
	{"GET " + fuzzed + "/users", ""},
	{"GET " + fuzzed + "/scenario", ""},
}

// fuzzedScenario has a value of each kind.
const fuzzedScenario = `
name: x
extends: retail
seed: 9
behavior: {strict: true, groups: {duplicateName: allow}, tokens: {accessTokenLifetime: 1h}}
clock: {start: 2026-01-15T09:00:00Z, run: false}
institutions:
  - institutionId: "02688"
    tokens: [{accessToken: x, client: demo-app, hostUserId: "1001"}]
    groups: [{groupName: x, participants: [a, b]}]
    users:
      - hostUserId: "1001"
        alertPreferences:
          - alertPreferenceDetails: {alertPrefId: 77, alertTypeName: LOW_BALANCE, channelTypeName: EMAIL}
            additionalInfo: {c: d}
faults:
  - {name: z, operation: groups.*, when: {request: {body: {c: ~e}}},
    then: {status: 500, delay: 1s, headers: {Retry-After: "2"}}}
`

// name matches what is in braces.
var name = regexp.MustCompile(`\{[^}]*\}`)

// named returns a call with a name in place of each of its own, or with its own.
func named(call, text string) string {
	return name.ReplaceAllStringFunc(call, func(own string) string { return cmp.Or(text, strings.Trim(own, "{}")) })
}

// large matches, in YAML and in JSON, numbers of rows that take long to generate.
var large = regexp.MustCompile(`(users|groups|accountsPerUser)[\\"']*\s*:\s*[^\s,{}[\]]{4}`)

// Whatever name, query and body a call of the control API has, it is answered, with a problem document where it is
// refused, and then the sandbox stays as it was.
func FuzzCall(f *testing.F) {
	for i, call := range fuzzedCalls {
		f.Add(uint8(i), "fuzzed", "", []byte(call[1]))
		for _, name := range []string{"\x80", "", "a/b", "..", "\x00", strings.Repeat("x", 5000), "02688", "1001"} {
			f.Add(uint8(i), name, "since=%80&limit=99999999999999999999&unknown=1", []byte(call[1]))
		}
		for _, body := range []string{"null", "[]", "{", "\x80", `{"name":"\u0000"}`, `{"name":"x","name":"y"}`, `{"NAME":"x"}`,
			`{"seed":1e400}`, `{"ttl":"-1s"}`,
			"a: &a [*a]", `{"advance":"9999999h"}`, `{"set":"9999-12-31T23:59:59Z"}`, strings.Repeat("[", 20_000)} {
			f.Add(uint8(i), "fuzzed", "", []byte(body))
		}
	}
	simulator := simtest.NewDetached(f, simtest.FrozenRetail)
	f.Fuzz(func(t *testing.T, index uint8, name, query string, body []byte) {
		if large.Match(body) {
			t.Skip("a bank of a million users is valid, but takes seconds to generate")
		}
		d := simulator.Fresh(t, "fuzzed")
		call, _, _ := strings.Cut(fuzzedCalls[int(index)%len(fuzzedCalls)][0], "?")
		controlled(t, d, named(call, url.PathEscape(name))+"?"+query, body)
	})
}

// controlled makes a call and requires what holds for every answer.
func controlled(t *testing.T, d *simtest.Detached, call string, body []byte) (res simtest.Answer, refused api.Problem) {
	t.Helper()
	method, target, _ := strings.Cut(call, " ")
	path, query, _ := strings.Cut(target, "?")
	r := httptest.NewRequest(method, "http://control.test/", bytes.NewReader(body))
	var err error
	if r.URL.Path, err = url.PathUnescape(path); err != nil {
		t.Fatal(err)
	}
	r.URL.RawPath, r.URL.RawQuery = path, query
	before, beside := d.World(), besideWorld(d)
	res = d.ServeControl(r)
	require.True(t, utf8.ValidString(res.Body), "%q", res.Body)
	require.Less(t, res.StatusCode, 500, "%.500s: %s", call, res.Body)
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	require.NoError(t, simtest.CheckControl(r, res.Response, []byte(res.Body)), "%.500s: %.500s", call, body)
	if res.StatusCode < 400 {
		if strings.HasSuffix(res.Header.Get("Content-Type"), "json") {
			require.True(t, json.Valid([]byte(res.Body)), "%s: %s", call, res.Body)
		}
		return res, refused
	}
	require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"), call)
	require.NoError(t, strictjson.DecodeKnown([]byte(res.Body), &refused), "%.500s: %s", call, res.Body)
	require.Equal(t, res.StatusCode, refused.Status)
	require.NotEmpty(t, refused.Detail)
	require.True(t, before.Equal(d.World()), "%.500s is refused and changes nothing", call)
	require.Equal(t, beside, besideWorld(d), "%.500s is refused and changes nothing", call)
	return res, refused
}

// besideWorld is what the sandbox holds beside its world, and how many sandboxes and exchanges there are.
func besideWorld(d *simtest.Detached) []any {
	now := d.Sandbox.Known()
	return []any{
		now.Generation,
		now.Now,
		now.Running,
		now.Faults.Counts(),
		now.Snapshots(),
		d.Journal().Last(),
		d.Sandboxes.Len(),
	}
}
