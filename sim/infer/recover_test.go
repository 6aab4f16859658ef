package infer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// A bank with random rows that answers a random journey is found from the capture of it: every answer is the same, and
// the bank that is found has no more rows.
func TestBanksAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		yaml := drawBank(rt)
		sc, err := scenario.Parse("random.yaml", []byte(yaml))
		require.NoError(rt, err, yaml)
		found, err := infer.Infer(t.Context(), archive(walk(rt, sc)), infer.Options{Name: "found"})
		require.NoError(rt, err)
		if !assert.Empty(rt, found.Unexplained) {
			rt.Fatalf("%s\n%s\n%v", yaml, found.YAML, found.Unexplained)
		}
		_, err = scenario.Parse("found.yaml", []byte(found.YAML))
		require.NoError(rt, err)
		assert.LessOrEqual(rt, found.Rows, strings.Count(yaml, "row"), "%s\n%s", yaml, []byte(found.YAML))
	})
}

var (
	users    = []string{"1001", "1002", "1003", "1004"}
	accounts = []string{"checking", "savings"}
	names    = []string{"Night owls", "Early birds", "Coastal savers", "Students", "night owls"}
	renamed  = []string{"Anglers", "Sailors", "Zoologists"}
	statuses = []string{"ACCEPTED", "NOT_ACCEPTED"}
)

// drawBank returns a scenario. Each of its rows is marked with "row".
func drawBank(t *rapid.T) string {
	draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	out := &strings.Builder{}
	line := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	disclosures := func(indent string) {
		if n := draw(3); n < 2 {
			line(
				"%sdisclosures: [{institutionDisclosureName: OLS, institutionDisclosureStatus: %s}] # row", indent,
				statuses[n],
			)
		}
	}
	line("name: random\nseed: 7\nclock: {run: false}\ninstitutions:\n  - institutionId: \"02688\" # row")
	line("    multistatement: %t", draw(4) > 0)
	line("    clients: [{sharedKey: the-app, secretKey: the-secret}] # row")
	line("    tokens:\n      - {accessToken: the-token, client: the-app} # row")
	there := users[:1+draw(3)]
	if draw(2) == 0 {
		line("      - {accessToken: users-token, client: the-app, hostUserId: %q} # row", there[0])
		line(
			"      - {accessToken: lost-token, client: the-app, hostUserId: %q, refreshToken: users-refresh} # row",
			there[0],
		)
	}
	line("    users:")
	for _, user := range there {
		line("      - hostUserId: %q # row\n        active: %t", user, draw(4) > 0)
		line("        username: login-%s\n        password: password-%s", user, user)
		disclosures("        ")
		if n := draw(3); n > 0 {
			line("        accounts:")
			for _, account := range accounts[:n] {
				line(
					"          - accountId: acc-%s-%s # row\n            activateEstatement: %t", user, account,
					draw(2) > 0,
				)
				disclosures("            ")
			}
		}
		if n := draw(3); n > 0 {
			line("        alertPreferences:")
			for i := range n {
				line(
					"          - alertPreferenceDetails: {alertPrefId: %d, alertTypeName: LOW_BALANCE, channelTypeName: SMS} # row",
					100*(1+i)+int(user[3]),
				)
				line("            alertOpted: %t", draw(2) > 0)
			}
		}
	}
	if n := draw(len(names)); n > 0 {
		line("    groups:")
		for i, name := range names[:n] {
			line(
				"      - {groupName: %s, groupId: 00000000-0000-4000-8000-00000000000%d, groupParticipantCount: %d} # row",
				name, i, draw(500),
			)
		}
	}
	return out.String()
}

