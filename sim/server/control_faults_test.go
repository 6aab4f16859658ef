package server_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What was added is there, in its order, as it was given, until it is removed or the sandbox reset.
func TestFaultsOfTheControlAPI(t *testing.T) {
	b := startBank(t, withFaults("- {name: own, operation: tokens.*, then: {status: 500}}\n"))
	own := `{"name":"own","operation":"tokens.*","then":{"status":500},"matched":0,"fired":0}`
	assert.Equal(t, `{"faults":[`+own+`]}`, b.call(200, "GET "+faultsURL, "").body)

	for _, test := range []struct{ name, body, added string }{
		{"one", `{"then":{"delay":"250ms"}}`, `{"name":"fault-2","then":{"delay":"250ms"}`},
		{"a list", `[{"operation":"*","then":{"delay":{"uniform":["100ms","2s"]}}}]`, `{"name":"fault-3","operation":"*","then":{"delay":{"uniform":["100ms","2s"]}}`},
		{"as in a scenario", `{"faults":[{"then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}}]}`, `{"name":"fault-4","then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}`},
		{"as YAML", "- operation: groups.*\n  when: {first: 2, during: {for: 1m}}\n  phase: after\n  then: {connection: {dribble: {bytes: 1}}}\n",
			`{"name":"fault-5","operation":"groups.*","when":{"first":2,"during":{"for":"1m0s"}},"phase":"after","then":{"connection":{"dribble":{"bytes":1}}}`},
		{"conditions", `{"name":"six","when":{"every":5,"request":{"institutionId":"02688","header":{"x":null},"body":{"n":[1,{"a":true}]}}},"then":{"status":503,"error":{"code":"X"},"headers":{"A":"b"}}}`,
			`{"name":"six","when":{"every":5,"request":{"institutionId":"02688","header":{"x":null},"body":{"n":[1,{"a":true}]}}},"then":{"status":503,"error":{"code":"X"},"headers":{"A":"b"}}`},
		{"hang", `{"name":"seven","then":{"connection":"hang"}}`, `{"name":"seven","then":{"connection":"hang"}`},
	} {
		want := `{"faults":[` + test.added + `,"matched":0,"fired":0}]}`
		assert.Equal(t, want, b.call(201, "POST "+faultsURL, test.body).body, test.name)
	}
	assert.Equal(t, 7, strings.Count(b.call(200, "GET "+faultsURL, "").body, `"matched":0`))
	b.call(204, "DELETE "+faultsURL+"/own", "")
	b.call(404, "DELETE "+faultsURL+"/own", "")
	assert.Equal(t, 6, strings.Count(b.call(200, "GET "+faultsURL, "").body, `"matched":0`))
	b.call(204, "DELETE "+faultsURL, "")
	assert.Equal(t, `{"faults":[]}`, b.call(200, "GET "+faultsURL, "").body)

	assert.Equal(t, 200, issueTokens.send(b).StatusCode)
	b.call(204, "POST "+defaultURL+"/reset", "")
	assert.Equal(t, `{"faults":[`+own+`]}`, b.call(200, "GET "+faultsURL, "").body, "the scenario's are back")
	assert.Equal(t, 500, issueTokens.send(b).StatusCode)
	assert.Contains(t, b.call(200, "GET "+faultsURL, "").body, `"matched":1,"fired":1`)
}

