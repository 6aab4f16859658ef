package controlapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// saved returns the state as a scenario, after it was compared with what it loads to.
func saved(t *testing.T, b *simtest.Bank) string {
	t.Helper()
	require.NoError(t, simtest.CheckSaved(b.Sandbox.Bank()))
	answer := b.ControlSandbox(200, "GET /state?format=scenario", "")
	assert.Equal(t, "application/yaml", answer.Header.Get("Content-Type"))
	return answer.Body + "\n"
}

// A state that is saved as a scenario is, put into another sandbox, the same state, and what comes next is the same.
func TestSavedStateIsPut(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	require.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
	require.Equal(t, 201, simtest.CreateAlert.Send(b).StatusCode)
	require.Equal(t, 204, simtest.UpdateUser.Send(b).StatusCode)
	b.ControlSandbox(200, "PATCH "+userPath, `{"active":false,"disclosureStatus":"NOT_ACCEPTED"}`)
	b.ControlSandbox(200, "POST /clock", `{"advance":"36h"}`)
	b.ControlSandbox(200, "PATCH "+accountPath, `{"disclosureStatus":"NOT_ACCEPTED"}`)
	source := saved(t, b)

	other := simtest.NewBank(t, simtest.FrozenRetail)
	other.ControlSandbox(200, "PUT /scenario", source)
	assert.Equal(t, b.State(), other.State())
	assert.Equal(t, b.ControlSandbox(200, "GET /clock", "").Body, other.ControlSandbox(200, "GET /clock", "").Body)
	assert.Equal(t, source, saved(t, other), "saved again, it is the same")
	for _, call := range []simtest.Call{
		simtest.CreateGroup.WithBody(`{"groupName":"One more"}`), simtest.CreateGroup, simtest.CreateAlert, simtest.ListGroups, simtest.UpdateUser, simtest.GetDisclosures,
	} {
		want, got := call.Send(b), call.Send(other)
		assert.Equal(t, want.StatusCode, got.StatusCode)
		assert.Equal(t, strings.ReplaceAll(want.Body, b.BaseURL(), ""), strings.ReplaceAll(got.Body, other.BaseURL(), ""))
	}
}

// Whatever texts callers give, what they made is saved.
func TestSavedTexts(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {alerts: {headers: optional, knownChannelsOnly: false}, groups: {duplicateName: allow, transactionIdReuse: reject, nameLimit: 500, descriptionLimit: 500}}\n")
	texts := []string{
		"true", "null", "~", "yes", "1001", "1e3", "0x1f", ".inf", "2026-01-15", "a: b", "a #b", "- a", "a,b", "{a}", "[a]", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`",
		" a", "a ", "a  b", "'", `"`, `\`, `\n`, "a\nb", "a\r\nb\n", "\t", "\u0000a", "\u007f", "\u0085", "\u00a0", "\u2028", "\ufeff", "\ufffe", "\U0001f600", "é", "…", "<<", "=", "?", ":", "a:", "# a", "---", "...",
		strings.Repeat("long ", 90) + "end",
	}
	for n, text := range texts {
		if strings.TrimSpace(text) != "" {
			group := simtest.JSON(map[string]string{"groupName": text, "groupDescription": text})
			res := simtest.CreateGroup.WithBody(group).With("transactionId", fmt.Sprintf("t %d: {#", n)).Send(b)
			require.Equal(t, 200, res.StatusCode, "%q: %s", text, res.Body)
		}
		alert := simtest.JSON(map[string]any{
			"alertPreferenceDetails":        map[string]string{"alertTypeName": text, "channelTypeName": text, "externalId": text, "institutionId": text, "institutionCustomerId": text},
			"alertPreferenceAccountDetails": map[string]string{"accountId": text, "cardNumber": "4111111111111111"},
			"additionalInfo":                map[string]any{text: text, "n": 1, "deep": map[string]any{"<<": []any{nil, true}}},
		})
		require.Equal(t, 201, simtest.CreateAlert.WithBody(alert).Send(b).StatusCode)
	}
	for _, body := range []string{`{}`, `{"alertPreferenceDetails":{}}`, `{"alertPreferenceAccountDetails":{}}`, `{"additionalInfo":{}}`,
		`{"alertPreferenceDetails":{"alertTypeName":""}}`, `{"alertOpted":false,"allowCallback":true,"defaultPreferences":false}`} {
		require.Equal(t, 201, simtest.CreateAlert.WithBody(body).Without("userid").Send(b).StatusCode)
	}
	source := saved(t, b)
	assert.NotContains(t, source, "4111111111111111")
	assert.Contains(t, source, "# the cardNumber of 3 came with a request: not kept\n")
	assert.NotContains(t, source, "tok_")
	assert.Contains(t, source, "alerts: {headers: optional, contradiction: accept, knownChannelsOnly: false}")
}

