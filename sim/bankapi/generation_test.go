package bankapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// delayed returns a bank whose operations wait a while, each once, in a phase.
func delayed(t *testing.T, phase string) *simtest.Bank {
	t.Helper()
	return simtest.NewBank(t, simtest.WithFaults("- {name: slow, phase: "+phase+", then: {delay: 1500ms}}\n"))
}

// during sends calls, does something once all of them wait out their delay, and returns the answers.
func during(t *testing.T, b *simtest.Bank, calls []simtest.Call, do func()) []simtest.Answer {
	t.Helper()
	answers := make([]simtest.Answer, len(calls))
	var sent sync.WaitGroup
	for i, call := range calls {
		sent.Go(func() { answers[i] = call.Send(b) })
	}
	b.AwaitFired(len(calls))
	do()
	sent.Wait()
	return answers
}

// Requests that wait out a delay while their sandbox is reset are refused, are in the journal of the present
// generation, and have changed nothing. A fault that would answer them doesn't either.
func TestAResetRefusesRequestsUnderWay(t *testing.T) {
	t.Parallel()
	for _, rules := range []string{
		"- {name: slow, then: {delay: 1500ms}}\n",
		"- {name: slow, then: {status: 401, delay: 1500ms}}\n",
		"- {name: slow, then: {delay: 1500ms}}\n- {name: cut, phase: after, then: {connection: truncate}}\n",
	} {
		b := simtest.NewBank(t, simtest.WithFaults(rules))
		start, calls := b.World(), slices.Collect(maps.Values(simtest.Calls))
		answers := during(t, b, calls, func() { require.NoError(t, b.Sandbox.Reset(t.Context(), "")) })
		for i, res := range answers {
			assert.Equal(t, 503, res.StatusCode, calls[i])
			assert.Equal(t, "BANKSIM_GENERATION_ENDED", res.Code(), calls[i])
			assert.Equal(t, "1", res.Header.Get("Retry-After"))
			x := b.ExchangeOf(res)
			assert.Equal(t, calls[i].Method, x.Request.Method)
			assert.Equal(t, "generation-ended", x.Decision.Rule)
			require.NotNil(t, x.Fault)
			assert.Equal(t, "slow", x.Fault.Fired[0])
		}
		assert.EqualValues(t, len(calls), b.Journal().Last())
		assert.True(t, start.Equal(b.World()), "nothing has changed")
	}
}

// What was answered before the reset stands. Its exchange is gone with its journal, so that no number names it.
func TestAnAnswerBeforeTheResetNamesNoExchange(t *testing.T) {
	t.Parallel()
	b := delayed(t, "after")
	answers := during(t, b, []simtest.Call{createGroup, createGroup, createGroup}, func() {
		require.Eventually(t, func() bool { return b.Journal().Last() == 3 }, simtest.Patience, time.Millisecond)
		b.Sandbox.Reset(t.Context(), "")
	})
	statuses := map[int]int{}
	for _, res := range answers {
		statuses[res.StatusCode]++
		assert.NotContains(t, res.Header, "Banksim-Exchange")
	}
	assert.Equal(t, map[int]int{200: 1, 400: 2}, statuses)
	assert.Zero(t, b.Journal().Last())
}

// Requests that wait for nothing are carried out, before a reset or after it.
func TestAResetRefusesNothingElse(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: header, then: {headers: {X-Fault: '1'}}}\n"))
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for range 50 {
				updateUser.Expect(b, 204)
				b.Sandbox.Reset(t.Context(), "")
			}
		})
	}
	senders.Wait()
}

// Requests under way in a sandbox that is deleted are answered like all later ones, even if another has taken its name.
func TestADeletionRefusesRequestsUnderWay(t *testing.T) {
	t.Parallel()
	b := delayed(t, "before")
	var other *sandbox.Sandbox
	answers := during(t, b, []simtest.Call{createGroup, listGroups}, func() {
		require.NoError(t, b.Sandboxes.Delete(t.Context(), b.Sandbox))
		var err error
		other, err = b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: b.Sandbox.Name()})
		require.NoError(t, err)
	})
	for _, res := range answers {
		assert.Equal(t, 404, res.StatusCode)
		assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code())
		assert.NotContains(t, res.Header, "Banksim-Exchange")
	}
	assert.Zero(t, other.Known().Journal.Last())
}

