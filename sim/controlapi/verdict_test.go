package controlapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/verdict"
)

// verdictOf returns the findings and notes of the verdict in an answer as "kind: text", a line each.
func verdictOf(t *testing.T, body string) string {
	t.Helper()
	var v verdict.Verdict
	require.NoError(t, json.Unmarshal([]byte(body), &v), body)
	require.Equal(t, len(v.Findings) == 0, v.Passed)
	var all []string
	for _, f := range v.Findings {
		all = append(all, f.Kind+": "+f.Text)
	}
	for _, n := range v.Notes {
		all = append(all, "note "+n.Kind+": "+n.Text)
	}
	return strings.Join(all, "\n")
}

// required returns a rule that a test requires, in JSON, from its members after the name.
func required(name, members string) string {
	return `{"name":"` + name + `","required":true,"from":"a_test.go:7","operation":"groups.list",` + members + `}`
}

// A rule that somebody removes leaves a finding, until a reset or until somebody has been told.
func TestRemovedFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	verdict := func(call string) string {
		return verdictOf(t, b.ControlSandbox(200, call, "").Body)
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
	last := b.Control(200, "DELETE /v1/sandboxes/ending?verdict=true", "").Body
	assert.Equal(t, never("f")+noRequest, verdictOf(t, last))
	b.Control(404, "GET /v1/sandboxes/ending/verdict", "")
}

// The verdict of a bank without a request mentions one that named no bank, if it came after the bank was created.
func TestRequestsToNoBank(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	simtest.ListGroups.Send(b)
	b.Control(201, "POST /v1/sandboxes", `{"name":"mine"}`)
	isMentioned := func() bool {
		return strings.Contains(get(b.In("mine"), "/verdict"), "named no bank: GET "+b.Server.ServiceURL())
	}
	assert.False(t, isMentioned(), "it came earlier")
	b.Do(b.Request("GET", b.Server.ServiceURL()+"/sandboxes/default"+simtest.GroupsPath, "", "transactionId: t-1"))
	assert.False(t, isMentioned(), "it names the default sandbox")
	simtest.ListGroups.Send(b)
	assert.True(t, isMentioned())
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
