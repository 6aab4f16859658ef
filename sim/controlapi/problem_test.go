package controlapi_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Every refusal is a problem document that says what is wrong, and changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	d := simtest.NewDetached(t, simtest.FrozenRetail)
	controlled(t, d, "POST /v1/sandboxes", []byte(`{"name":"taken"}`))
	controlled(t, d, "POST /v1/sandboxes/default/snapshots", []byte(`{"name":"taken"}`))
	d.ServeBank(httptest.NewRequest("GET", simtest.ListGroups.Path, nil))
	for request, bodies := range map[string]map[string]string{
		"GET /nope":                                            {"": `404 no path "/nope"`},
		"GET /v1/sandboxes/nope/state":                         {"": `404 no sandbox "nope": POST /v1/sandboxes creates one`},
		"GET /v1/sandboxes/%2e%2e/state":                       {"": `404 no sandbox ".."`},
		"PUT /v1/info":                                         {"": "405 takes GET"},
		"POST /v1/sandboxes/default/journal/1":                 {"": "405 takes GET"},
		"DELETE /v1/sandboxes/default":                         {"": "409 reset it instead"},
		"DELETE /v1/sandboxes/nope":                            {"": "404 no sandbox"},
		"GET /v1/openapi.json?dialect=publc":                   {"": `400 dialect can't be "publc": did you mean "public"?`},
		"GET /v1/sandboxes/default/journal?format=txt":         {"": `400 did you mean "text"?`},
		"POST /v1/sandboxes/nope/fork":                         {"": "404 no sandbox"},
		"POST /v1/sandboxes/default/snapshots/takn/restore":    {"": `404 there is no snapshot "takn": there are "taken", "start"`},
		"DELETE /v1/sandboxes/default/snapshots/nope":          {"": "404 no snapshot"},
		"GET /v1/sandboxes/default/diff?since=nope":            {"": "404 no snapshot"},
		"GET /v1/sandboxes/default/diff?since=%zz":             {"": "400 the query is not"},
		"GET /v1/sandboxes/default/journal?limit=0":            {"": `400 limit must be a whole number from 1 to 1000, not "0"`},
		"GET /v1/sandboxes/default/journal?limit=1001":         {"": "400 limit must be a whole number from 1 to 1000"},
		"GET /v1/sandboxes/default/journal?limit=":             {"": "400 limit must be"},
		"GET /v1/sandboxes/default/journal?after=x":            {"": "400 after must be the id of an exchange"},
		"GET /v1/sandboxes/default/journal?after=01":           {"": "400 after must be"},
		"GET /v1/sandboxes/default/journal?q=a&q=b":            {"": "400 q is given twice"},
		"GET /v1/sandboxes/default/journal?q=operation:groups": {"": `400 did you mean "groups.*"?`},
		"GET /v1/sandboxes/default/journal/01":                 {"": `404 no exchange "01"`},
		"GET /v1/sandboxes/default/journal/2":                  {"": `404 no exchange "2"`},
		"GET /v1/sandboxes/default/journal/x":                  {"": `404 no exchange "x"`},
		"POST /v1/keepalive?linger=soon":                       {"": "400 linger must be a duration from 0s to 1h"},
		"GET /v1/sandboxes/default/journal?q=" + strings.Repeat("x",
			201): {"": "400 a search must have at most 200 characters"},
		"GET /v1/sandboxes/default/journal?q=night+status:6xx": {"": `400 "status:6xx" is no status: write status:404,`},
		"POST /v1/sandboxes": {
			`[]`:                         "400 must be a JSON object",
			`{"name":"x"`:                "400 not valid JSON",
			`{"name":"x"} {}`:            "400 not valid JSON",
			"{\"name\":\"\xff\"}":        "400 not valid JSON",
			`{"name":"x","name":"y"}`:    `400 "name" is given twice`,
			`{"nam":"x"}`:                `400 unknown member "nam": did you mean "name"?`,
			`{"name":7}`:                 `400 "name" must be a string`,
			`{"seed":-1}`:                `400 "seed" must be a whole number, 0 or more`,
			strings.Repeat(" ", 1<<20+1): "413 larger than 1048576 bytes",
			`{"name":"Upper"}`:           "400 a-z, 0-9 and -",
			`{"name":"` + strings.Repeat("x", 64) + `"}`:    "400 1 to 63",
			`{"name":"taken"}`:                              "409 exists",
			`{"ttl":"soon"}`:                                `400 ttl must be a duration above 0, such as 90s, 15m or 24h, not "soon"`,
			`{"ttl":"0s"}`:                                  "400 ttl must be a duration above 0",
			`{"scenario":"empty","scenarioYaml":"name: x"}`: "400 not both",
			`{"scenario":"retial"}`:                         "422 built-in scenario",
			`{"scenario":"/etc/passwd"}`:                    "422 never a file",
			`{"scenarioYaml":""}`:                           "422 the scenario has a problem",
		},
		"POST /v1/infer": {"{}": "404 it runs within a test"},
		"POST /v1/sandboxes/default/fork": {
			`{"name":"taken"}`:           "409 exists",
			`{"before":"1","after":"1"}`: "400 give before or after, not both",
			`{"before":"x"}`:             `404 no exchange "x"`,
			`{"after":""}`:               `404 no exchange ""`,
		},
		"PATCH /v1/sandboxes/default": {
			`{"ttl":"1h"}`: "409 the default sandbox can't expire",
			`{"ttl":"0s"}`: "400 ttl must be a duration above 0",
			`{}`:           "400 the patch is empty, and changes nothing: give ttl",
		},
		"PATCH /v1/sandboxes/none": {`{"ttl":"1h"}`: "404 there is no sandbox"},
		"PUT /v1/sandboxes/default/scenario": {
			"extends: retail\ninstitutions: 7\n": "422 nothing was changed",
			"extends: /etc/passwd\n":             "422 the scenario has a problem",
		},
		"PATCH /v1/sandboxes/default/institutions/02688": {
			"":                          "400 the patch is empty",
			`{"multistatement":null}`:   "400 multistatement can't be null: give it a value, or leave it out",
			`{"multistatement":"true"}`: `400 multistatement must be true or false, not "true"`,
			`{}`:                        "400 the patch is empty, and changes nothing: give multistatement",
		},
		"PATCH /v1/sandboxes/default/institutions/00000": {`{"multistatement":false}`: "404 no institution"},
		"PATCH /v1/sandboxes/default/institutions/02688/users/1001": {
			`{"active":false,"disclosureStatus":null}`:       "400 disclosureStatus can't be null: give it a value, or leave it out",
			`{"active":false,"disclosureStatus":"accepted"}`: `400 disclosureStatus can't be "accepted": did you mean "ACCEPTED"?`,
			`{"active":false,"activateEstatement":true}`:     `400 the members are "active", "locked", "disclosureStatus"`,
			`{"active":0}`: `400 active must be true or false, not 0`,
			`{"active":"` + strings.Repeat("n", 90) + `"}`: "400 nnn…",
			`{}`: "400 the patch is empty, and changes nothing: give active or locked or disclosureStatus",
		},
		"PATCH /v1/sandboxes/default/institutions/02688/users/9": {`{"active":false}`: "404 no user"},
		"PATCH /v1/sandboxes/default/institutions/0/users/1001":  {`{"active":false}`: "404 no institution"},
		"PATCH /v1/sandboxes/default/institutions/02688/users/1001/accounts/acc-1001-checking": {
			`{"activateEstatement":true,"active":true}`:           `400 the members are "activateEstatement", "disclosureStatus"`,
			`{"activateEstatement":true,"disclosureStatus":"NO"}`: `400 disclosureStatus can't be "NO": it can be "ACCEPTED", "NOT_ACCEPTED"`,
		},
		"PATCH /v1/sandboxes/default/institutions/02688/users/1001/accounts/nope": {`{"activateEstatement":true}`: "404 no account"},
		"PATCH /v1/sandboxes/default/institutions/02688/users/9/accounts/nope":    {`{"activateEstatement":true}`: "404 no user"},
		"POST /v1/sandboxes/default/tokens": {
			`{"hostUserId":""}`:                         "400 hostUserId is empty: leave it out",
			`{"institutionId":"0"}`:                     `404 there is no institution "0": there are "02688"`,
			`{"client":"nope"}`:                         "400 client is not one of the clients of the bank",
			`{"institutionId":"05523","client":"nope"}`: `400 client is not one of the clients of institution "05523"`,
			`{"client":"demo-app","hostUserId":"nope"}`: "400 hostUserId is not one of the institution's users",
			`{"client":"demo-app","expiresIn":"0"}`:     "400 expiresIn must be a duration above 0",
			`{"client":"demo-app","accessToken":"x"}`:   `400 the members are "institutionId", "client", "hostUserId", "expiresIn"`,
		},
		"POST /v1/sandboxes/default/snapshots": {
			"":                   "400 name must be",
			`{"name":"No good"}`: "400 name must be",
			`{"name":"start"}`:   "400 start names the start of the sandbox: it can't be made or deleted",
			`{"name":"taken"}`:   "409 exists",
		},
		"POST /v1/sandboxes/default/clock": {
			"":                    "400 give advance, set or run",
			`{"advance":"1 day"}`: "400 advance must be a duration",
			`{"advance":"1h","set":"2026-01-15T09:00:00Z"}`: "400 not both",
			`{"set":"tomorrow"}`:                            `400 "set" must be a time`,
			`{"set":"9999-12-31T23:59:59Z"}`:                "400 between the years 1 and 9700",
		},
		"POST /v1/sandboxes/default/journal/verify": {
			"": "400 nothing is expected",
			`{"status":200,"inOrder":[{"status":200},{"status":200}]}`:               "400 inOrder goes with no other member but after",
			`{"inOrder":[{"operation":"groups.list"},{"operation":"groups.crate"}]}`: `400 inOrder[1]: unknown operation "groups.crate": did you mean "groups.create"?`,
			`{"inOrder":[{},{"operation":"groups.list"}]}`:                           "400 inOrder[0]: any request would do",
			`{"inOrder":[{"operation":null},{"operation":"groups.list"}]}`:           "400 inOrder[0]: operation can't be null",
			`{"inOrder":[` + strings.Repeat("{},", 1000) + `{}]}`:                    "400 inOrder has at most 1000 expectations",
			`{"operation":"groups.list","exactly":1,"atLeast":1}`:                    "400 exactly",
			`{"operation":"groups.list","atLeast":2,"atMost":1}`:                     "400 atLeast",
			`{"header":{"x":7}}`: `400 "header.x" must be a string`,
		},
	} {
		for body, want := range bodies {
			res, p := controlled(t, d, request, []byte(body))
			code, detail, _ := strings.Cut(want, " ")
			status, _ := strconv.Atoi(code)
			assert.Equal(t, status, p.Status, "%s %.100s", request, body)
			assert.Equal(t, http.StatusText(status), p.Title, request)
			assert.Contains(t, p.Detail, detail, "%s %.100s", request, body)
			assert.Equal(t, status == 422, len(p.Problems) > 0, request)
			assert.Equal(t, status == 405, res.Header.Get("Allow") != "", request)
		}
	}
}