// A fork from after an exchange has the faults of then, also with what they counted while a fault delayed the exchange.
func TestForksCountWhatADelayLetPass(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(`
- {name: slow, operation: groups.create, then: {delay: 1s}}
- {name: second, operation: groups.list, when: {nth: 2}, then: {status: 500}}
- {name: large, path: "/v1/{id}", then: {status: 200, body: ["`+strings.Repeat("{id}", 1000)+`"]}}
`))
	created := make(chan simtest.Answer)
	go func() { created <- createGroup.Send(b) }()
	b.AwaitFired(1)
	listGroups.Expect(b, 200)
	id := b.ExchangeOf(<-created).ID
	fork := b.In(simtest.Decode[api.Sandbox](t, b.ControlSandbox(201, "POST /fork", `{"after":"`+id+`"}`)).Name)
	listGroups.Expect(fork, 500)

	simtest.NewCall("GET", "/v1/"+strings.Repeat("x", 11_000), "").Expect(b, 500, "the body is too large")
	id = b.Last().ID
	fork = b.In(simtest.Decode[api.Sandbox](t, b.ControlSandbox(201, "POST /fork", `{"after":"`+id+`"}`)).Name)
	assert.EqualValues(t, 1, fork.Sandbox.Known().Faults.Counts()[2].Matched)
}

// A fork from before an exchange has the faults of then, with their counts, whatever became of them since.
func TestForkRepeatsFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults(
		"- {name: twice, operation: groups.list, when: {first: 2}, then: {status: 500}}\n"))
	for _, want := range []int{500, 500, 200} {
		listGroups.Expect(b, want)
	}
	b.ControlSandbox(204, "DELETE /faults", "")
	fork := b.In(simtest.Decode[api.Sandbox](t, b.ControlSandbox(201, "POST /fork", `{"before":"2"}`)).Name)
	for range 2 { // a reset returns to that moment
		listGroups.Expect(fork, 500)
		listGroups.Expect(fork, 200)
		fork.ControlSandbox(204, "POST /reset", "")
	}
}

// Where a reload only changes faults, the rows stay, and a fault that is as before goes on counting. A reset starts
// from the new faults.
func TestReloadOfFaultsKeepsTheRows(t *testing.T) {
	t.Parallel()
	const third = "- {name: third, operation: groups.list, when: {nth: 3}, then: {status: 500}}\n"
	b := simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(
		sandbox.Config{Scenario: simtest.Scenario(t, simtest.WithFaults(third))})})
	createGroup.Send(b)
	before := simtest.Decode[map[string]any](t, listGroups.Send(b))["page"]
	seed, now := b.Sandbox.Known().Seed(), b.Sandbox.Known().Now
	changed, restarted := b.Sandboxes.SetScenario(simtest.Scenario(t, simtest.WithFaults(third+
		"- {name: slow, operation: groups.list, then: {delay: 1ms}}\n")+"resets: {daily: '04:00'}\n"))
	assert.Equal(t, "04:00", b.Sandbox.Info().Resets().Daily)
	assert.Equal(t, 1, changed)
	assert.False(t, restarted)
	assert.Equal(t, seed, b.Sandbox.Known().Seed())
	assert.Equal(t, now, b.Sandbox.Known().Now)
	assert.Equal(t, before, simtest.Decode[map[string]any](t, listGroups.Send(b))["page"])
	listGroups.Expect(b, 500, "the third one")
	b.ControlSandbox(204, "POST /reset", "")
	assert.NotEqual(t, before, simtest.Decode[map[string]any](t, listGroups.Send(b))["page"])
	assert.Contains(t, b.Get("/faults"), `"slow"`)
}

// The journal goes on where the scenario is reloaded, and says where that was.
func TestReloadKeepsTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	listGroups.Send(b)
	b.Sandboxes.SetScenario(simtest.Scenario(t, simtest.WithFaults("- {then: {delay: 1ms}}\n")))
	for i, want := range []string{"[reloaded]", "[]"} {
		listGroups.With("transactionId", want).Send(b)
		assert.Equal(t, want, fmt.Sprint(lints(b.Last())))
		assert.EqualValues(t, i+2, b.Journal().Last())
	}
	fork, err := b.Sandboxes.ForkAt(t.Context(), b.Sandbox, "", 0, "1", sandbox.Before)
	require.NoError(t, err)
	assert.True(t, fork.Known().Faults.Empty(), "as it was before the reload")
}