// A bad rule is refused with its place, and none of those beside it is added.
func TestBadFaultsOfTheControlAPI(t *testing.T) {
	b := startBank(t, frozenRetail)
	b.call(201, "POST "+faultsURL, `{"name":"taken","then":{"delay":"1ms"}}`)
	for _, test := range []struct {
		body    string
		status  int
		problem string
	}{
		{"[{\"then\":{\"status\":500},\"operation\":\"groups.list\"},\n  {\"operation\":\"groups.lst\",\"then\":{\"status\":500}}]", 422, `"line":2,"column":16,"message":"unknown operation \"groups.lst\": did you mean \"groups.list\"?"`},
		{`{"operation":"groups.list","when":{"probability":2},"then":{"status":500}}`, 422, `"column":50,"message":"probability must be at most 1, not 2"`},
		{`{"operation":"groups.list","then":{"delay":"-1s"}}`, 422, "delay must be a duration, or a mapping with uniform or lognormal"},
		{`{"operation":"groups.list","then":{}}`, 422, "then says nothing: add status, headers, delay or connection"},
		{`{"operation":"groups.list","when":{"nth":5,"first":3},"then":{"delay":"1s"}}`, 422, "nth 5 is not among the first 3: remove first"},
		{`[{"then":{"connection":"reset"}},{"operation":"groups.list","then":{"status":500}}]`, 422, "this fault can never answer: fault 1 before it always does"},
		{`{"faults":[{"then":{"delay":"1s"},"if":1}]}`, 422, `unknown key \"if\"`},
		{``, 422, "the file is empty: a fault has at least then"},
		{`"reset"`, 422, "faults must be a list"},
		{`{"then":`, 422, "line"},
		{`[{"name":"new","then":{"delay":"1s"}},{"name":"taken","then":{"delay":"1s"}}]`, 409, "a fault of this name exists"},
		{`[` + strings.Repeat(`{"then":{"delay":"1s"}},`, 999) + `{"then":{"delay":"1s"}}]`, 429, "at most 1000 faults"},
	} {
		res := b.send("POST", b.server.ControlURL()+faultsURL, test.body)
		require.Equal(t, test.status, res.StatusCode, test.body)
		assert.Contains(t, res.body, test.problem)
		assert.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
		assert.Equal(t, `{"faults":[{"name":"taken","then":{"delay":"1ms"},"matched":0,"fired":0}]}`, b.call(200, "GET "+faultsURL, "").body)
	}
}

// A request asks for a fault by its header, where the scenario lets it.
func TestFaultHeader(t *testing.T) {
	b := startBank(t, "extends: retail\nclock: {run: false}\nbehavior: {faultHeader: true}\nfaults: [{name: own, operation: groups.list, then: {status: 401}}]\n")
	ask := func(a attempt, header string) answer { return a.with("Banksim-Fault", header).send(b) }
	assert.Equal(t, 500, ask(listGroups, "status=500").StatusCode, "it comes before the scenario's")
	assert.Equal(t, []string{"Banksim-Fault", "own"}, b.last().Fault.Fired)
	assert.Equal(t, "Banksim-Fault", b.last().Fault.AnsweredBy)
	assert.Equal(t, `{"code":"LIMIT","message":"slow down"}`, ask(createGroup, " Status = 429 ;code=LIMIT; message=slow down; delay=1ms;").body)
	_, err := createGroup.with("Banksim-Fault", "connection=reset; phase=after").try(b)
	require.Error(t, err)
	assert.Equal(t, `{"code":"2004","message":"a group named \"Night owls\" exists"}`, createGroup.send(b).body)

	for header, message := range map[string]string{
		"statsu=500":               `unknown key \"statsu\": the keys are status, code, message, delay, connection, phase`,
		"status":                   `\"status\" has no value: write it as in status=500`,
		"status=abc":               `status must be a number such as 500, not \"abc\"`,
		"status=500; status=401":   `\"status\" is given twice: remove one`,
		"status=404":               `status 404 has no documented error body here (groups.list documents 401 and 500)`,
		"delay=5":                  `delay must be a duration such as 200ms, not \"5\"`,
		"delay=1h":                 `delay must be at most 5m0s, not 1h0m0s`,
		"connection=rest":          `connection must be one of reset close hang truncate malformed dribble garbage, not \"rest\"`,
		"phase=after":              `then says nothing: add status, headers, delay or connection`,
		"status=500; phase=during": `phase must be before or after, not \"during\"`,
		" ; ":                      `it is empty: write what shall happen, as in status=500; delay=200ms`,
	} {
		res := ask(listGroups, header)
		assert.Equal(t, 400, res.StatusCode, header)
		assert.Contains(t, res.body, `{"code":"BANKSIM_FAULT_HEADER","message":"header Banksim-Fault: `+message, header)
	}

	off := startBank(t, frozenRetail)
	assert.Equal(t, 200, listGroups.with("Banksim-Fault", "statsu=500").send(off).StatusCode)
	require.Len(t, off.last().Lints, 1)
	assert.Equal(t, "fault-header-ignored", off.last().Lints[0].Code)
}