// No error text holds a value of the body that may be a secret.
func TestErrorsHoldNoValue(t *testing.T) {
	t.Parallel()
	const canary = "canary7d1f"
	d := simtest.NewDetached(t, simtest.FrozenRetail)
	for request, members := range map[string][]string{
		"":                        {"scenarioYaml", "seed"}, // names are listed
		"/default/fork":           {},
		"/default/clock":          {"advance", "set", "run"},
		"/default" + tokensPath:   {`client":"demo-app","hostUserId`, "client"},
		"/default/journal/verify": {"operation", "status", "header", "query", "body", "exactly"},
	} {
		for _, member := range append(members, "unknown") {
			for _, value := range []string{`"@"`, `["@"]`, `{"a":"@"}`, `"@" x`, `"@`, `"~@("`, `{"a":"~@("}`, `"@\x"`} {
				body := `{"` + member + `":` + strings.ReplaceAll(value, "@", canary) + "}"
				if res, refused := controlled(t, d, "POST /v1/sandboxes"+request, []byte(body)); refused.Status != 0 {
					assert.NotContains(t, res.Body, canary, "%s %s", request, body)
				}
			}
		}
	}
}

// An expectation that no request can fulfil is refused: it would hold whatever the requests were.
func TestWrongExpectations(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	empty := b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.list","exactly":0}`).Body
	assert.Contains(t, empty, `"text":"verified: the bank had no request at all\n`)
	simtest.ListGroups.Send(b)
	for expectation, want := range map[string]string{
		`{"operation":""`:                       `operation can't be \"\": give it a value, or leave it out`,
		`{"operation":null`:                     `operation can't be null: give it a value`,
		`{"operation":"groups.list","status":0`: `status can't be 0: give it a value`,
	} {
		assert.Contains(
			t,
			b.ControlSandbox(400, "POST /journal/verify", expectation+`,"exactly":0}`).Body,
			want,
			expectation,
		)
	}
	forced := simtest.NewBank(t, "extends: retail\nbehavior: {dialect: public}\n")
	assert.Contains(t, forced.ControlSandbox(400, "POST /journal/verify", `{"dialect":"document","exactly":0}`).Body,
		"the bank answers all requests in public")
}

