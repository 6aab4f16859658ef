package bankapi_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
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
	require.Eventually(t, func() bool { return b.Sandbox.Known().Faults.Counts()[0].Fired == uint64(len(calls)) },
		simtest.Patience, time.Millisecond)
	do()
	sent.Wait()
	return answers
}

// Requests that wait out a delay while their sandbox is reset are refused, are in the journal of the present
// generation, and have changed nothing.
func TestAResetRefusesRequestsUnderWay(t *testing.T) {
	t.Parallel()
	b := delayed(t, "before")
	start := b.World()
	calls := []simtest.Call{createGroup, createGroup, createGroup, createGroup, createGroup}
	for _, call := range simtest.Calls {
		calls = append(calls, call)
	}
	answers := during(t, b, calls, func() { require.NoError(t, b.Sandbox.Reset(t.Context(), "")) })
	for i, res := range answers {
		assert.Equal(t, 503, res.StatusCode, calls[i])
		assert.Equal(t, "BANKSIM_GENERATION_ENDED", res.Code(), calls[i])
		assert.Equal(t, "1", res.Header.Get("Retry-After"))
		x := b.ExchangeOf(res)
		assert.Equal(t, calls[i].Method, x.Request.Method)
		assert.Equal(t, "generation-ended", x.Decision.Rule)
		assert.Equal(t, "everywhere.ended-generation", x.Decision.Entries[0])
		assert.Equal(t, &journal.Fault{Fired: []string{"slow"}, DelayMicros: 1_500_000}, x.Fault)
	}
	assert.Len(t, b.Exchanges(journal.Query{Status: 503}), len(calls))
	assert.EqualValues(t, len(calls), b.Journal().Last())
	assert.True(t, start.Equal(b.World()), "nothing has changed")
}

// A fault that answers, after its delay, for a generation that is over doesn't either.
func TestAResetRefusesFaultsUnderWay(t *testing.T) {
	t.Parallel()
	for _, rules := range []string{
		"- {name: slow, operation: estatements.updateUser, then: {status: 401, delay: 1500ms}}\n",
		"- {name: slow, then: {delay: 1500ms}}\n- {name: cut, phase: after, then: {connection: truncate}}\n",
	} {
		b := simtest.NewBank(t, simtest.WithFaults(rules))
		for _, res := range during(t, b, []simtest.Call{updateUser, updateUser}, func() { require.NoError(t, b.Sandbox.Reset(t.Context(), "")) }) {
			assert.Equal(t, 503, res.StatusCode)
			assert.Equal(t, "BANKSIM_GENERATION_ENDED", res.Code())
		}
	}
}

// What was answered before the reset stands. Its exchange is gone with its journal, so that no number names it.
func TestAnAnswerBeforeTheResetNamesNoExchange(t *testing.T) {
	t.Parallel()
	b := delayed(t, "after")
	answers := during(t, b, []simtest.Call{createGroup, createGroup, createGroup}, func() {
		require.Eventually(t, func() bool { return len(b.Exchanges(journal.Query{})) == 3 }, simtest.Patience,
			time.Millisecond,
			"readers don't wait for the delay")
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
	answered := make(chan struct{})
	for range 4 {
		senders.Go(func() {
			for range 50 {
				assert.Equal(t, 204, updateUser.Send(b).StatusCode)
				assert.Equal(t, 200, listGroups.Send(b).StatusCode)
				answered <- struct{}{}
			}
		})
	}
	for range 4 * 50 {
		<-answered
		b.Sandbox.Reset(t.Context(), "")
	}
	senders.Wait()
}

// A restore begins no generation.
func TestARestoreRefusesNothing(t *testing.T) {
	t.Parallel()
	b := delayed(t, "before")
	_, err := b.Sandbox.Snapshot(t.Context(), "s")
	require.NoError(t, err)
	for _, res := range during(t, b, []simtest.Call{createGroup, listGroups}, func() { require.NoError(t, b.Sandbox.Restore(t.Context(), "s")) }) {
		assert.Equal(t, 200, res.StatusCode)
		assert.Equal(t, 200, b.ExchangeOf(res).Response.Status)
	}
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

// A fork from before an exchange has the faults of then, with their counts, whatever became of them since.
func TestForkRepeatsFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {name: twice, operation: groups.list, when: {first: 2}, then: {status: 500}}\n"+
		"- {name: late, operation: groups.list, when: {during: {from: 1m}}, then: {status: 401}}\n"))
	for _, want := range []int{500, 500, 200} {
		assert.Equal(t, want, listGroups.Send(b).StatusCode)
	}
	b.Advance(time.Hour)
	assert.Equal(t, 401, listGroups.Send(b).StatusCode)
	b.ControlSandbox(204, "DELETE /faults", "")
	for exchange, want := range map[string][]int{"2": {500, 200}, "4": {401}} {
		fork := b.In(simtest.Decode[api.Sandbox](t, b.ControlSandbox(201, "POST /fork", `{"before":"`+exchange+`"}`)).Name)
		for _, status := range want {
			assert.Equal(t, status, listGroups.Send(fork).StatusCode, exchange)
		}
		fork.ControlSandbox(204, "POST /reset", "")
		assert.Equal(t, want[0], listGroups.Send(fork).StatusCode, "a reset returns to that moment")
	}
}

// The journal goes on where the scenario is reloaded, and says where that was.
func TestReloadKeepsTheJournal(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	listGroups.Send(b)
	require.Equal(t, 1, b.Sandboxes.SetScenario(simtest.Scenario(t, simtest.WithFaults("- {then: {delay: 1ms}}\n"))))
	for _, want := range []string{"[{reloaded the scenario test was reloaded before this exchange}]", "[]"} {
		listGroups.With("transactionId", want).Send(b)
		assert.Equal(t, want, fmt.Sprint(b.Last().Lints))
	}
	assert.Equal(t, "3", b.Last().ID)
	assert.Len(t, b.Exchanges(journal.Query{}), 3)
	fork, err := b.Sandboxes.ForkAt(t.Context(), b.Sandbox, "", 0, "1", sandbox.Before)
	require.NoError(t, err)
	assert.True(t, fork.Known().Faults.Empty(), "as it was before the reload")
}
