package controlapi_test

import (
	"bytes"
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
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// fuzzed is the sandbox that fuzz tests call.
const fuzzed = "/v1/sandboxes/fuzzed"

// fuzzedCalls are calls of all routes but the stream, with a body that each takes. {} is where a fuzzed name goes.
var fuzzedCalls = [][2]string{
	{"POST /v1/sandboxes", `{"name":"x","seed":7,"ttl":"1h","scenarioYaml":"extends: retail"}`},
	{"POST /v1/sandboxes/{}/fork", `{"name":"x"}`},
	{"POST " + fuzzed + "/reset", ""},
	{"PUT " + fuzzed + "/scenario", "name: x\nextends: retail\nseed: 9\n"},
	{"POST " + fuzzed + "/clock", `{"advance":"1h","run":false}`},
	{"POST " + fuzzed + "/snapshots", `{"name":"x"}`},
	{"POST " + fuzzed + "/snapshots/{}/restore", ""},
	{"PATCH " + fuzzed + "/institutions/{}", `{"multistatement":true}`},
	{"PATCH " + fuzzed + institutionPath + "/users/{}", `{"active":false,"disclosureStatus":"ACCEPTED"}`},
	{"PATCH " + fuzzed + userPath + "/accounts/{}", `{"activateEstatement":true,"disclosureStatus":"NOT_ACCEPTED"}`},
	{"POST " + fuzzed + "/institutions/{}/tokens", `{"client":"demo-app","hostUserId":"1001","expiresIn":"1h"}`},
	{"POST " + fuzzed + "/faults", `{"name":"x","operation":"groups.*","when":{"nth":2},"then":{"status":500,"delay":"1s"}}`},
	{"POST " + fuzzed + "/journal/verify",
		`{"operation":"groups.*","status":200,"header":{"transactionid":"~^t"},"body":{"groupName":"x"},"atLeast":0}`},
	{"POST " + fuzzed + "/requests", `{"method":"POST","path":"/x?y","headers":{"A":"b","C":["d","e"]},"body":"{}"}`},
	{"DELETE /v1/sandboxes/{}", ""},
	{"DELETE " + fuzzed + "/faults?name={}", ""},
	{"DELETE " + fuzzed + "/journal", ""},
	{"GET /v1/sandboxes/{}", ""},
	{"GET " + fuzzed + "/state", ""},
	{"GET " + fuzzed + "/diff", ""},
	{"GET " + fuzzed + "/journal", ""},
	{"GET " + fuzzed + "/journal/{}", ""},
	{"GET /{}", ""},
	{"POST /v1/scenarios/validate", "extends: retail\nseed: 9\nfaults: [{then: {status: 500}}]\n"},
	{"GET " + fuzzed + "/users", ""},
	{"GET " + fuzzed + "/scenario", ""},
}

// large matches, in YAML and in JSON, numbers of rows that take long to generate.
var large = regexp.MustCompile(`(users|groups|accountsPerUser)[\\"']*\s*:\s*[^\s,}]{4}`)

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
		call := fuzzedCalls[int(index)%len(fuzzedCalls)][0]
		controlled(t, d, strings.Replace(call, "{}", url.PathEscape(name), 1), query, body)
	})
}

// controlled makes a call and requires what holds for every answer.
func controlled(t *testing.T, d *simtest.Detached, call, query string, body []byte) simtest.Answer {
	t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r := httptest.NewRequest(method, "http://control.test/", bytes.NewReader(body))
	var err error
	if r.URL.Path, err = url.PathUnescape(path); err != nil {
		t.Fatal(err)
	}
	r.URL.RawPath, r.URL.RawQuery = path, query
	before, faults := d.World(), simtest.JSON(d.Sandbox.Known().Faults.Counts())
	res := d.ServeControl(r)
	require.True(t, utf8.ValidString(res.Body), "%q", res.Body)
	require.Less(t, res.StatusCode, 500, "%s: %s", call, res.Body)
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	require.NoError(t, simtest.CheckControl(r, res.Response, []byte(res.Body)), "%s: %s", call, body)
	if res.StatusCode < 400 {
		if strings.HasSuffix(res.Header.Get("Content-Type"), "json") {
			require.True(t, json.Valid([]byte(res.Body)), "%s: %s", call, res.Body)
		}
		return res
	}
	var problem api.Problem
	require.NoError(t, wire.DecodeKnown([]byte(res.Body), &problem), "%s: %s", call, res.Body)
	require.Equal(t, res.StatusCode, problem.Status)
	require.NotEmpty(t, problem.Detail)
	require.True(t, before.Equal(d.World()), "%s is refused and changes nothing", call)
	require.Equal(t, faults, simtest.JSON(d.Sandbox.Known().Faults.Counts()), "%s is refused and changes nothing", call)
	return res
}
