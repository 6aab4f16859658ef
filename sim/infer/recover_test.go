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
		capture := walk(rt, sc)
		found, err := infer.Infer(t.Context(), capture, infer.Options{Name: "found"})
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
func walk(t *rapid.T, sc *scenario.Scenario) []byte {
	bank := infer.OpenBank(sc)
	defer bank.Close()
	var entries []any
	tokens, refreshes := []string{"the-token", "users-token"}, []string{"users-refresh"}
	groups, alerts := []string{"no-group"}, []string{"7"} // an app knows ids from answers
	one := func(of []string) string { return rapid.SampledFrom(of).Draw(t, "one") }
	const prefix = "/digitalbanking"
	type details struct {
		ID int `json:"alertPrefId"`
	}
	send := func(method, path, body string, headers ...string) {
		call := simtest.NewCall(method, path, body, append(headers,
			fmt.Sprintf("transactionId: 6f1f2d1e-3c1a-4a53-9d0c-%012d", len(entries)), "correlationid: c-1")...)
		r, err := http.NewRequest(method, "http://bank.test"+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header = call.Header
		status, answered := bank.Ask(sc.Start, r)
		var sent []any
		for name, values := range call.Header {
			sent = append(sent, map[string]string{"name": name, "value": values[0]})
		}
		entry := map[string]any{
			"startedDateTime": sc.Start,
			"request": map[string]any{
				"method": method, "url": r.URL.String(), "headers": sent,
				"postData": map[string]string{"mimeType": "application/json", "text": body},
			},
			"response": map[string]any{"status": status, "content": map[string]string{"text": string(answered)}},
		}
		entries = append(entries, entry)
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
		if json.Unmarshal(answered, &answer) != nil || status >= 300 {
			return
		}
		for _, g := range answer.Groups {
			groups = append(groups, g.ID)
		}
		for _, a := range answer.Alerts {
			alerts = append(alerts, fmt.Sprint(a.Details.ID))
		}
		if method == http.MethodPost {
			tokens, refreshes = append(tokens, answer.Access), append(refreshes, answer.Refresh)
			groups, alerts = append(groups, answer.Group), append(alerts, fmt.Sprint(answer.Details.ID))
		}
	}
	const content = "content-type: application/json"
	bearer := func() string { return "authorization: Bearer " + one(tokens) }
	const basic = "authorization: Basic dGhlLWFwcDp0aGUtc2VjcmV0" // the-app:the-secret
	account := func(user string) string { return "acc-" + user + "-" + one(accounts) }
	steps := []func(){
		func() {
			user := one(users)
			send("GET", prefix+"/ux-users/v1/e-statements/"+account(user)+"/disclosures?hostUserId="+user, "", bearer())
		},
		func() {
			user := one(users)
			body := fmt.Sprintf(`{"activateEstatement":%t,"accountId":%q}`, rapid.Bool().Draw(t, "on"), account(user))
			send("PUT", prefix+"/ux-users/v1/e-statements/preference?hostUserId="+user, body, bearer(), content)
		},
		func() {
			body := fmt.Sprintf(`{"activateEstatement":%t}`, rapid.Bool().Draw(t, "on"))
			send(
				"PUT", prefix+"/ux-users/v2/e-statements/user/preferences?hostUserId="+one(users), body, bearer(),
				content,
			)
		},
		func() { send("GET", prefix+"/groups/v3/groups?size="+one([]string{"2", "20"}), "") },
		func() { send("POST", prefix+"/groups/v3/groups", fmt.Sprintf(`{"groupName":%q}`, one(names)), content) },
		func() {
			send("PUT", prefix+"/groups/v3/groups/"+one(groups), fmt.Sprintf(`{"groupName":%q}`, one(renamed)), content)
		},
		func() { send("DELETE", prefix+"/groups/v3/groups/"+one(groups), "") },
		func() {
			send(
				"POST",
				prefix+"/db-alerts-preferences/v1/alert-preferences",
				`{"alertOpted":true,"alertPreferenceDetails":{"alertTypeName":"LOW_BALANCE","channelTypeName":"EMAIL"}}`,
				bearer(),
				content,
				"fiid: 02688",
				"userid: "+one(users),
			)
		},
		func() {
			send(
				"GET", prefix+"/db-alerts-preferences/v1/alert-preferences", "", bearer(), "fiid: 02688",
				"userid: "+one(users),
			)
		},
		func() {
			send(
				"DELETE", prefix+"/db-alerts-preferences/v1/alert-preferences/"+one(alerts), "", bearer(),
				"fiid: 02688", "userid: "+one(users),
			)
		},
		func() {
			user := one(users)
			send("POST", prefix+"/oauth2/v1/token",
				fmt.Sprintf(`{"grant_type":"password","username":"login-%s","password":"password-%s"}`, user, user),
				basic, "institutionId: 02688", content)
		},
		func() {
			send("POST", prefix+"/oauth2/v1/token",
				fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, one(refreshes)), basic,
				"institutionId: 02688", content)
		},
		func() {
			send("DELETE", prefix+"/oauth2/v1/revoke", fmt.Sprintf(`{"token":%q}`, one(tokens)), basic,
				"institutionId: 02688", content)
		},
		func() {
			send("GET", prefix+"/db-users/v1/user-status/"+one(users)+"?userIdType=HOST_USER_ID", "", bearer())
		},
		func() {
			send("GET", prefix+"/db-disclosures/v1/institution-user-disclosures?hostUserId="+one(users), "", bearer())
		},
	}
	for range rapid.IntRange(3, 25).Draw(t, "steps") {
		rapid.SampledFrom(steps).Draw(t, "step")()
	}
	capture, err := json.Marshal(map[string]any{"log": map[string]any{"entries": entries}})
	require.NoError(t, err)
	return capture
}
