package bankapi_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// catalogue has a test of the purpose of each built-in scenario.
var catalogue = map[string]func(*testing.T, *simtest.Bank){
	"base": func(t *testing.T, b *simtest.Bank) {
		for operation, a := range simtest.Calls {
			named := strings.Contains(a.Path, simtest.RetailGroup) || strings.Contains(a.Path, simtest.RetailJob) ||
				operation == contract.GroupsDelete.Name ||
				strings.HasPrefix(a.Path, simtest.AlertsPath+"/") || operation == contract.DisclosuresUpdateUser.Name || operation == contract.DisclosuresDeleteUser.Name
			if operation != "tokens.revoke" && !named { // there is no refresh token to revoke, no group, no job, no alert preference and no such disclosure
				assert.Less(t, a.Send(b).StatusCode, 300, operation)
			}
		}
	},
	"empty": func(t *testing.T, b *simtest.Bank) {
		assert.Contains(t, listGroups.Send(b).Body, `"totalElements":0`)
		assert.Equal(t, 401, getDisclosures.Send(b).StatusCode)
	},
	"retail": func(t *testing.T, b *simtest.Bank) {
		assert.Contains(t, listGroups.Send(b).Body, `"totalElements":23`)
		for user, code := range map[string]string{"1002": "UXESTMT_88889", "1003": "UXESTMT_11013"} {
			assert.Contains(t, updateUser.At(simtest.UpdateUserPath+user).Send(b).Body, code)
		}
	},
	"revoke-errors": func(t *testing.T, b *simtest.Bank) {
		for _, status := range []int{400, 401, 500, 200, 200} {
			assert.Equal(t, status, revokeTokens.Send(b).StatusCode)
		}
	},
	"groups-errors": func(t *testing.T, b *simtest.Bank) {
		for _, want := range []string{"400 2000", "400 2004", "401 2003", "500 2001"} {
			res := createGroup.Send(b)
			assert.Equal(t, want[:3], fmt.Sprint(res.StatusCode))
			assert.Contains(t, res.Body, `"code":"`+want[4:]+`"`)
			assert.False(t, b.Last().Fault.Undocumented)
		}
		assert.Equal(t, 200, createGroup.Send(b).StatusCode)
		for _, status := range []int{401, 500, 200} {
			assert.Equal(t, status, listGroups.Send(b).StatusCode)
		}
	},
	"flaky": func(t *testing.T, b *simtest.Bank) {
		failures := func() (which []int) {
			for n := range 200 {
				if listGroups.Send(b).StatusCode == 500 {
					which = append(which, n)
				}
			}
			b.ControlSandbox(204, "POST /reset", "")
			return which
		}
		first := failures()
		assert.InDelta(t, 40, len(first), 15)
		assert.Equal(t, first, failures(), "the same on every run")
	},
	"slow": func(t *testing.T, b *simtest.Bank) {
		// Drawn without HTTP, because 10,000 such requests would take more than an hour.
		var under, over int
		for range 10_000 {
			delay := b.Sandbox.Faults().Decide(&fault.Query{Operation: "groups.list"}).Delay(fault.Before)
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
	"outage": func(t *testing.T, b *simtest.Bank) {
		assert.Equal(t, 200, listGroups.Send(b).StatusCode)
		b.Advance(time.Minute)
		for operation, a := range simtest.Calls {
			res := a.Send(b)
			assert.Equal(t, 503, res.StatusCode, operation)
			assert.Equal(t, "60", res.Header.Get("Retry-After"))
			own := strings.HasPrefix(operation, "estatements.")
			assert.Equal(t, map[bool]string{true: "UXESTMT_30003", false: "SERVICE_UNAVAILABLE"}[own], res.Code(), operation)
			assert.Equal(t, !own, b.Last().Fault.Undocumented, operation)
		}
		b.Advance(5 * time.Minute)
		assert.Equal(t, 200, listGroups.Send(b).StatusCode)
	},
	"lost-answers": func(t *testing.T, b *simtest.Bank) {
		for operation, a := range simtest.Calls {
			if op, _ := contract.Find(operation); !op.Changes {
				continue
			}
			// On a new connection: net/http retries some methods on a used one.
			b.Client.CloseIdleConnections()
			_, err := a.Try(b)
			require.ErrorIs(t, err, io.EOF, operation)
			assert.Equal(t, "accepted", b.Last().Decision.Outcome, operation)
		}
		assert.Equal(t, 400, createGroup.Send(b).StatusCode, "the group is there")
		assert.Equal(t, 200, revokeTokens.Send(b).StatusCode)
		assert.Equal(t, 401, getDisclosures.WithToken("demo-token-2").Send(b).StatusCode, "the grant was revoked")
	},
	"rate-limited": func(t *testing.T, b *simtest.Bank) {
		for _, operation := range []string{"tokens.issue", "groups.list", "estatements.getDisclosures", "alerts.createPreference"} {
			for n := 1; n <= 15; n++ {
				res := simtest.Calls[operation].Send(b)
				if n%5 != 0 {
					assert.Less(t, res.StatusCode, 300, "%s, request %d", operation, n)
					continue
				}
				code := map[int]string{5: "CMN_90002", 10: "CMN_90001", 15: "CMN_90002"}[n]
				assert.Equal(t, 500, res.StatusCode, "%s, request %d", operation, n)
				assert.Equal(t, code, res.Code(), "%s, request %d", operation, n)
				assert.Empty(t, res.Header.Values("Retry-After"))
				assert.False(t, b.Last().Fault.Undocumented)
			}
		}
		for range 4 { // a family is limited, not an operation: 16 to 19
			assert.Equal(t, 200, listGroups.Send(b).StatusCode)
		}
		assert.Equal(t, "CMN_90001", createGroup.Send(b).Code())
	},
	"crowd": func(t *testing.T, b *simtest.Bank) {
		assert.Contains(t, listGroups.Send(b).Body, `"totalElements":500`)
		var inactive int
		for u := range b.Sandbox.Now().World.Users("02688") {
			if !u.Active {
				inactive++
			}
		}
		assert.Equal(t, 500, inactive)
		assert.Less(t, getDisclosures.Send(b).StatusCode, 300)
		login := simtest.Decode[simtest.Tokens](t, issueTokens.Send(b))
		assert.NotEmpty(t, login.AccessToken)
	},
	"strict": func(t *testing.T, b *simtest.Bank) {
		assert.Contains(t, getDisclosures.Send(b).Body, "UXESTMT_10008", "c-1 is no UUID")
		assert.Equal(t, 401, listGroups.Send(b).StatusCode)
		mine := createGroup.WithToken("demo-token")
		assert.Equal(t, 201, mine.Send(b).StatusCode)
		assert.Equal(t, 400, mine.WithBody(`{"groupName":"Other"}`).Send(b).StatusCode, "the transactionId was used")
		assert.Equal(t, 204, revokeTokens.Send(b).StatusCode)
		assert.Equal(t, 400, revokeTokens.Send(b).StatusCode)
		assert.Contains(t, createAlert.Send(b).Body, "PRMVAL_10012")
	},
	"expired-sessions": func(t *testing.T, b *simtest.Bank) {
		tokens := simtest.Decode[simtest.Tokens](t, issueTokens.Send(b))
		mine := getDisclosures.WithToken(tokens.AccessToken)
		assert.Equal(t, 200, mine.Send(b).StatusCode)
		b.Advance(5 * time.Minute)
		assert.Contains(t, mine.Send(b).Body, "UXESTMT_10004")
		assert.Contains(t, getDisclosures.Send(b).Body, "UXESTMT_10004", "demo-token has expired too")
		refresh := issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens.RefreshToken))
		assert.Equal(t, 200, refresh.Send(b).StatusCode)
		b.Advance(30 * time.Minute)
		assert.Equal(t, 400, issueTokens.WithBody(`{"grant_type":"refresh_token","refresh_token":"demo-refresh"}`).Send(b).StatusCode)
	},
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	for _, name := range scenario.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, catalogue, name)
			b := simtest.NewBank(t, "extends: "+name+"\nclock: {run: false}\n")
			catalogue[name](t, b)
			for _, x := range b.Sandbox.Now().Journal.Page(journal.Query{}).Exchanges {
				assert.NotContains(t, x.Decision.Rule, "internal")
			}
		})
	}
}
