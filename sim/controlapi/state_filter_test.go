package controlapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

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
