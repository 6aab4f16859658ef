package bankapi_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// inject adds a fault to a bank whose client has a connection that it used before.
func inject(b *simtest.Bank, fault string) {
	listGroups.With("transactionId", "warm").Send(b)
	b.ControlSandbox(201, "POST /faults", fault)
}

// Go's own transport sends a request again when the connection breaks that it reused. The app sees nothing of the fault,
// and the journal says so.
func TestRetryOfAClient(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{`"close"`, `"reset"`, `{"hang": "1ms"}`} {
		for _, phase := range []string{"before", "after"} {
			t.Run(kind+" "+phase, func(t *testing.T) {
				t.Parallel()
				b := simtest.NewBank(t, simtest.FrozenRetail)
				inject(b, `{"name": "once", "when": {"first": 1}, "phase": "`+phase+`", "then": {"connection": `+kind+`}}`)
				res := listGroups.Send(b)
				assert.Equal(t, 200, res.StatusCode, "the client has tried twice")
				assert.EqualValues(t, 3, b.Journal().Last())
				lint := lintOf(b.ExchangeOf(res), bankapi.FaultRetried)
				assert.Contains(t, lint, "is that of exchange 2 again, on another connection, within a second of the fault once (")
				assert.Contains(t, lint, "when: {first: 2}")
				broken, ok := b.Journal().Get("2")
				require.True(t, ok)
				assert.Empty(t, lintOf(broken, bankapi.FaultRetried))
			})
		}
	}
}

// What the lint advises makes the fault reach the app: a fault that fires for the retry too, or a new connection.
func TestFaultReachesTheApp(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	inject(b, `{"name": "twice", "when": {"first": 2}, "then": {"connection": "close"}}`)
	_, err := listGroups.Try(b)
	require.ErrorIs(t, err, io.EOF)
	assert.EqualValues(t, 3, b.Journal().Last(), "once by the app, and once by its client")
	assert.NotEmpty(t, lintOf(b.Last(), bankapi.FaultRetried))

	b = simtest.NewBank(t, simtest.FrozenRetail)
	inject(b, `{"name": "once", "when": {"first": 1}, "then": {"connection": "close"}}`)
	b.Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: simtest.Patience}
	_, err = listGroups.Try(b)
	require.ErrorIs(t, err, io.EOF)
	assert.EqualValues(t, 2, b.Journal().Last())
}

// Only the same request is a retry, and only of one whose connection was broken.
func TestRequestsThatAreNoRetries(t *testing.T) {
	t.Parallel()
	const broken = "{connection: close}"
	headGroups := listGroups.WithMethod(http.MethodHead)
	for name, test := range map[string]struct {
		then          string
		first, second simtest.Call
		retry         bool
	}{
		"the same":          {broken, createGroup, createGroup, true},
		"another id":        {broken, createGroup, createGroup.With("transactionId", "t-2"), false},
		"another body":      {broken, createGroup, createGroup.WithBody(`{"groupName":"Early birds"}`), false},
		"another query":     {broken, listGroups, listGroups.WithQuery("size=1"), false},
		"another path":      {broken, getDisclosures, getDisclosures.At(simtest.DisclosuresPath + "1002"), false},
		"another method":    {broken, createGroup, listGroups, false},
		"HEAD":              {broken, headGroups, headGroups, true},
		"GET after HEAD":    {broken, headGroups, listGroups, false},
		"another header":    {broken, createGroup, createGroup.With("X-Trace", "2"), true},
		"malformed answer":  {"{connection: malformed}", createGroup, createGroup, false},
		"slow answer":       {"{connection: {dribble: {bytes: 100, every: 1ms}}}", createGroup, createGroup, false},
		"error":             {"{status: 401}", createGroup, createGroup, false},
		"cut answer":        {"{connection: {truncate: 5}}", createGroup, createGroup, true},
		"cut HEAD":          {"{connection: {truncate: 5}}", headGroups, headGroups, false},
		"garbage":           {"{connection: garbage}", createGroup, createGroup, true},
		"unknown operation": {broken, createGroup, createGroup.At("/nope"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.WithFaults("- {name: f, when: {first: 1}, then: "+test.then+"}\n"))
			read(t, b, test.first.With("Connection", "close"))
			read(t, b, test.second.With("Connection", "close"))
			require.EqualValues(t, 2, b.Journal().Last())
			assert.Equal(t, test.retry, lintOf(b.Last(), bankapi.FaultRetried) != "")
		})
	}
}

// A reset forgets what was broken before, and another sandbox never knew it.
func TestRetriesBelongToAGeneration(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: f, when: {first: 1}, then: {connection: close}}\n"))
	read(t, b, listGroups.With("Connection", "close"))
	other := simtest.NewBank(t, simtest.FrozenRetail)
	read(t, other, listGroups.With("Connection", "close"))
	assert.Empty(t, other.Last().Lints)
	b.Sandbox.Reset()
	b.Sandbox.Now().Faults.Clear()
	read(t, b, listGroups.With("Connection", "close"))
	assert.Empty(t, b.Last().Lints)
}
