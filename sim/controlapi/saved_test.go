package controlapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// saved returns the state as a scenario, after it was compared with what it loads to.
func saved(t *testing.T, b *simtest.Bank) string {
	t.Helper()
	require.NoError(t, simtest.CheckSaved(b.Sandbox.Known().Bank()))
	answer := b.ControlSandbox(200, "GET /state?format=scenario", "")
	assert.Equal(t, "application/yaml", answer.Header.Get("Content-Type"))
	return answer.Body + "\n"
}

// A state that is saved as a scenario is, put into another sandbox, the same state.
func TestSavedStateIsPut(t *testing.T) {
	t.Parallel()
	b, other := simtest.NewBank(t, simtest.FrozenRetail), simtest.NewBank(t, simtest.FrozenRetail)
	for _, call := range []simtest.Call{simtest.CreateGroup, simtest.CreateAlert, simtest.UpdateUser} {
		assert.Less(t, call.Send(b).StatusCode, 300)
	}
	b.ControlSandbox(200, "PATCH "+userPath, `{"active":false,"disclosureStatus":"NOT_ACCEPTED"}`)
	b.Advance(36 * time.Hour)
	b.ControlSandbox(200, "PATCH "+accountPath, `{"disclosureStatus":"NOT_ACCEPTED"}`)
	source := saved(t, b)
	other.ControlSandbox(200, "PUT /scenario", source)
	assert.Equal(t, b.State(), other.State())
	assert.Equal(t, get(b, "/clock"), get(other, "/clock"))
	assert.Equal(t, source, saved(t, other), "saved again, it is the same")
}

// Fault rules are kept with windows that open and close as they would have, unless they hold what is hidden.
func TestSavedFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"faults:\n"+
		"- {name: later, operation: groups.list, when: {during: {from: 2m, for: 1m}}, then: {status: 500}}\n"+
		"- {name: at-first, operation: groups.list, when: {during: {for: 90s}}, then: {status: 500}}\n"+
		"- {name: until, operation: groups.list, when: {during: {until: 1h30m}}, then: {delay: {p50: 1ms, p95: 2ms}}}\n"+
		"- {name: at, operation: alerts.*, when: {during: {from: 2026-01-15T10:00:00Z}}, then: {connection: {truncate: 0}}}\n"+
		"- {name: given, operation: alerts.*, when: {request: {header: {authorization: Bearer s3cret}}}, then: {status: 500}}\n")
	b.Advance(60e9)
	simtest.ListGroups.Send(b)
	b.ControlSandbox(
		201,
		"POST /faults",
		`{"name":"hidden","operation":"groups.create","when":{"request":{"header":{"x-key":"s4cret"}}},"then":{"status":500,`+
			`"error":{"message":"it's # {down}"}}}`,
	)
	b.ControlSandbox(
		201,
		"POST /faults",
		`{"name":"added","operation":["groups.create","alerts.*"],"when":{"first":2,"request":{"body":{"groupName":"~^x: `+
			`.*#$"}}},"then":{"status":503,"body":"<a>\u0001","headers":{"Retry-After":"2"}}}`,
	)
	source := saved(t, b)
	assert.Contains(
		t,
		source,
		"- {name: later, operation: groups.list, when: {during: {from: \"2026-01-15T09:02:00Z\", for: 1m0s}}, then: {status: 500}}\n",
	)
	assert.Contains(t, source, `{header: {authorization: Bearer s3cret}}`)
	assert.Contains(t, source, "x-key: s4cret")

	other := simtest.NewBank(t, source)
	rules := func(b *simtest.Bank) (all []string) {
		for _, c := range b.Sandbox.Known().Faults.Counts() {
			if c.When.During == nil {
				all = append(all, simtest.JSON(c.Rule))
			}
		}
		return all
	}
	assert.Equal(t, rules(b), rules(other))
}