// walk sends a random journey to a bank, and returns what was said.
func walk(t *rapid.T, sc *scenario.Scenario) (all []said) {
	bank := infer.OpenBank(sc)
	defer bank.Close()
	tokens, refreshes := []string{"the-token", "users-token"}, []string{"users-refresh"}
	groups, alerts := []string{"no-group"}, []string{"7"} // an app knows ids from answers
	type details struct {
		ID int `json:"alertPrefId"`
	}
	send := func(call simtest.Call) {
		heard := ask(t, bank, call.With("transactionId", fmt.Sprintf("6f1f2d1e-3c1a-4a53-9d0c-%012d", len(all))))
		all = append(all, heard)
		var answer struct {
			Access  string  `json:"access_token"`
			Refresh string  `json:"refresh_token"`
			Group   string  `json:"groupId"`
			Details details `json:"alertPreferenceDetails"`
			Groups  []struct {
				ID string `json:"groupId"`
			} `json:"content"`
			Alerts []struct {
				Details details `json:"alertPreferenceDetails"`
			} `json:"alertPreferences"`
		}
		if json.Unmarshal([]byte(heard.answer), &answer) != nil || heard.status >= 300 {
			return
		}
		for _, g := range answer.Groups {
			groups = append(groups, g.ID)
		}
		for _, a := range answer.Alerts {
			alerts = append(alerts, fmt.Sprint(a.Details.ID))
		}
		if call.Method == http.MethodPost {
			tokens, refreshes = append(tokens, answer.Access), append(refreshes, answer.Refresh)
			groups, alerts = append(groups, answer.Group), append(alerts, fmt.Sprint(answer.Details.ID))
		}
	}
	one := func(of []string) string { return rapid.SampledFrom(of).Draw(t, "one") }
	on := func() bool { return rapid.Bool().Draw(t, "on") }
	account := func(user string) string { return "acc-" + user + "-" + one(accounts) }
	bearer := func(c simtest.Call) simtest.Call { return c.WithToken(one(tokens)) }
	basic := func(c simtest.Call, body string, args ...any) simtest.Call {
		c = c.With("authorization", "Basic dGhlLWFwcDp0aGUtc2VjcmV0") // the-app:the-secret
		return c.With("content-type", "application/json").WithBody(fmt.Sprintf(body, args...))
	}
	const statements, group = "/digitalbanking/ux-users/v1/e-statements/", `{"groupName":%q}`
	steps := []func() simtest.Call{
		func() simtest.Call {
			user := one(users)
			return bearer(simtest.GetDisclosures.At(statements + account(user) + "/disclosures?hostUserId=" + user))
		},
		func() simtest.Call {
			user := one(users)
			body := fmt.Sprintf(`{"activateEstatement":%t,"accountId":%q}`, on(), account(user))
			return bearer(simtest.UpdateAccount.At(statements + "preference?hostUserId=" + user).WithBody(body))
		},
		func() simtest.Call {
			body := fmt.Sprintf(`{"activateEstatement":%t}`, on())
			return bearer(simtest.UpdateUser.At(simtest.UpdateUserPath + one(users)).WithBody(body))
		},
		func() simtest.Call { return simtest.ListGroups.WithQuery("size=" + one([]string{"2", "20"})) },
		func() simtest.Call { return simtest.CreateGroup.WithBody(fmt.Sprintf(group, one(names))) },
		func() simtest.Call {
			update := simtest.Calls["groups.update"].At(simtest.GroupsPath + "/" + one(groups))
			return update.WithBody(fmt.Sprintf(group, one(renamed)))
		},
		func() simtest.Call { return simtest.DeleteGroup.At(simtest.GroupsPath + "/" + one(groups)) },
		func() simtest.Call {
			const body = `{"alertOpted":true,` +
				`"alertPreferenceDetails":{"alertTypeName":"LOW_BALANCE","channelTypeName":"EMAIL"}}`
			return bearer(simtest.CreateAlert.With("userid", one(users)).WithBody(body))
		},
		func() simtest.Call { return bearer(simtest.Calls["alerts.listPreferences"].With("userid", one(users))) },
		func() simtest.Call {
			path := "/digitalbanking/db-alerts-preferences/v1/alert-preferences/" + one(alerts)
			return bearer(simtest.Calls["alerts.deletePreference"].At(path).With("userid", one(users)))
		},
		func() simtest.Call {
			const password = `{"grant_type":"password","username":"login-%s","password":"password-%[1]s"}`
			return basic(simtest.IssueTokens, password, one(users))
		},
		func() simtest.Call {
			return basic(simtest.IssueTokens, `{"grant_type":"refresh_token","refresh_token":%q}`, one(refreshes))
		},
		func() simtest.Call { return basic(simtest.RevokeTokens, `{"token":%q}`, one(tokens)) },
		func() simtest.Call {
			const path = "/digitalbanking/db-users/v1/user-status/%s?userIdType=HOST_USER_ID"
			return bearer(simtest.Calls["users.getStatus"].At(fmt.Sprintf(path, one(users))))
		},
		func() simtest.Call {
			const path = "/digitalbanking/db-disclosures/v1/institution-user-disclosures?hostUserId="
			return bearer(simtest.Calls["disclosures.listUser"].At(path + one(users)))
		},
	}
	for range rapid.IntRange(3, 25).Draw(t, "steps") {
		send(rapid.SampledFrom(steps).Draw(t, "step")())
	}
	return all
}