// Tokens that the scenario gave are kept with what became of them; others are named by their fingerprints.
func TestSavedTokens(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	b := simtest.NewBank(t, "extends: retail\nclock: {run: false}\nbehavior: {tokens: {accessTokenAlone: true}}\ninstitutions:\n- institutionId: '02688'\n  tokens:\n"+
		"  - {accessToken: alone, client: demo-app, refreshToken: alone-refresh}\n"+
		"  - {accessToken: whole, client: demo-app, refreshToken: whole-refresh}\n"+
		"  - {accessToken: short, client: demo-app, expiresIn: 1s}\n"+
		"  - {accessToken: renewed, client: demo-app, refreshToken: renewed-refresh}\n")
	for _, token := range []string{"alone", "whole-refresh"} {
		require.Equal(t, 200, simtest.RevokeTokens.WithBody(`{"token":"`+token+`"}`).Send(b).StatusCode)
	}
	issued := simtest.Decode[simtest.Tokens](t, simtest.IssueTokens.Send(b))
	refreshed := simtest.Decode[simtest.Tokens](t, simtest.IssueTokens.WithBody(`{"grant_type":"refresh_token","refresh_token":"renewed-refresh"}`).Send(b))
	b.Advance(1e9)
	source := saved(t, b)
	for _, line := range []string{
		`refreshToken: alone-refresh, expiresAt: "2026-01-16T09:00:00Z", refreshExpiresAt: "2026-07-14T09:00:00Z", accessTokenRevoked: true}`,
		`refreshToken: whole-refresh, expiresAt: "2026-01-16T09:00:00Z", refreshExpiresAt: "2026-07-14T09:00:00Z", revoked: true}`,
		`- {accessToken: short, client: demo-app, expiresAt: "2026-01-15T09:00:01Z"}`,
		`- {accessToken: renewed, client: demo-app, expiresAt: "2026-01-16T09:00:00Z"}`,
	} {
		assert.Contains(t, source, line)
	}
	assert.Regexp(t, `# tok_[0-9a-f]{12}, of demo-app for user 1001, expires 2026-01-16T09:00:00Z, issued meanwhile: not kept\n`, source)
	assert.Equal(t, 2, strings.Count(source, "issued meanwhile: not kept"))
	for _, secret := range []string{issued.AccessToken, issued.RefreshToken, refreshed.AccessToken, refreshed.RefreshToken, "renewed-refresh"} {
		assert.NotContains(t, source, secret)
	}

	other := simtest.NewBank(t, source)
	for token, status := range map[string]int{"alone": 401, "whole": 401, "short": 401, "renewed": 200, "demo-token": 200} {
		assert.Equal(t, status, simtest.GetDisclosures.With("authorization", "Bearer "+token).Send(other).StatusCode, token)
	}
	for token, status := range map[string]int{"alone-refresh": 200, "whole-refresh": 400} {
		body := `{"grant_type":"refresh_token","refresh_token":"` + token + `"}`
		assert.Equal(t, status, simtest.IssueTokens.WithBody(body).Send(b).StatusCode, token)
		assert.Equal(t, status, simtest.IssueTokens.WithBody(body).Send(other).StatusCode, token)
	}
}

// Fault rules are kept with windows that open and close as they would have, unless they hold what is hidden.
func TestSavedFaults(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"faults:\n"+
		"- {name: later, operation: groups.list, when: {during: {from: 2m, for: 1m}}, then: {status: 500}}\n"+
		"- {name: at-first, operation: groups.list, when: {during: {for: 90s}}, then: {status: 500}}\n"+
		"- {name: until, operation: groups.list, when: {during: {until: 1h30m}}, then: {delay: {p50: 1ms, p95: 2ms}}}\n"+
		"- {name: at, operation: alerts.*, when: {during: {from: 2026-01-15T10:00:00Z}}, then: {connection: {truncate: 0}}}\n"+
		"- {name: given, operation: alerts.*, when: {request: {header: {authorization: Bearer s3cret}}}, then: {status: 500}}\n")
	b.Advance(60e9)
	simtest.ListGroups.Send(b)
	b.ControlSandbox(201, "POST /faults", `{"name":"hidden","operation":"groups.create","when":{"request":{"header":{"x-key":"s4cret"}}},"then":{"status":500,"error":{"message":"it's # {down}"}}}`)
	b.ControlSandbox(201, "POST /faults", `{"name":"added","operation":["groups.create","alerts.*"],"when":{"first":2,"request":{"body":{"groupName":"~^x: .*#$"}}},"then":{"status":503,"body":"<a>\u0001","headers":{"Retry-After":"2"}}}`)
	source := saved(t, b)
	assert.Contains(t, source, "- {name: later, operation: groups.list, when: {during: {from: \"2026-01-15T09:02:00Z\", for: 1m0s}}, then: {status: 500}}\n")
	assert.Contains(t, source, "# at-first: matched 1, fired 1 so far; the counts begin again\n")
	assert.Contains(t, source, `{header: {authorization: Bearer s3cret}}`)
	assert.Contains(t, source, "x-key: s4cret")

	other := simtest.NewBank(t, source)
	rules := func(b *simtest.Bank) (all []string) {
		for _, c := range b.Sandbox.Faults().Counts() {
			if c.When.During == nil {
				all = append(all, simtest.JSON(c.Rule))
			}
		}
		return all
	}
	assert.Equal(t, rules(b), rules(other))
}

