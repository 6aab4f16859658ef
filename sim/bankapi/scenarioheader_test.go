package bankapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Every answer of a bank names the version of the scenario that it is from, if the scenario says so.
func TestScenarioHeader(t *testing.T) {
	t.Parallel()
	const header = "Banksim-Scenario"
	yaml := func(name, rest string) string {
		return "name: " + name + "\nextends: retail\nclock: {run: false}\nbehavior: {headers: {scenario: true}}\n" + rest
	}
	b := simtest.StartScenario(t, yaml("month end/1", ""))
	tag := func() string { return b.Sandbox.Known().Scenario.Version }
	first := tag()
	assert.Len(t, first, 16)
	for name, call := range map[string]simtest.Call{
		"accepted": listGroups, "refused": createGroup.WithBody("{"), "no path": listGroups.At("/nope"),
		"HEAD": listGroups.WithMethod(http.MethodHead),
		"a preflight": listGroups.WithMethod(http.MethodOptions).With("Origin", "https://app.test").With("Access-Control-Request-Method",
			"GET"),
	} {
		res := call.Send(b)
		assert.Equal(t, []string{"month%20end%2F1/" + first}, res.Header.Values(header), name)
		assert.Equal(t, []string{"month%20end%2F1/" + first}, b.ExchangeOf(res).Response.Headers[header], "%s, in the journal", name)
	}

	b.ControlSandbox(201, "POST /faults", `{"name":"f","operation":"groups.list","then":{"status":500}}`)
	res := listGroups.Send(b)
	assert.Equal(t, 500, res.StatusCode)
	assert.Equal(t, "month%20end%2F1/"+first, res.Header.Get(header), "of the answer of a fault that was added: the scenario is the same")

	b.Sandboxes.SetScenario(simtest.Scenario(t, yaml("month end/1", "seed: 8\n"))) // as --watch does
	second := tag()
	assert.NotEqual(t, first, second)
	assert.Equal(t, "month%20end%2F1/"+second, listGroups.Send(b).Header.Get(header))
	b.Sandboxes.SetScenario(simtest.Scenario(t, yaml("short", "faults: [{name: f, then: {connection: truncate}}]\n")))
	truncated, _ := listGroups.Try(b)
	assert.Equal(t, "short/"+tag(), truncated.Header.Get(header))

	b.ControlSandbox(200, "PUT /scenario", yaml("own", ""))
	assert.Equal(t, "own/"+tag(), listGroups.Send(b).Header.Get(header))
	assert.NotContains(t, listGroups.Send(simtest.NewBank(t, simtest.FrozenRetail)).Header, header, "the default")

	exposing := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {headers: {scenario: true}, cors: {origins: ['*']}}\n")
	assert.Contains(t, listGroups.With("Origin", "https://app.test").Send(exposing).Header.Get("Access-Control-Expose-Headers"), header,
		"a page of another origin may read it")
}
