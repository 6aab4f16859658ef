package bankapi_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// More histories take about half a minute for 500:
//
//	go test -race ./sim/bankapi -run Histories -histories 500
var histories = flag.Int("histories", 20, "histories of TestHistories")

const (
	historyClients = 5
	historySteps   = 14 // of each client
	historyTimeout = 20 * time.Second
)

// historyScenario is a bank without groups, with faults that hold requests up before and after they are carried out.
const historyScenario = `
name: histories
extends: base
clock: {run: false}
institutions:
  - institutionId: "02688"
    tokens: [{accessToken: demo-token-2, client: demo-app, expiresIn: 8760h, refreshToken: demo-refresh, refreshExpiresIn: 8760h}]
    users:
      - hostUserId: "1001"
        accounts:
          - {accountId: acc-0, disclosures: [{institutionDisclosureStatus: ACCEPTED, institutionDisclosureName: OLS}]}
          - {accountId: acc-1, disclosures: [{institutionDisclosureStatus: ACCEPTED, institutionDisclosureName: OLS}]}
faults:
  - {name: before, when: {probability: 0.4}, then: {delay: {uniform: [0ms, 3ms]}}}
  - {name: after, when: {probability: 0.3}, phase: after, then: {delay: {uniform: [0ms, 3ms]}}}
`

// historyBank is a sandbox with clients that send it requests.
type historyBank struct {
	handler http.Handler
	sandbox *sandbox.Sandbox
	clock   atomic.Int64 // counts the events of the history
}

func newHistoryBank(t *testing.T, plant func(http.Handler) http.Handler) *historyBank {
	t.Helper()
	sandboxes := simtest.Registry(t, historyScenario)
	t.Cleanup(sandboxes.Close)
	handler := http.Handler(bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)}))
	if plant != nil {
		handler = plant(handler)
	}
	return &historyBank{handler: handler, sandbox: sandboxes.Default()}
}

// snapshot takes the snapshot, which has a group and an update that the start doesn't have.
func (b *historyBank) snapshot(t *testing.T) historyState {
	t.Helper()
	require.NoError(t, b.sandbox.Change(func(m sandbox.Moment) error {
		if _, err := m.World.CreateGroup("02688", sim.NewGroup{Name: "g0"}, m.Now); err != nil {
			return err
		}
		return m.World.UpdateAccountPreference(sim.Caller{InstitutionID: "02688"}, "1001", "acc-1", sim.Preference{Activate: true})
	}))
	_, err := b.sandbox.Snapshot("s")
	require.NoError(t, err)
	state := b.list(t)
	state.opted = b.read().opted
	b.sandbox.Reset()
	return state
}

// list returns the groups as the world has them.
func (b *historyBank) list(t *testing.T) historyState {
	t.Helper()
	status, _, body := serve(b.handler, "", listGroups)
	for status == http.StatusServiceUnavailable {
		status, _, body = serve(b.handler, "", listGroups)
	}
	return listed(body)
}

// listed returns the state that a list of groups shows.
func listed(body string) (state historyState) {
	var list struct {
		Content []struct {
			GroupID   string `json:"groupId"`
			GroupName string `json:"groupName"`
		} `json:"content"`
	}
	_ = json.Unmarshal([]byte(body), &list) // a list that can't be read shows nothing
	for _, g := range list.Content {
		var index int
		if n, _ := fmt.Sscanf(g.GroupName, "g%d", &index); n == 1 {
			state.groups[index] = g.GroupID
		}
	}
	return state
}

// read returns the accounts and the token at one moment.
func (b *historyBank) read() (state historyState) {
	m := b.sandbox.Now()
	for i := range historyAccounts {
		account, _ := m.World.Account("02688", "1001", fmt.Sprint("acc-", i))
		state.opted[i] = account.ActivateEstatement
	}
	_, err := m.World.Authenticate("demo-token-2", m.Now)
	state.revoked = err != nil
	return state
}

