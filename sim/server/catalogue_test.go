package server_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// catalogue tries the point of each scenario that is built in.
var catalogue = map[string]func(*testing.T, *bank){
	"base": func(t *testing.T, b *bank) {
		for operation, a := range allOperations {
			if operation != "tokens.revoke" { // there is no refresh token to revoke
				assert.Less(t, a.send(b).StatusCode, 300, operation)
			}
		}
	},
	"empty": func(t *testing.T, b *bank) {
		assert.Contains(t, listGroups.send(b).body, `"totalElements":0`)
		assert.Equal(t, 401, getDisclosures.send(b).StatusCode)
	},
	"retail": func(t *testing.T, b *bank) {
		assert.Contains(t, listGroups.send(b).body, `"totalElements":23`)
		for user, code := range map[string]string{"1002": "UXESTMT_88889", "1003": "UXESTMT_11013"} {
			assert.Contains(t, updateUser.at(allURL+user).send(b).body, code)
		}
	},
	"revoke-errors": func(t *testing.T, b *bank) {
		for _, status := range []int{400, 401, 500, 200, 200} {
			assert.Equal(t, status, revokeToken.send(b).StatusCode)
		}
	},
	"groups-errors": func(t *testing.T, b *bank) {
		for _, want := range []string{"400 2000", "400 2004", "401 2003", "500 2001"} {
			res := createGroup.send(b)
			assert.Equal(t, want[:3], fmt.Sprint(res.StatusCode))
			assert.Contains(t, res.body, `"code":"`+want[4:]+`"`)
			assert.False(t, b.last().Fault.Undocumented)
		}
		assert.Equal(t, 200, createGroup.send(b).StatusCode)
		for _, status := range []int{401, 500, 200} {
			assert.Equal(t, status, listGroups.send(b).StatusCode)
		}
	},
	"flaky": func(t *testing.T, b *bank) {
		failures := func() (which []int) {
			for n := range 200 {
				if listGroups.send(b).StatusCode == 500 {
					which = append(which, n)
				}
			}
			b.call(204, "POST "+defaultURL+"/reset", "")
			return which
		}
		first := failures()
		assert.InDelta(t, 40, len(first), 15)
		assert.Equal(t, first, failures(), "the same on every run")
	},
	"slow": func(t *testing.T, b *bank) {
		// Drawn past HTTP, which would take its time.
		var under, over int
		for range 10_000 {
			delay := b.sandbox.Faults().Decide(&fault.Query{Operation: "groups.list"}).Delay(fault.Before)
			if delay < 400*time.Millisecond {
				under++
			}
			if delay > 2500*time.Millisecond {
				over++
			}
		}
		assert.InDelta(t, 5000, under, 150)
		assert.InDelta(t, 110, over, 40)
	},
	"outage": func(t *testing.T, b *bank) {
		assert.Equal(t, 200, listGroups.send(b).StatusCode)
		b.advance(time.Minute)
		for operation, a := range allOperations {
			res := a.send(b)
			assert.Equal(t, 503, res.StatusCode, operation)
			assert.Equal(t, "60", res.Header.Get("Retry-After"))
			assert.True(t, b.last().Fault.Undocumented)
		}
		b.advance(5 * time.Minute)
		assert.Equal(t, 200, listGroups.send(b).StatusCode)
	},
	"lost-answers": func(t *testing.T, b *bank) {
		for operation, a := range allOperations {
			if operation == "groups.list" || operation == "estatements.getDisclosures" {
				continue
			}
			// As an app without retries of its own: net/http tries some methods again.
			b.client.CloseIdleConnections()
			_, err := a.try(b)
			require.ErrorIs(t, err, io.EOF, operation)
			assert.Equal(t, "accepted", b.last().Decision.Outcome, operation)
		}
		assert.Equal(t, 400, createGroup.send(b).StatusCode, "the group is there")
		assert.Equal(t, 200, revokeToken.send(b).StatusCode)
		assert.Equal(t, 401, getDisclosures.with("authorization", "Bearer demo-token-2").send(b).StatusCode, "the grant was revoked")
	},
	"rate-limited": func(t *testing.T, b *bank) {
		for operation, want := range map[string]int{"tokens.issue": 500, "tokens.revoke": 500, "groups.list": 429, "estatements.getDisclosures": 429, "alerts.createPreference": 429} {
			for n := range 6 {
				res := allOperations[operation].send(b)
				if n != 4 {
					assert.Less(t, res.StatusCode, 300, "%s, request %d", operation, n+1)
					continue
				}
				assert.Equal(t, want, res.StatusCode, operation)
				assert.Equal(t, want == 429, b.last().Fault.Undocumented)
				if want == 429 {
					assert.Equal(t, "1", res.Header.Get("Retry-After"))
				} else {
					assert.Contains(t, res.body, "CMN_9000")
				}
			}
		}
	},
	"crowd": func(t *testing.T, b *bank) {
		assert.Contains(t, listGroups.send(b).body, `"totalElements":500`)
		var inactive int
		for u := range b.sandbox.Now().World.Users("02688") {
			if !u.Active {
				inactive++
			}
		}
		assert.Equal(t, 500, inactive)
		assert.Less(t, getDisclosures.send(b).StatusCode, 300)
		login := decode[issued](t, issueTokens.send(b))
		assert.NotEmpty(t, login.AccessToken)
	},
	"strict": func(t *testing.T, b *bank) {
		assert.Contains(t, getDisclosures.send(b).body, "UXESTMT_10008", "c-1 is no UUID")
		assert.Equal(t, 401, listGroups.send(b).StatusCode)
		mine := createGroup.with("authorization", "Bearer demo-token")
		assert.Equal(t, 201, mine.send(b).StatusCode)
		assert.Equal(t, 400, mine.saying(`{"groupName":"Other"}`).send(b).StatusCode, "the transactionId was used")
		assert.Equal(t, 204, revokeToken.send(b).StatusCode)
		assert.Equal(t, 400, revokeToken.send(b).StatusCode)
		assert.Contains(t, createAlert.send(b).body, "PRMVAL_10012")
	},
	"expired-sessions": func(t *testing.T, b *bank) {
		tokens := decode[issued](t, issueTokens.send(b))
		mine := getDisclosures.with("authorization", "Bearer "+tokens.AccessToken)
		assert.Equal(t, 200, mine.send(b).StatusCode)
		b.advance(5 * time.Minute)
		assert.Contains(t, mine.send(b).body, "UXESTMT_10004")
		assert.Contains(t, getDisclosures.send(b).body, "UXESTMT_10004", "demo-token has expired too")
		refresh := issueTokens.saying(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens.RefreshToken))
		assert.Equal(t, 200, refresh.send(b).StatusCode)
		b.advance(30 * time.Minute)
		assert.Equal(t, 400, issueTokens.saying(`{"grant_type":"refresh_token","refresh_token":"demo-refresh"}`).send(b).StatusCode)
	},
}

func TestCatalogue(t *testing.T) {
	for _, name := range scenario.Names() {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, catalogue, name)
			b := startBank(t, "extends: "+name+"\nclock: {run: false}\n")
			catalogue[name](t, b)
			for _, x := range b.sandbox.Now().Journal.Page(journal.Query{}).Exchanges {
				assert.NotContains(t, x.Decision.Rule, "internal")
			}
		})
	}
}
