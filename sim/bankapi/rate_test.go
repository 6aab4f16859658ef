package bankapi_test

import (
	"fmt"
	"strings"
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
		list.Expect(b, 200)
	}
	b.Advance(4500 * time.Millisecond)
	refused := list.Expect(b, 429)
	assert.Equal(t, "6", refused.Header.Get("Retry-After"), "rounded up")
	other.Expect(b, 200, "without a token it is another client's")
	b.Advance(5500 * time.Millisecond)
	list.Expect(b, 200)
	assert.Contains(t, b.Get("/faults"), `groups.*, beyond 2 in 10s by client`)

	proxy := simtest.NewBank(t, simtest.WithFaults(
		"- {when: {rate: {requests: 1, per: 10s}}, then: {status: 429, body: {busy: true}}}\n"))
	list.Expect(proxy, 200)
	assert.Equal(t, "10", list.Send(proxy).Header.Get("Retry-After"), "beside a body, too")

	gateway := simtest.NewBank(t, simtest.WithFaults(
		"- {when: {rate: {requests: 1, per: 1s}}, then: {status: 500, error: {code: CMN_90001}}}\n"))
	list.Expect(gateway, 200)
	limited := other.Send(gateway)
	assert.Equal(t, "CMN_90001", limited.Code())
	assert.Empty(t, limited.Header.Get("Retry-After"), "the published answer has none")
}

// A stale read answers from the bank as it was. It knows today's tokens, and has no effect where nothing has changed,
// and on changes.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {operation: 'groups.*', then: {stale: 2s}}\n"))
	createGroup.Expect(b, 200)
	b.Advance(time.Second)
	token := exampleCall(contract.TokensIssue).Send(b)
	list := listGroups.WithQuery("size=100").WithToken(simtest.Decode[map[string]any](t, token)["access_token"].(string))
	stale := list.Expect(b, 200)
	assert.NotContains(t, stale.Body, "Night owls")
	assert.Equal(t, "stale-answer", b.Last().Lints[0].Code)
	b.Advance(2 * time.Second)
	assert.Contains(t, list.Send(b).Body, "Night owls")
	assert.Contains(t, b.Get("/faults"), `"fired":3,"effective":1`)
	birds := createGroup.WithBody(`{"groupName":"Early birds"}`)
	birds.Expect(b, 200)
	birds.Expect(b, 400, "a change knows what there is now")
}

// A stale read puts only the data back. Expired tokens are refused, request ids are used up, and a user who is new by
// then is unknown. Of two ages the longer one counts.
func TestStaleReadsKnowThePresent(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, "name: stale\nextends: retail\nseed: 1\nclock: {run: false}\n"+
		"behavior: {tokens: {accessLifetime: 1m}, groups: {transactionIdReuse: reject}}\n"+
		"faults:\n- {name: short, operation: '*', then: {stale: 5s}}\n- {name: long, operation: '*', then: {stale: 5m}}\n")
	createGroup.With("transactionId", "t-0").Expect(b, 200) // so that there was another bank
	b.ControlSandbox(201, "POST /institutions/02688/users", `{"hostUserId":"4711"}`)
	token := b.ControlSandbox(201, "POST /tokens", `{"hostUserId":"4711"}`)
	b.Advance(time.Second)
	text := simtest.Decode[map[string]any](t, token)["accessToken"].(string)
	of := simtest.GetDisclosures.WithToken(text)
	of.Path = strings.Replace(of.Path, "=1001", "=4711", 1)
	of.Expect(b, 404, "the user is unknown")

	list := listGroups.WithToken(text)
	list.Expect(b, 200)
	list.Expect(b, 400, "the transactionId is used")
	b.Advance(time.Minute)
	of.Expect(b, 401, "the token has expired")
	assert.NotContains(t, fmt.Sprint(b.Last().Lints), "stale-answer")
	assert.Contains(t, b.Get("/faults"), `"fired":5,"effective":3`)
}