// do carries out a step.
func (b *historyBank) do(in step) outcome {
	var call simtest.Call
	switch in.kind {
	case stepRead:
		state := b.read()
		return outcome{state: &state}
	case stepReset:
		b.sandbox.Reset()
		return outcome{}
	case stepRestore:
		_ = b.sandbox.Restore("s") // it exists
		return outcome{}
	case stepCreate:
		call = createGroup.WithBody(fmt.Sprintf(`{"groupName":"g%d"}`, in.index))
	case stepList:
		call = listGroups
	case stepUpdate:
		call = updateAccount.WithToken("demo-token-2").WithBody(fmt.Sprintf(`{"activateEstatement":%t,"accountId":"acc-%d"}`, in.on, in.index))
	case stepRevoke:
		call = revokeTokens
	}
	status, _, body := serve(b.handler, "", call)
	out := outcome{status: status}
	if status >= 400 {
		out.code = contract.ErrorCode([]byte(body))
	} else if in.kind == stepList {
		state := listed(body)
		out.state = &state
	} else if in.kind == stepCreate {
		var group struct {
			GroupID string `json:"groupId"`
		}
		_ = json.Unmarshal([]byte(body), &group) // without an id the outcome is wrong
		out.id = group.GroupID
	}
	return out
}

// drawStep draws a step. Changes are frequent, resets and restores are not.
func drawStep(r *rand.Rand) step {
	kinds := []string{stepCreate, stepCreate, stepCreate, stepCreate, stepList, stepList, stepList, stepUpdate, stepUpdate, stepUpdate,
		stepRead, stepRead, stepRevoke, stepReset, stepRestore}
	in := step{kind: kinds[r.IntN(len(kinds))]}
	switch in.kind {
	case stepCreate:
		in.index = r.IntN(historyGroups)
	case stepUpdate:
		in.index, in.on = r.IntN(historyAccounts), r.IntN(2) == 0
	}
	return in
}

// history lets clients send their steps at the same time, and returns what they saw.
func (b *historyBank) history(seed uint64) []porcupine.Operation {
	var mu sync.Mutex
	var all []porcupine.Operation
	var clients sync.WaitGroup
	for client := range historyClients {
		r := rand.New(rand.NewPCG(seed, uint64(client)))
		clients.Go(func() {
			for range historySteps {
				in := drawStep(r)
				called := b.clock.Add(1)
				out := b.do(in)
				returned := b.clock.Add(1)
				mu.Lock()
				all = append(all, porcupine.Operation{ClientId: client, Input: in, Call: called, Output: out, Return: returned})
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	return all
}

// check returns a history of a new bank, and whether there is an order of its steps in which all outcomes are right.
func check(t *testing.T, seed uint64, plant func(http.Handler) http.Handler) ([]porcupine.Operation, bool) {
	t.Helper()
	b := newHistoryBank(t, plant)
	snapshot := b.snapshot(t)
	history := b.history(seed)
	verdict := porcupine.CheckOperationsTimeout(historyModel(snapshot), history, historyTimeout)
	require.NotEqual(t, porcupine.Unknown, verdict, "the check took too long")
	return history, verdict == porcupine.Ok && len(unfounded(history)) == 0
}

// Whatever clients do at the same time, with resets, restores and delays among it, has the outcomes of some order in which
// each step happens at once.
func TestHistories(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for seed := range uint64(*histories) {
		history, legal := check(t, seed, nil)
		require.True(t, legal, "history %d is illegal:\n%s", seed, describeHistory(history))
		for _, o := range history {
			out := o.Output.(outcome)
			met[fmt.Sprint(o.Input.(step).kind, " ", out.status, " ", out.code)]++
		}
	}
	for _, kind := range []string{stepCreate, stepList, stepUpdate, stepRevoke} {
		assert.NotZero(t, met[kind+" 200 "], "%v", met)
		assert.NotZero(t, met[kind+" 503 "+generationEnded], "%v", met)
	}
	t.Logf("%d histories: %v", *histories, met)
}

// Histories find mistakes: each of these is found soon.
func TestHistoriesFindMistakes(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(http.Handler) http.Handler{
		"an old list":                               lateLists,
		"a change that is lost":                     lostUpdates,
		"an answer of a generation that is over":    answersOfTheOver,
		"a change of a generation that is over":     changesOfTheOver,
		"a request that is refused without a reset": refusals(generationEnded),
		"a token that works after it was revoked":   ignoredRevocations,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(100) {
				if _, legal := check(t, seed, plant); !legal {
					t.Logf("found in history %d", seed)
					return
				}
			}
			assert.Fail(t, "100 histories don't show it")
		})
	}
}

// playBack answers with what was recorded.
func playBack(w http.ResponseWriter, recorded *httptest.ResponseRecorder) {
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}
