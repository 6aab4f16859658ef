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
		return "name: " + name + "\nextends: retail\nclock: {run: false}\n" + rest +
			"behavior:\n  headers: {scenario: true}\n"
	}
	b := simtest.StartScenario(t, yaml("month end/1",
		"faults: [{operation: groups.create, then: {connection: truncate}}]\n"))
	tag := func() string { return b.Sandbox.Known().Scenario.Version }
	first := tag()
	assert.Len(t, first, 16)
	for _, call := range []simtest.Call{
		listGroups, listGroups.Without("transactionId"), listGroups.At("/nope"), listGroups.WithMethod(http.MethodHead),
		createGroup,
	} {
		res, _ := call.Try(b)
		assert.Equal(t, []string{"month%20end%2F1/" + first}, res.Header.Values(header), call)
		journaled := b.ExchangeOf(res).Response.Headers.Values()[header]
		assert.Equal(t, []string{"month%20end%2F1/" + first}, journaled, "in the journal")
	}
	b.ControlSandbox(201, "POST /faults", `{"operation":"groups.list","then":{"status":500}}`)
	assert.Equal(t, "month%20end%2F1/"+first, listGroups.Send(b).Header.Get(header), "the scenario is the same")

	b.Sandboxes.SetScenario(simtest.Scenario(t, yaml("month end/1", "seed: 8\n"))) // as --watch does
	assert.NotEqual(t, first, tag())
	assert.Equal(t, "month%20end%2F1/"+tag(), listGroups.Send(b).Header.Get(header))
	b.ControlSandbox(200, "PUT /scenario", yaml("own", "")+"  cors: {origins: ['*']}\n")
	res := listGroups.With("Origin", page).Send(b)
	assert.Equal(t, "own/"+tag(), res.Header.Get(header))
	assert.Contains(t, res.Header.Get("Access-Control-Expose-Headers"), header, "a page of another origin may read it")
}