// A generated bank is saved as what generates it, with the users that have changed in place of the generated ones.
func TestSavedGenerated(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	b := simtest.NewBank(t, "name: many\nextends: crowd\nclock: {run: false}\ninstitutions:\n- institutionId: '02688'\n  generate: {groups: 20}\n")
	const users = "PATCH /institutions/02688/users/"
	b.ControlSandbox(200, users+"1000007", `{"active":false}`)
	b.ControlSandbox(200, users+"1005000/accounts/acc-1005000-savings", `{"activateEstatement":true}`)
	require.Equal(t, 201, simtest.CreateAlert.With("userid", "1009999").Send(b).StatusCode)
	b.Advance(3600e9)
	source := saved(t, b)
	assert.Contains(t, source, `    generate: {users: 10000, inactiveUsers: 0.05,`)
	assert.Equal(t, 4, strings.Count(source, "- hostUserId: "), "one that is written and three that have changed")
	assert.Less(t, len(source), 20_000)

	again := simtest.NewBank(t, source)
	assert.Equal(t, b.State(), again.State())
	assert.Equal(t, source, saved(t, again), "saved again, it is the same")
	sc, err := scenario.Parse("x.yaml", []byte("extends: crowd\ninstitutions:\n- institutionId: '02688'\n  users: [{hostUserId: '1000001', username: "+
		usernameOf(t, b, "1000002")+"}]\n"))
	require.NoError(t, err, "a username that would be generated for another one")
	other, _ := sc.World.User("02688", "1000002")
	assert.NotEqual(t, usernameOf(t, b, "1000002"), other.Username)
}

func usernameOf(t *testing.T, b *simtest.Bank, hostUserID string) string {
	t.Helper()
	u, ok := b.World().User("02688", hostUserID)
	require.True(t, ok)
	return u.Username
}

// What no scenario could hold is refused, and named.
func TestSavedTooLarge(t *testing.T) {
	t.Parallel()
	for what, generate := range map[string]string{"groups": "groups: 8000", "users": "users: 1, accountsPerUser: 100"} {
		yaml := "institutions:\n- institutionId: '1'\n  generate: {" + generate + "}\n"
		if what == "users" {
			var written strings.Builder
			for n := range 9000 {
				fmt.Fprintf(&written, "  - {hostUserId: u%d, disclosures: [{institutionDisclosureStatus: ACCEPTED}]}\n", n)
			}
			yaml = "institutions:\n- institutionId: '1'\n  users:\n" + written.String()
		}
		b := simtest.NewBank(t, yaml)
		problem := decodeProblem(t, b.ControlSandbox(409, "GET /state?format=scenario", ""))
		assert.Contains(t, problem.Detail, "the bank has too many rows for a scenario", what)
	}
}

// A snapshot of another scenario, restored, is saved as what it holds.
func TestSavedSnapshotOfAnotherScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, "name: a\nextends: retail\nclock: {run: false}\ninstitutions:\n- {institutionId: '02688', generate: {users: 5}}\n")
	b.ControlSandbox(201, "POST /snapshots", `{"name":"a"}`)
	b.ControlSandbox(200, "PUT /scenario", "name: b\nclock: {run: false}\ninstitutions:\n- {institutionId: '9', generate: {users: 3}}\n- {institutionId: '02688', generate: {users: 9}}\n")
	b.ControlSandbox(204, "POST /snapshots/a/restore", "")
	source := saved(t, b)
	assert.NotContains(t, source, "generate")
	assert.Contains(t, source, `hostUserId: "1000005"`)
}

func TestStateFormat(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, b.State(), b.ControlSandbox(200, "GET /state?format=json", "").Body)
	assert.Contains(t, decodeProblem(t, b.ControlSandbox(400, "GET /state?format="+url.QueryEscape("yaml"), "")).Detail, `format must be`)
}
