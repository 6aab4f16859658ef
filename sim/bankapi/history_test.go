package bankapi_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

var histories = flag.Int("histories", 10, "histories of TestHistories: .ci/night asks for 500")

// Reads that a fault counts change nothing: the journal keeps the banks around the changes before them.
func TestCountedReadsAreNoChanges(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.WithFaults("- {when: {nth: 100000}, then: {status: 500}}\n"))
	id := b.ExchangeOf(createGroup.Send(b)).ID
	for range journal.MaxWorlds + 1 {
		listGroups.Send(b)
	}
	_, isKept := b.Journal().Step(id)
	assert.True(t, isKept)
}

const (
	historyClients = 5
	historySteps   = 14 // of each client
	historyGroups  = 4  // names of groups
)

// historyScenario is a bank without groups, with faults that hold requests up before and after they are carried out.
const historyScenario = `
name: histories
extends: base
clock: {run: false}
institutions:
  - institutionId: "02688"
    tokens: [{accessToken: demo-token-2, client: demo-app, expiresIn: 8760h, refreshToken: demo-refresh,
	refreshExpiresIn: 8760h}]
    users:
      - hostUserId: "1001"
        accounts:
          - {accountId: acc-1, disclosures: [{institutionDisclosureStatus: ACCEPTED, institutionDisclosureName: OLS}]}
faults:
  - {name: before, when: {probability: 0.4}, then: {delay: {uniform: [0ms, 3ms]}}}
  - {name: after, when: {probability: 0.3}, phase: after, then: {delay: {uniform: [0ms, 3ms]}}}
`

// step is what one client asks for: to create or list groups, to update an account, to revoke its token, or to reset.
type step struct {
	kind  string
	group int
}

// outcome is what it is answered.
type outcome struct {
	status int
	code   string
	id     string                // of the created group
	listed [historyGroups]string // ids of the groups, by the number in their names, or "" if there is none
}

// historyState is what the model knows of the sandbox.
type historyState struct {
	groups  [historyGroups]string
	revoked bool
}

const generationEnded = "BANKSIM_GENERATION_ENDED"

// historyModel says which outcomes are right. A request that a reset has overtaken changes nothing.
var historyModel = porcupine.Model{
	Init: func() any { return historyState{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(historyState), input.(step), output.(outcome)
		if out.code == generationEnded {
			return true, s
		}
		legal := out.status == 200
		switch in.kind {
		case "create":
			if s.groups[in.group] != "" {
				return out.status == 400, s
			}
			s.groups[in.group] = out.id
			legal = legal && out.id != ""
		case "list":
			legal = legal && out.listed == s.groups
		case "update":
			if s.revoked {
				return out.status == 401, s
			}
		case "revoke":
			s.revoked = true
		case "reset":
			return true, historyState{}
		}
		return legal, s
	},
}

// carryOut carries out a step.
func carryOut(bank http.Handler, sb *sandbox.Sandbox, in step) (out outcome) {
	var call simtest.Call
	switch in.kind {
	case "reset":
		sb.Reset(context.Background(), "")
		return outcome{}
	case "create":
		call = createGroup.WithBody(fmt.Sprintf(`{"groupName":"g%d"}`, in.group))
	case "list":
		call = listGroups
	case "update":
		call = updateAccount.WithToken("demo-token-2").WithBody(`{"activateEstatement":true,"accountId":"acc-1"}`)
	case "revoke":
		call = revokeTokens
	}
	r := httptest.NewRequest(call.Method, call.Path, strings.NewReader(call.Body))
	r.Header = call.Header.Clone()
	answer := httptest.NewRecorder()
	bank.ServeHTTP(answer, r)
	type group struct {
		GroupID   string `json:"groupId"`
		GroupName string `json:"groupName"`
	}
	var body struct {
		group
		Content []group `json:"content"`
	}
	_ = json.Unmarshal(answer.Body.Bytes(), &body) // without an id the outcome is wrong
	out = outcome{status: answer.Code, id: body.GroupID}
	if out.status >= 400 {
		out.code = contract.ErrorCode(answer.Body.Bytes())
	}
	for _, g := range body.Content {
		var number int
		if _, err := fmt.Sscanf(g.GroupName, "g%d", &number); err == nil {
			out.listed[number] = g.GroupID
		}
	}
	return out
}

// Whatever clients do at the same time, with resets and delays among it, has the outcomes of some order in which each
// step happens at once.
func TestHistories(t *testing.T) {
	t.Parallel()
	kinds := []string{"create", "create", "create", "list", "list", "update", "update", "revoke", "reset"}
	met := map[string]int{}
	for seed := range uint64(*histories) {
		sandboxes := simtest.Registry(t, historyScenario)
		bank := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
		var clock atomic.Int64 // counts the events of the history
		var mu sync.Mutex
		var history []porcupine.Operation
		var clients sync.WaitGroup
		for client := range historyClients {
			r := rand.New(rand.NewPCG(seed, uint64(client)))
			clients.Go(func() {
				for range historySteps {
					in := step{kind: kinds[r.IntN(len(kinds))], group: r.IntN(historyGroups)}
					called := clock.Add(1)
					out := carryOut(bank, sandboxes.Default(), in)
					returned := clock.Add(1)
					mu.Lock()
					history = append(history, porcupine.Operation{
						ClientId: client, Input: in, Call: called, Output: out, Return: returned,
					})
					met[fmt.Sprint(in.kind, " ", out.status)]++
					mu.Unlock()
				}
			})
		}
		clients.Wait()
		sandboxes.Close()
		verdict := porcupine.CheckOperationsTimeout(historyModel, history, 20*time.Second)
		require.Equal(t, porcupine.Ok, verdict, "history %d is illegal: %+v", seed, history)
	}
	for _, kind := range []string{"create 200", "list 200", "update 200", "revoke 200", "create 400"} {
		assert.NotZero(t, met[kind], "%v", met)
	}
}
