package controlapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
)

// verdictOf returns the verdict in an answer, and its findings and notes as "kind: text", a line each.
func verdictOf(t *testing.T, body string) (v verdict.Verdict, lines string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), &v), body)
	require.Equal(t, len(v.Findings) == 0, v.Passed)
	var all []string
	for _, f := range v.Findings {
		all = append(all, f.Kind+": "+f.Text)
	}
	for _, n := range v.Notes {
		all = append(all, "note "+n.Kind+": "+n.Text)
	}
	return v, strings.Join(all, "\n")
}

var groupsList = simtest.Calls["groups.list"].WithToken("demo-token")

// required returns a rule that a test requires, in JSON, from its members after the name.
func required(name, members string) string {
	return `{"name":"` + name + `","required":true,"from":"a_test.go:7","operation":"groups.list",` + members + `}`
}

// A fault that is required and has had no effect is a finding, with the reason. A fault that shows is none.
func TestFindingsAboutFaults(t *testing.T) {
	t.Parallel()
	const optional = "; if that is right, make the fault optional"
	for name, test := range map[string]struct {
		rules []string
		calls []simtest.Call
		want  string // the findings, without where they are from and what to do
	}{
		"a status": {rules: []string{required("a", `"then":{"status":500}`)}},
		"never fired": {rules: []string{required("a", `"when":{"nth":2},"then":{"status":500}`)},
			want: "fault-never-fired: the fault a (groups.list, nth 2) never fired: 1 request matched it"},
		"a rival": {rules: []string{required("a", `"then":{"status":500}`), required("b", `"then":{"status":503}`)},
			want: "fault-rivalled: the fault b (groups.list) fired without effect: the fault a took its place"},
		"both delay": {rules: []string{
			required("a", `"then":{"status":500}`), required("b", `"then":{"status":503,"delay":"1ms"}`)}},
		"a delayed rival": {rules: []string{
			required("a", `"then":{"status":500,"delay":"1ms"}`), required("b", `"then":{"status":503}`)},
			want: "fault-rivalled: the fault b (groups.list) fired without effect: the fault a took its place"},
		"headers replaced": {rules: []string{
			required("a", `"then":{"headers":{"X-Node":"1"}}`), required("b", `"then":{"headers":{"x-node":"2"}}`)},
			want: "fault-rivalled: the fault a (groups.list) fired without effect: the fault b took its place"},
		"headers lost": {rules: []string{
			required("a", `"then":{"headers":{"X-Node":"1"}}`), required("b", `"then":{"connection":"close"}`)},
			want: "fault-rivalled: the fault a (groups.list) fired without effect: the fault b took its place"},
		"headers": {rules: []string{
			required("a", `"then":{"headers":{"X-Node":"1"}}`), required("b", `"then":{"status":500}`)}},
		"no token to expire": {rules: []string{required("a", `"then":{"expireToken":true}`)},
			calls: []simtest.Call{groupsList.Without("Authorization")},
			want:  "fault-without-effect: the fault a (groups.list) fired without effect: no request had a valid access token"},
		"a delay, and no token to expire": {rules: []string{required("a", `"then":{"expireToken":true}`),
			`{"name":"late","operation":"groups.list","then":{"delay":"1ms"}}`},
			calls: []simtest.Call{groupsList.Without("Authorization")},
			want:  "fault-without-effect: the fault a (groups.list) fired without effect: no request had a valid access token"},
		"a token": {rules: []string{required("a", `"then":{"expireToken":true}`)}},
		"expired already": {rules: []string{required("a", `"then":{"expireToken":true}`), required("b", `"then":{"expireToken":true}`)},
			want: "fault-rivalled: the fault b (groups.list) fired without effect: the fault a took its place"},
		"no body to cut": {rules: []string{required("a", `"then":{"connection":{"truncate":3}}`)},
			calls: []simtest.Call{groupsList.WithMethod(http.MethodHead)},
			want:  "fault-without-effect: the fault a (groups.list) fired without effect: no answer had a body that truncate changes"},
		"no body to send slowly": {rules: []string{required("a", `"then":{"connection":{"dribble":{"bytes":9,"every":"1ms"}}}`)},
			calls: []simtest.Call{groupsList.WithMethod(http.MethodHead)},
			want:  "fault-without-effect: the fault a (groups.list) fired without effect: no answer had a body that dribble changes"},
		"no body, which isn't JSON then": {
			rules: []string{`{"name":"a","required":true,"operation":"estatements.updateAccount","then":{"connection":"malformed"}}`},
			calls: []simtest.Call{simtest.Calls["estatements.updateAccount"]}},
		"HEAD, and a body that isn't JSON": {rules: []string{required("a", `"then":{"connection":"malformed"}`)},
			calls: []simtest.Call{groupsList.WithMethod(http.MethodHead)},
			want:  "fault-without-effect: the fault a (groups.list) fired without effect: no answer had a body that malformed changes"},
		"once with effect": {rules: []string{required("a", `"then":{"expireToken":true}`)},
			calls: []simtest.Call{groupsList.Without("Authorization"), groupsList}},
		"not required": {rules: []string{`{"from":"a_test.go:7","operation":"tokens.issue","then":{"status":500}}`}},
		"off":          {rules: []string{required("a", `"off":true,"then":{"status":500}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			for _, rule := range test.rules {
				b.ControlSandbox(201, "POST /faults", rule)
			}
			if test.calls == nil {
				test.calls = []simtest.Call{groupsList}
			}
			for _, call := range test.calls {
				call.Try(b)
			}
			_, lines := verdictOf(t, b.ControlSandbox(200, "GET /verdict", "").Body)
			assert.Equal(t, test.want, strings.ReplaceAll(strings.ReplaceAll(lines, "a_test.go:7: ", ""), optional, ""))
		})
	}
}

// A rule that somebody removes leaves a finding, until a reset or until somebody has been told.
func TestRemovedFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	verdict := func(call string) string {
		_, lines := verdictOf(t, b.ControlSandbox(200, call, "").Body)
		return lines
	}
	const (
		removed = "fault-removed: a_test.go:7: the fault %s (groups.list) was removed before it fired: 0 requests matched it" +
			"; if that is right, make the fault optional"
		noRequest = "\nnote no-request: the bank had no request"
	)
	of := func(name string) string { return strings.ReplaceAll(removed, "%s", name) }
	add := func(names ...string) {
		for _, name := range names {
			b.ControlSandbox(201, "POST /faults", required(name, `"then":{"status":500}`))
		}
	}
	add("a", "b", "c", "d")
	for call, want := range map[string]string{
		"DELETE /faults?verdict=true&after=x": "after must be the id of an exchange, or 0",
		"DELETE /faults?lints=refuse":         "after and lints go with verdict=true",
		"POST /reset?after=0":                 "after and lints go with verdict=true",
	} {
		assert.Contains(t, b.ControlSandbox(400, call, "").Body, want)
	}
	b.ControlSandbox(204, "DELETE /faults?name=a", "") // it is there: the refused calls have changed nothing
	assert.Contains(t, b.ControlSandbox(404, "DELETE /faults?name=b,a", "").Body, `there is no fault \"a\"`)
	b.ControlSandbox(200, "PUT /faults", "["+required("c", `"when":{"nth":2},"then":{"status":500}`)+","+
		required("b", `"then":{"status":500}`)+"]")
	never := func(name string) string {
		return strings.NewReplacer("was removed before it fired", "never fired", "fault-removed", "fault-never-fired").
			Replace(of(name))
	}
	nth2 := func(text string) string { return strings.ReplaceAll(text, "groups.list", "groups.list, nth 2") }
	gone, changed := of("c")+"\n"+of("d")+"\n", nth2(never("c"))
	assert.Equal(t, of("a")+"\n"+gone+changed+"\n"+never("b")+noRequest, verdict("GET /verdict"))
	assert.Equal(t, of("a")+"\n"+never("b")+noRequest, verdict("DELETE /faults?name=a,b,unknown&verdict=true"))
	assert.Equal(t, gone+changed+noRequest, verdict("GET /verdict"))
	assert.Equal(t, gone+changed+noRequest, verdict("DELETE /faults?verdict=true"))
	assert.Equal(t, noRequest[1:], verdict("GET /verdict"))

	add("e")
	b.ControlSandbox(204, "DELETE /faults", "")
	assert.Equal(t, of("e")+noRequest, verdict("POST /reset?verdict=true"))
	assert.Equal(t, noRequest[1:], verdict("GET /verdict"))
	b.Control(201, "POST /v1/sandboxes", `{"name":"ending"}`)
	b.Control(201, "POST /v1/sandboxes/ending/faults", required("f", `"then":{"status":500}`))
	_, lines := verdictOf(t, b.Control(200, "DELETE /v1/sandboxes/ending?verdict=true", "").Body)
	assert.Equal(t, never("f")+noRequest, lines)
	b.Control(404, "GET /v1/sandboxes/ending/verdict", "")
}

// Notes say what may be meant so. With lints=refuse, lints are findings.
func TestNotes(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+
		"faults:\n- {name: forgotten, operation: tokens.issue, then: {status: 500}}\n"+
		"- {name: cut, operation: groups.list, when: {first: 1}, then: {connection: {truncate: 3}}}\n")
	_, _ = groupsList.Try(b)
	groupsList.Send(b)
	groupsList.With("transactionId", "another").Send(b)
	v, lines := verdictOf(t, b.ControlSandbox(200, "GET /verdict", "").Body)
	assert.Equal(t, 3, v.Requests)
	assert.Regexp(t, `^note fault-forgotten: the fault forgotten \(tokens.issue\) never fired: 0 requests matched it
note client-repeated: the client sent GET /digitalbanking/groups/v3/groups again \d+(ms|s) after the fault cut had lost `+
		`its answer \(exchanges 1 and 2\): many HTTP clients repeat a request by themselves$`, lines)
	_, lines = verdictOf(t, b.ControlSandbox(200, "GET /verdict?after=2", "").Body)
	assert.NotContains(t, lines, "client-repeated")
	v, _ = verdictOf(t, b.ControlSandbox(200, "GET /verdict?lints=refuse", "").Body)
	require.Len(t, v.Findings, 1)
	assert.Contains(t, v.Findings[0].Text, "exchange 2, groups.list: request-id-reused: ")
}

// A fork without a time to live of its own ends with the sandbox that it was made from.
func TestForksEndWithTheirOrigin(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"origin","ttl":"1h"}`)
	for name, ttl := range map[string]string{"tied": "", "own": `,"ttl":"2h"`} {
		b.Control(201, "POST /v1/sandboxes/origin/fork", `{"name":"`+name+`"`+ttl+`}`)
	}
	b.Control(201, "POST /v1/sandboxes/tied/fork", `{"name":"tied-too"}`)
	b.Control(201, "POST /v1/sandboxes/origin/fork", `{"name":"renewed"}`)
	b.Control(200, "PATCH /v1/sandboxes/renewed", `{"ttl":"1h"}`)
	b.Control(204, "DELETE /v1/sandboxes/origin", "")
	b.Control(404, "GET /v1/sandboxes/tied", "")
	b.Control(404, "GET /v1/sandboxes/tied-too", "")
	b.Control(200, "GET /v1/sandboxes/own", "")
	b.Control(200, "GET /v1/sandboxes/renewed", "")
}
