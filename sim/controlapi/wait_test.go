package controlapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// A call with within or wait answers as soon as the requests have come, and at the latest when the time is over.
func TestCallsWaitForRequests(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	lists := func(count, within string) string {
		return `{"operation":"groups.list","` + count + `,"within":"` + within + `"}`
	}
	late := b.ControlSandbox(200, "POST /journal/verify", lists(`exactly":2`, "20ms")).Body
	assert.Contains(t, late, `"text":"within 20ms: expected requests (operation \"groups.list\", exactly 2): the bank had 0`)
	answers := make(chan string, 3)
	var calls sync.WaitGroup
	for _, call := range [][2]string{
		{"POST /journal/verify", lists(`exactly":2`, "1m")},
		{"POST /journal/verify", `{"inOrder":[{"operation":"groups.list"},{"operation":"groups.list"}],"within":"1m"}`},
		{"GET /journal?after=0&wait=1m&q=operation:groups.*", ""},
	} {
		calls.Go(func() { answers <- b.ControlSandbox(200, call[0], call[1]).Body })
	}
	simtest.GetDisclosures.Send(b)
	simtest.ListGroups.Send(b)
	simtest.ListGroups.Send(b)
	calls.Wait()
	for range 3 {
		var answer struct {
			Verified  bool
			Exchanges []journal.Exchange
		}
		require.NoError(t, json.Unmarshal([]byte(<-answers), &answer))
		assert.True(t, answer.Verified || len(answer.Exchanges) > 0 && answer.Exchanges[0].Operation == "groups.list")
	}
	simtest.ListGroups.Send(b)
	assert.Contains(t, b.ControlSandbox(200, "POST /journal/verify", lists(`exactly":2`, "1m")).Body, "the bank had 3",
		"later requests can't change it")
	assert.Contains(t, get(b, "/journal?after=4&wait=1ms"), `"exchanges":[]`)
	for call, want := range map[string]string{
		`POST /journal/verify {"operation":"groups.list","within":"3m"}`:             "within must be at most 2m0s, not 3m0s",
		`POST /journal/verify {"operation":"groups.list","within":"-1s"}`:            "within must be a duration above 0",
		`POST /journal/verify {"operation":"groups.list","exactly":0,"within":"1s"}`: "within waits for requests: to check",
		`POST /journal/verify {"operation":"groups.list","atMost":2,"within":"1s"}`:  "within waits for requests: to check",
		`POST /journal/verify {"operation":"groups.lists","within":"1m"}`:            "did you mean",
		`GET /journal?wait=1s `:           "wait goes with after",
		`GET /journal?after=0&wait=3h `:   "wait must be at most 2m0s",
		`GET /journal?after=0&wait=soon `: "wait must be a duration",
	} {
		method, rest, _ := strings.Cut(call, " ")
		path, body, _ := strings.Cut(rest, " ")
		assert.Contains(t, b.ControlSandbox(400, method+" "+path, body).Body, want, call)
	}
}

// A reset, a deletion and the end of the simulator end the waiting.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	wait := func(sb *simtest.Bank) (ended chan int) {
		ended = make(chan int, 1)
		r := b.Request("GET", b.Server.ControlURL()+sb.ControlPath()+"/journal?after=0&wait=1m", "")
		go func() {
			res, err := b.Client.Do(r)
			if err == nil {
				ended <- res.StatusCode
				_ = res.Body.Close()
			}
			close(ended)
		}()
		return ended
	}
	for _, end := range []string{"POST /reset", "PUT /scenario", "DELETE "} {
		sb := b.In(simtest.Decode[api.Sandbox](t, b.Control(201, "POST /v1/sandboxes", "")).Name)
		ended := wait(sb)
		method, path, _ := strings.Cut(end, " ")
		body := map[string]string{"PUT": "extends: empty\n"}[method]
		require.Eventually(t, func() bool { // the call may come after a reset, and wait then
			b.Do(b.Request(method, b.Server.ControlURL()+sb.ControlPath()+path, body))
			select {
			case status := <-ended:
				return assert.Contains(t, []int{404, 409}, status, end)
			default:
				return false
			}
		}, simtest.Patience, 5*time.Millisecond)
	}
	ended := wait(b)
	ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
	defer cancel()
	require.NoError(t, b.Server.Shutdown(ctx), "calls that wait don't delay the shutdown")
	<-ended
}

// Few calls may wait at a time. One that ends makes room for another.
func TestFewCallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		draining := make(chan struct{})
		g := newGuarded(t, controlapi.Config{Draining: draining})
		wait := func(status int) { g.call(status, "GET /v1/sandboxes/default/journal?after=0&wait=1m", "bank") }
		var calls sync.WaitGroup
		for range 100 {
			calls.Go(func() { wait(200) })
		}
		synctest.Wait()
		wait(429)
		time.Sleep(time.Minute)
		calls.Wait()
		began := time.Now()
		wait(200)
		assert.Equal(t, time.Minute, time.Since(began).Round(time.Second))
		close(draining)
		wait(503) // not that nothing came
		assert.Less(t, time.Since(began), 90*time.Second)
	})
}
