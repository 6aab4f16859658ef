package bankapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Beyond a rate, the rule fires until the time of the caller is over. Other callers have a time of their own.
func TestRates(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {operation: 'groups.*', when: {rate: {requests: 2, per: 10s, by: client}}, then: {status: 429}}\n"))
	list, other := listGroups.WithToken("demo-token"), listGroups
	for range 2 {
		assert.Equal(t, 200, list.Send(b).StatusCode)
	}
	b.Advance(4 * time.Second)
	refused := list.Send(b)
	assert.Equal(t, 429, refused.StatusCode, refused.Body)
	assert.Equal(t, "6", refused.Header.Get("Retry-After"))
	assert.Equal(t, 200, other.Send(b).StatusCode, "without a token it is another client's")
	b.Advance(6 * time.Second)
	assert.Equal(t, 200, list.Send(b).StatusCode)
	assert.Contains(t, b.ControlSandbox(200, "GET /faults", "").Body, `groups.*, beyond 2 in 10s by client`)

	gateway := simtest.NewBank(t, simtest.WithFaults(
		"- {when: {rate: {requests: 1, per: 1s}}, then: {status: 500, error: {code: CMN_90001}}}\n"))
	assert.Equal(t, 200, list.Send(gateway).StatusCode)
	limited := other.Send(gateway)
	assert.Equal(t, "CMN_90001", limited.Code())
	assert.Empty(t, limited.Header.Get("Retry-After"), "the published answer has none")
}

// A stale read answers from the bank as it was. It knows today's tokens, and has no effect where nothing has changed,
// and on changes.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {operation: 'groups.*', then: {stale: 2s}}\n"))
	created := createGroup.Send(b)
	assert.Equal(t, 200, created.StatusCode)
	b.Advance(time.Second)
	token := exampleCall(contract.TokensIssue).Send(b)
	list := listGroups.WithQuery("size=100").WithToken(simtest.Decode[map[string]any](t, token)["access_token"].(string))
	stale := list.Send(b)
	assert.Equal(t, 200, stale.StatusCode, stale.Body)
	assert.NotContains(t, stale.Body, "Night owls")
	assert.Equal(t, "stale-answer", b.Last().Lints[0].Code)
	b.Advance(2 * time.Second)
	assert.Contains(t, list.Send(b).Body, "Night owls")
	assert.Contains(t, b.ControlSandbox(200, "GET /faults", "").Body, `"fired":3,"effective":1`)
}
