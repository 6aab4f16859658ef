package bankapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// journaled returns the ids of the groups that the journal has, in its order.
func journaled(t *testing.T, sb *sandbox.Sandbox) (ids []string) {
	t.Helper()
	for x := range sb.Known().Journal.Select(journal.Query{}).Exchanges() {
		if x.Operation != contract.GroupsCreate.Name {
			continue
		}
		var group struct {
			GroupID string `json:"groupId"`
		}
		require.NoError(t, json.Unmarshal([]byte(x.Response.Body), &group), x.Response.Body)
		ids = append(ids, group.GroupID)
	}
	return ids
}

// The journal has changes in the order in which they were made: groups have the ids that requests one after another
// draw. It takes long to journal every other request. Whoever has an answer finds its exchange.
func TestJournalOrderIsCommitOrder(t *testing.T) {
	t.Parallel()
	const creates, senders = 400, 8
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	t.Cleanup(sandboxes.Close)
	handler := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	create := func(baseURL string, i int) http.Header {
		call := createGroup.WithBody(fmt.Sprintf(`{"groupName":"g%d"}`, i)).With("transactionId", fmt.Sprint(i))
		if i%2 == 0 {
			for n := range 300 {
				call.Header.Set(fmt.Sprintf("X-%d", n), strings.Repeat("x", 100))
			}
		}
		r := httptest.NewRequest(call.Method, baseURL+call.Path, strings.NewReader(call.Body))
		r.Header = call.Header
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		assert.Equal(t, 200, answer.Code, answer.Body.String())
		return answer.Header()
	}
	var sent sync.WaitGroup
	concurrent := sandboxes.Default()
	for s := range senders {
		sent.Go(func() {
			for i := range creates / senders {
				id := create("", s*creates+i).Get(contract.ExchangeHeader.Name)
				_, ok := concurrent.Known().Journal.Get(id)
				assert.True(t, ok, id)
			}
		})
	}
	sent.Wait()

	alone, err := sandboxes.Create(t.Context(), sandbox.Plan{Name: "alone"})
	require.NoError(t, err)
	for i := range creates {
		create("/sandboxes/alone", i)
	}
	assert.Equal(t, journaled(t, alone), journaled(t, concurrent))
	assert.Zero(t, concurrent.Known().Journal.Select(journal.Query{}).Evicted)
}