// A fault for requests that there can't be is refused. Nothing is added.
func TestFaultsForNoRequest(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	const details = `"operation":"alerts.createPreference","when":{"request":{"body":{"alertPreferenceDetails":`
	for rule, want := range map[string]string{
		`{"when":{"first":0}`: `first must be at least 1, not 0`,
		`{"when":{"request":{"header":{"transacionId":null}}}`: `"line":1,"column":46,"message":"unknown header \"transacionId\": ` +
			`did you mean \"transactionId\"?"`,
		`{"when":{"request":{"query":{"Size":null}}}`:                                             `did you mean \"size\"?`,
		`{"operation":"groups.*","when":{"request":{"body":{"groupName":5}}}`:                     `body.groupName is a number, not a string`,
		`{"operation":"groups.list","when":{"request":{"body":{"groupName":"x"}}}`:                `leave body out: groups.list has none`,
		`{"operation":"groups.list","when":{"request":{"dialect":"public","query":{"fiid":"1"}}}`: `it is a header`,
		`{` + details + `"LOW_BALANCE"}}}`:                                                        `body.alertPreferenceDetails is a string, not an object`,
		`{` + details + `{"alertTypeName":"LOW_BALANSE"}}}}`:                                      `fault 1: body.alertPreferenceDetails.alertTypeName is \"LOW_BALANSE\": did you`,
		`{"when":{"request":{"institutionId":"0268"}}`:                                            `fault 1: the bank has no institution \"0268\"`,
		`{"when":{"request":{"institutionId":"02688","hostUserId":"9"}}`:                          `fault 1: the bank has no user \"9\"`,
	} {
		for _, method := range []string{"POST", "PUT"} {
			res := b.ControlSandbox(422, method+" /faults", rule+`,"then":{"status":500}}`)
			assert.Contains(t, res.Body, want, rule)
		}
	}
	assert.Equal(t, `{"faults":[]}`, get(b, "/faults"))
	for _, rule := range []string{
		`{"operation":"groups.create","when":{"request":{"body":{"testCase":7,"groupName":"~^x"},"header":{"X-Fiid":null}}}`,
		`{"path":"/v1/own","when":{"request":{"body":{"alertOpted":"true"},"query":{"Size":"1"}}}`,
		`{"when":{"request":{"hostUserId":"1001"}}`, `{"when":{"request":{"institutionId":"~^02","hostUserId":"~^9"}}`,
		`{` + details + `{"alertTypeName":"OTHER"}}}}`,
	} {
		b.ControlSandbox(201, "POST /faults", rule+`,"then":{"status":500,"body":""}}`)
	}
}

