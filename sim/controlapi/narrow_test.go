package controlapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// counts are how many rows of each kind an answer says that there are.
type counts struct{ Clients, Users, Tokens, Groups, AlertPreferences int }

// A part of the state has the rows that are asked for, as they are in the whole.
func TestPartOfState(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	get := func(query string) api.State {
		t.Helper()
		var state api.State
		require.NoError(t, json.Unmarshal([]byte(b.ControlSandbox(200, "GET /state"+query, "").Body), &state))
		return state
	}
	whole := get("").Institutions
	require.Len(t, whole, 2)
	require.Greater(t, len(whole[0].Users), 3)

	assert.Equal(t, whole[1:], get("?institution=05523").Institutions)

	one := get("?institution=02688&user=1001").Institutions
	require.Len(t, one, 1)
	assert.Equal(t, whole[0].Users[:1], one[0].Users)
	assert.Empty(t, one[0].Groups, "no group is a user's")
	var reach []api.Token
	for _, token := range whole[0].Tokens {
		if token.HostUserID == "" || token.HostUserID == "1001" {
			reach = append(reach, token)
		}
	}
	assert.Equal(t, reach, one[0].Tokens)
	assert.Len(t, get("?institution=02688&user=1002").Institutions[0].Tokens, len(reach)-1, "avery's token is only for 1001")

	found := get("?text=ACC-1003").Institutions
	require.Len(t, found[0].Users, 1, "by an account, in any case")
	assert.Equal(t, "1003", found[0].Users[0].HostUserID)
	assert.Empty(t, found[0].Groups)
	assert.Len(t, get("?text=" + whole[0].Tokens[0].AccessToken).Institutions[0].Tokens, 1, "by its fingerprint")
	assert.Equal(t, whole[0].Groups[:1], get("?text=" + whole[0].Groups[0].GroupID).Institutions[0].Groups)
}

// With a limit, each list is at most so long, and the counts say how many rows match.
func TestLimitedState(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	get := func(query string) (state struct {
		Institutions []struct {
			Clients, Users, Tokens, Groups []json.RawMessage
			Counts                         counts
		}
	}) {
		t.Helper()
		require.NoError(t, json.Unmarshal([]byte(b.ControlSandbox(200, "GET /state"+query, "").Body), &state))
		return state
	}
	all := get("?limit=1000").Institutions[0]
	assert.Equal(t, counts{len(all.Clients), len(all.Users), len(all.Tokens), len(all.Groups), 0}, all.Counts)
	require.Greater(t, all.Counts.Groups, 2)

	assert.Contains(t, string(all.Tokens[0]), `"row":"grants/02688/demo-app/`)

	two := get("?limit=2").Institutions[0]
	assert.Equal(t, all.Users[:2], two.Users)
	assert.Equal(t, all.Tokens[:2], two.Tokens)
	assert.Equal(t, all.Groups[:2], two.Groups)
	assert.Equal(t, all.Counts, two.Counts)

	none := get("?limit=0")
	assert.Len(t, none.Institutions, 2)
	assert.Empty(t, none.Institutions[0].Users)
	assert.Equal(t, all.Counts, none.Institutions[0].Counts)
	assert.Equal(t, counts{Clients: 1, Users: 1}, get("?limit=0&institution=02688&text=acc-1004").Institutions[0].Counts)
	assert.NotContains(t, b.State(), `"counts"`)
	assert.NotContains(t, b.State(), `"row"`)
}
