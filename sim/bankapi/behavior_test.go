package bankapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestSandboxByBaseURL(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	const named = "/sandboxes/default"
	for _, base := range []string{"", named} {
		res := listGroups.At(base + simtest.GroupsPath + "?size=20").Send(b)
		require.Equal(t, 200, res.StatusCode)
		assert.Contains(t, res.Body, b.BaseURL()+base+simtest.GroupsPath+"?page=1&size=20", "links keep the base URL that was used")
	}
	assert.Equal(t, 200, getDisclosures.At(named+getDisclosures.Path).Send(b).StatusCode)

	res := getDisclosures.At("/sandboxes/nope" + getDisclosures.Path).Send(b)
	assert.Equal(t, 404, res.StatusCode)
	assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code())
	assert.Contains(t, res.Body, `\"nope\"`)
}

func TestPathsAreTakenAsTheyCome(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, "name: test\nextends: retail\ninstitutions:\n- institutionId: '02688'\n  users:\n  - hostUserId: '1001'\n"+
		"    accounts: [{accountId: a/b, disclosures: [{institutionDisclosureStatus: ACCEPTED}]}]\n")
	account := func(id string) simtest.Answer {
		return getDisclosures.At(strings.Replace(getDisclosures.Path, "acc-1001-checking", id, 1)).Send(b)
	}
	res := account("a%2Fb")
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.Contains(t, res.Body, `"accountId":"a/b"`)
	for _, id := range []string{"..%2f", "%00", "{}", "%7B%7D", strings.Repeat("x", 10_000)} {
		res := account(id)
		assert.Equal(t, 200, res.StatusCode, id)
		assert.Equal(t, `{"institutionUserDisclosures":[]}`, res.Body)
	}
	for _, path := range []string{"/" + simtest.GroupsPath, simtest.GroupsPath + "/", "/x/.." + simtest.GroupsPath, "/", "/sandboxes/",
		"/sandboxes/default"} {
		res := listGroups.At(path).Send(b)
		assert.Equal(t, 404, res.StatusCode, "%s: %s", path, res.Body)
	}
}

// 32 clients create groups with the same 100 names: each name is there once, and 100 creates have succeeded.
func TestSameNamesFromManyClients(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, "name: test\nextends: empty\n")
	var created, refused atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for i := range 100 {
				res := createGroup.WithBody(fmt.Sprintf(`{"groupName":"group %d"}`, i)).Send(b)
				switch {
				case res.StatusCode == 200:
					created.Add(1)
				case assert.Equal(t, 400, res.StatusCode) && assert.Contains(t, res.Body, `"2004"`):
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, int64(100), created.Load())
	assert.Equal(t, int64(3100), refused.Load())
	assert.Contains(t, listGroups.Send(b).Body, `"totalElements":100,`)
	assert.Equal(t, 100, strings.Count(b.State(), `"groupId"`))
}

// While a writer turns the statements of all of a user's accounts on and off, and another one resets, a reader
// never sees one account on and the other off.
func TestReadersNeverSeeHalfAChange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 300 {
			res := updateUser.WithBody(fmt.Sprintf(`{"activateEstatement":%t}`, i%2 == 0)).Send(b)
			assert.Equal(t, 204, res.StatusCode)
			if i%10 == 9 {
				b.ControlSandbox(204, "POST /reset", "")
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				var state struct {
					Institutions []struct {
						Users []struct {
							HostUserID string `json:"hostUserId"`
							Accounts   []struct {
								ActivateEstatement bool `json:"activateEstatement"`
							} `json:"accounts"`
						} `json:"users"`
					} `json:"institutions"`
				}
				if !assert.NoError(t, json.Unmarshal([]byte(b.State()), &state)) {
					return
				}
				accounts := state.Institutions[0].Users[0].Accounts
				if !assert.Equal(t, accounts[0], accounts[1]) {
					return
				}
			}
		})
	}
	wg.Wait()
}
