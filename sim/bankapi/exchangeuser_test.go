package bankapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// An exchange has the user that its request names, or else the user of its access token.
func TestTheUserOfAnExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	status := simtest.Calls[contract.UsersGetStatus.Name]
	var issued struct {
		AccessToken string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(issueTokens.Send(b).Body), &issued))
	bound := issued.AccessToken
	for _, c := range []struct {
		name, user string
		call       simtest.Call
	}{
		{"query", "1002", getDisclosures.At(simtest.DisclosuresPath + "1002").WithToken(bound)},
		{"header", "1009", createAlert.With("userid", "1009")},
		{"path", "1001", status},
		{"token", "1001", listGroups.WithToken(bound)},
		{"unknown token", "", listGroups.WithToken("nope")},
		{"client", "", issueTokens},
		{"path of no operation", "1002", getDisclosures.At("/nowhere?hostUserId=1002")},
	} {
		assert.Equal(t, c.user, b.ExchangeOf(c.call.Send(b)).User, c.name)
	}
}