// A problem document quotes the beginning of a long value alone.
func TestProblemsAreShort(t *testing.T) {
	t.Parallel()
	const most = 4 << 10 // bytes of a problem document
	d := simtest.NewDetached(t, simtest.FrozenRetail)
	word, refusals := regexp.MustCompile(`[\w.:-]+`), 0
	check := func(call, body string) {
		res, refused := controlled(t, d.Fresh(t, "fuzzed"), call, []byte(body))
		if refused.Status != 0 {
			refusals++
			assert.Less(t, len(res.Body), most, "%.300s %.300s", call, res.Body)
		}
	}
	words, every := 0, simtest.Times(5, 1)
	for _, call := range fuzzedCalls {
		// A key of YAML has up to 1,000 characters.
		check(named(call[0], strings.Repeat("t", 9<<10)), call[1])
		check(named(call[0], strings.Repeat("%01", 3<<10)), call[1])
		check(named(call[0], "")+"?"+strings.Repeat("t", 9<<10)+"=1", call[1])
		for _, at := range word.FindAllStringIndex(call[1], -1) {
			if words++; words%every != 0 {
				continue
			}
			for _, long := range []string{strings.Repeat("m", 9<<10), strings.Repeat("7", 9<<10),
				strings.Repeat("k", 990)} {
				check(named(call[0], ""), call[1][:at[0]]+long+call[1][at[1]:])
			}
		}
	}
	assert.Greater(t, refusals, 100)
}
