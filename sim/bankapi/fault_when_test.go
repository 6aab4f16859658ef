package bankapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A window of time opens and closes by the virtual clock.
func TestFaultDuring(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		simtest.WithFaults("- {name: f, operation: groups.list, when: {during: {from: 1m, for: 5m}}, then: {status: 500}}\n"))
	for _, step := range []struct {
		advance time.Duration
		status  int
	}{{0, 200}, {59 * time.Second, 200}, {time.Second, 500}, {5*time.Minute - 1, 500}, {1, 200}} {
		b.Advance(step.advance)
		assert.Equal(t, step.status, listGroups.Send(b).StatusCode, "after another %s", step.advance)
	}
	b.ControlSandbox(204, "POST /reset", "")
	assert.Equal(t, 200, listGroups.Send(b).StatusCode)
	b.Advance(2 * time.Minute)
	assert.Equal(t, 500, listGroups.Send(b).StatusCode)
}

// A rule can be for several operations and families. It counts their requests together, and is shown as it was given,
// but that a list of one is a text.
func TestFaultOfSeveralOperations(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		simtest.WithFaults("- {name: written, operation: [groups.create, tokens.*], when: {first: 2}, then: {status: 401}}\n"))
	b.ControlSandbox(201, "POST /faults",
		`[{"name":"added","operation":["alerts.createPreference"],"then":{"status":403}},{"name":"one","operation":"groups.list",`+
			`"then":{"headers":{"Retry-After":"1"}}}]`)
	assert.Equal(t, 200, listGroups.Send(b).StatusCode)
	assert.Equal(t, 401, issueTokens.Send(b).StatusCode)
	assert.Equal(t, 401, createGroup.Send(b).StatusCode)
	assert.Equal(t, 200, revokeTokens.Send(b).StatusCode)
	assert.Equal(t, 403, createAlert.Send(b).StatusCode)
	assert.Equal(t, 204, updateUser.Send(b).StatusCode)
	assert.JSONEq(t, `{"faults":[
		{"name":"written","operation":["groups.create","tokens.*"],"when":{"first":2},"then":{"status":401},"matched":3,"fired":2,
			"summary":"groups.create, tokens.*, first 2"},
		{"name":"added","operation":"alerts.createPreference","then":{"status":403},"matched":1,"fired":1,
			"summary":"alerts.createPreference"},
		{"name":"one","operation":"groups.list","then":{"headers":{"Retry-After":"1"}},"matched":1,"fired":1,
			"summary":"groups.list"}]}`,
		b.ControlSandbox(200, "GET /faults", "").Body)
}
