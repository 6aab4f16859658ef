package controlapi_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Added rules are listed until they are removed or the sandbox is reset.
func TestFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: own, operation: tokens.*, then: {status: 500}}\n"))
	own := `{"name":"own","operation":"tokens.*","then":{"status":500},"matched":0,"fired":0,"effective":0,"summary":"tokens.*"}`
	assert.Equal(t, `{"faults":[`+own+`]}`, get(b, "/faults"))

	for body, want := range map[string]string{
		`{"name":"one","then":{"delay":{"uniform":["100ms","2s"]}}}`: `{"name":"one","then":{"delay":{"uniform":["100ms","2s"]}},` +
			`"matched":0,"fired":0,"effective":0,"summary":"all operations"}`,
		`[{"name":"list","operation":"*","then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}}]`: `{"name":"list","operation":"*",` +
			`"then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}},"matched":0,"fired":0,"effective":0,"summary":"all operations"}`,
		"faults:\n- name: yaml\n  operation: groups.*\n  when: {first: 2, during: {for: 1m}}\n  phase: after\n  then: {connection: {dribble: " +
			"{bytes: 1}}}\n": `{"name":"yaml","operation":"groups.*","when":{"first":2,"during":{"for":"1m0s"}},"phase":"after",` +
			`"then":{"connection":{"dribble":{"bytes":1}}},"matched":0,"fired":0,"effective":0,"summary":"groups.*, first 2, during for 1m0s"}`,
		`{"name":"hush","when":{"every":5,"request":{"institutionId":"02688","header":{"authorization":"Bearer hush","x":null},` +
			`"query":{"token":"hush"},"body":{"password":"hush","n":[1,{"accountId":true}]}}},` +
			`"then":{"status":599,"error":{"code":"X"},"headers":{"Set-Cookie":"hush"}}}`: `{"name":"hush","when":{"every":5,"request":{` +
			`"institutionId":"02688","header":{"authorization":"Bearer hush","x":null},"query":{"token":"hush"},` +
			`"body":{"n":[1,{"accountId":true}],"password":"hush"}}},"then":{"status":599,"error":{"code":"X"},"headers":{"Set-Cookie":"hush"}},` +
			`"matched":0,"fired":0,"effective":0,"summary":"all operations, every 5, certain requests"}`,
	} {
		assert.Equal(t, `{"faults":[`+want+`]}`, b.ControlSandbox(201, "POST /faults", body).Body)
	}
	b.ControlSandbox(204, "DELETE /faults?name=own", "")
	b.ControlSandbox(404, "DELETE /faults?name=own", "")
	assert.Equal(t, 4, strings.Count(get(b, "/faults"), `"matched":0`))
	b.ControlSandbox(204, "DELETE /faults", "")
	assert.Equal(t, `{"faults":[]}`, get(b, "/faults"))

	assert.Equal(t, 200, simtest.IssueTokens.Send(b).StatusCode)
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, `{"faults":[`+own+`]}`, get(b, "/faults"), "the scenario's are back")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { assert.Equal(t, 500, simtest.IssueTokens.Send(b).StatusCode) })
	}
	all.Wait()
	assert.Contains(t, get(b, "/faults"), `"matched":8,"fired":8`)
}

// A bad rule is refused with its position, and none of the others is added.
func TestBadFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	b.ControlSandbox(201, "POST /faults", `{"name":"taken","then":{"delay":"1ms"}}`)
	for body, want := range map[string]string{
		"[{\"then\":{\"status\":500},\"operation\":\"groups.list\"},\n  {\"operation\":\"groups.lst\",\"then\":{\"status\":500}}]": `422 ` +
			`"line":2,"column":16,"message":"unknown operation \"groups.lst\": did you mean \"groups.list\"?"`,
		`{"operation":"groups.list","when":{"probability":2},"then":{"status":500}}`:          `422 "column":50,"message":"probability must be at most 1, not 2"`,
		`{"operation":"groups.list","then":{}}`:                                               "422 then says nothing: add status, headers, delay, connection, expireToken or stale",
		`{"operation":"groups.list","when":{"nth":5,"first":3},"then":{"delay":"1s"}}`:        "422 all count from the first match",
		`[{"then":{"connection":"reset"}},{"operation":"groups.list","then":{"status":500}}]`: "422 this fault can never answer: fault 1 before it always does",
		`{"faults":[{"then":{"delay":"1s"},"if":1}]}`:                                         `422 unknown key \"if\"`,
		`{"then":{"status":503,"error":{"message":"a\u001b[2J"}}}`: `422 "column":31,"message":"code and message must have no control characters, ` +
			`such as a line break: write each on one line"`,
		`{"then":{"headers":{"X-A":"a\u0007b"}}}`: `422 "column":20,"message":"header X-A must have no control characters: remove them"`,
		``:        "422 the file is empty: a fault has at least then",
		`"reset"`: "422 faults must be a list",
		`[{"name":"new","then":{"delay":"1s"}},{"name":"taken","then":{"delay":"1s"}}]`:    "409 a fault of this name exists",
		`[` + strings.Repeat(`{"then":{"delay":"1s"}},`, 999) + `{"then":{"delay":"1s"}}]`: "429 at most 1000 faults",
	} {
		status, problem, _ := strings.Cut(want, " ")
		code, _ := strconv.Atoi(status)
		assert.Contains(t, b.ControlSandbox(code, "POST /faults", body).Body, problem)
		assert.Equal(
			t,
			`{"faults":[{"name":"taken","then":{"delay":"1ms"},"matched":0,"fired":0,"effective":0,"summary":"all operations"}]}`,
			get(b, "/faults"),
		)
	}
}

// The list is replaced as a whole, in a new order. Rules that were there keep their counts, and one that is switched
// off counts none.
func TestReplaceFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(
		t, simtest.WithFaults("- {name: own, operation: groups.*, when: {nth: 3}, then: {status: 500}}\n"),
	)
	own := `{"name":"own","operation":"groups.*","when":{"nth":3},"then":{"status":500}`
	replace := func(status int, faults string) string {
		return b.ControlSandbox(status, "PUT /faults", `{"faults":[`+faults+`]}`).Body
	}
	stub := `{"method":"GET","path":"/v1/x","then":{"status":200,"body":"1"}}`
	simtest.ListGroups.Send(b)
	assert.Contains(t, replace(200, stub+","+own+"}"), `{"faults":[{"name":"fault-1","method":"GET"`)
	assert.Contains(t, get(b, "/faults"), own+`,"matched":1,"fired":0,`)
	assert.Equal(t, 200, simtest.NewCall("GET", "/v1/x", "").Send(b).StatusCode)

	off := strings.Replace(own, `"then"`, `"off":true,"then"`, 1)
	replace(200, off+"},"+strings.Replace(stub, `{`, `{"off":true,`, 1))
	simtest.ListGroups.Send(b)
	assert.Contains(t, get(b, "/faults"), off+`,"matched":1,"fired":0,`)
	assert.Equal(t, 404, simtest.NewCall("GET", "/v1/x", "").Send(b).StatusCode)

	replace(200, own+"}")
	assert.Equal(t, 200, simtest.ListGroups.Send(b).StatusCode)
	assert.Equal(t, 500, simtest.ListGroups.Send(b).StatusCode)
	assert.Contains(
		t,
		replace(422, `{"then":{"status":500}},`+own+"}"),
		"this fault can never answer: fault 1 before it always does",
	)
	replace(200, strings.Replace(own, "3", "4", 1)+"}")
	assert.Contains(t, get(b, "/faults"), `"matched":0,"fired":0,`, "another rule of the same name")
}
