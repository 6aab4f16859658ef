package server_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatches(t *testing.T) {
	b := startBank(t, frozenRetail)
	const user, account = patchURL + "/users/1001", patchURL + "/users/1001/accounts/acc-1001-checking"
	b.call(200, "POST "+defaultURL+"/clock", `{"set":"2026-03-01T00:00:00Z"}`)

	assert.Equal(t, `{"institutionId":"02688","multistatement":false,"alertTypes":[]}`,
		b.call(200, "PATCH "+patchURL, `{"multistatement":false}`).body)
	assert.Contains(t, updateUser.send(b).body, "UXESTMT_11021")
	b.call(200, "PATCH "+patchURL, `{"multistatement":true}`)

	patched := b.call(200, "PATCH "+user, `{"active":false}`, "Content-Type: application/merge-patch+json").body
	assert.Contains(t, patched, `{"hostUserId":"1001","username":"avery","active":false,`)
	assert.Contains(t, b.state(), patched, "the answer is as in the state")
	assert.Contains(t, updateUser.send(b).body, "UXESTMT_88889")

	patched = b.call(200, "PATCH "+user, `{"active":true,"disclosureStatus":"NOT_ACCEPTED"}`).body
	assert.Contains(t, patched, `"active":true,"disclosures":[{"institutionDisclosureName":"OLS","institutionDisclosureStatus":"NOT_ACCEPTED","institutionUserDisclosureStatusUpdateDateTime":"2026-03-01T00:00:00Z"`)
	assert.Contains(t, updateUser.send(b).body, "UXESTMT_11013")
	b.call(200, "PATCH "+user, `{"disclosureStatus":"ACCEPTED"}`)
	assert.Equal(t, 204, updateUser.send(b).StatusCode)

	patched = b.call(200, "PATCH "+account, `{"activateEstatement":false,"disclosureStatus":"NOT_ACCEPTED"}`).body
	assert.Contains(t, patched, `{"accountId":"acc-1001-checking","activateEstatement":false,"disclosures":[{"institutionDisclosureName":"OLS","institutionDisclosureStatus":"NOT_ACCEPTED"`)
	assert.Contains(t, b.state(), patched)
	assert.Contains(t, updateAccount.send(b).body, "UXESTMT_11013")
	b.call(200, "PATCH "+account, `{"activateEstatement":true}`)
	assert.Contains(t, b.state(), `{"accountId":"acc-1001-checking","activateEstatement":true,"disclosures":[{"institutionDisclosureName":"OLS","institutionDisclosureStatus":"NOT_ACCEPTED"`,
		"no precondition applies, and what is not given stays")

	before := b.state()
	for _, url := range []string{patchURL, user, account} {
		b.call(200, "PATCH "+url, "{}")
	}
	assert.Equal(t, before, b.state(), "an empty patch changes nothing")
}

// Ids that need escapes in a path are found by them.
func TestEscapedIDs(t *testing.T) {
	b := startBank(t, `
extends: empty
institutions:
  - institutionId: "02688"
    users:
      - hostUserId: "a/b %"
        accounts: [{accountId: "x?y#é"}]
`)
	const user = patchURL + "/users/a%2Fb%20%25"
	assert.Contains(t, b.call(200, "PATCH "+user, `{"active":false}`).body, `"hostUserId":"a/b %","active":false`)
	assert.Contains(t, b.call(200, "PATCH "+user+"/accounts/x%3Fy%23%C3%A9", `{"activateEstatement":true}`).body, `"accountId":"x?y#é","activateEstatement":true`)
}

type minted struct {
	AccessToken string    `json:"accessToken"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Client      string    `json:"client"`
	HostUserID  string    `json:"hostUserId"`
}

func TestMintToken(t *testing.T) {
	b := startBank(t, frozenRetail)
	start := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		body string
		want minted
		user int // status for user 1003
	}{
		{`{"client":"demo-app"}`, minted{"", start.Add(24 * time.Hour), "demo-app", ""}, 200},
		{`{"client":"demo-app","hostUserId":"1001","expiresIn":"90m"}`, minted{"", start.Add(90 * time.Minute), "demo-app", "1001"}, 403},
	} {
		b.call(204, "POST "+defaultURL+"/reset", "")
		res := b.call(201, "POST "+tokensURL, test.body)
		assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
		got := decode[minted](t, res)
		require.NotEmpty(t, got.AccessToken)
		assert.NotContains(t, b.state(), got.AccessToken)
		ask := func(url string) int {
			return getDisclosures.with("authorization", "Bearer "+got.AccessToken).at(url).send(b).StatusCode
		}
		assert.Equal(t, 200, ask(checkingURL+"1001"))
		assert.Equal(t, test.user, ask("/digitalbanking/ux-users/v1/e-statements/acc-1003-checking/disclosures?hostUserId=1003"))
		b.call(200, "POST "+defaultURL+"/clock", fmt.Sprintf(`{"set":%q}`, test.want.ExpiresAt.Add(-time.Second).Format(time.RFC3339)))
		assert.Equal(t, 200, ask(checkingURL+"1001"))
		b.call(200, "POST "+defaultURL+"/clock", `{"advance":"1s"}`)
		assert.Equal(t, 401, ask(checkingURL+"1001"))
		test.want.AccessToken = got.AccessToken
		assert.Equal(t, test.want, got)
	}
}

func TestSnapshots(t *testing.T) {
	b := startBank(t, frozenRetail)
	assert.Equal(t, `{"snapshots":[]}`, b.call(200, "GET "+defaultURL+"/snapshots", "").body)
	createGroup.send(b)
	state, clock := b.state(), b.call(200, "GET "+defaultURL+"/clock", "").body
	taken := b.call(201, "POST "+defaultURL+"/snapshots", `{"name":"b"}`).body
	assert.Regexp(t, `^\{"name":"b","now":"2026-01-15T09:00:00Z","takenAt":"[^"]+Z"\}$`, taken)
	b.call(200, "POST "+defaultURL+"/clock", `{"advance":"1h"}`)
	other := createGroup.saying(`{"groupName":"Other"}`)
	drawn := other.send(b)
	b.call(201, "POST "+defaultURL+"/snapshots", `{"name":"a"}`)
	assert.Regexp(t, `^\{"snapshots":\[\{"name":"a","now":"2026-01-15T10:00:00Z",[^}]*\},\{"name":"b",[^}]*\}\]\}$`,
		b.call(200, "GET "+defaultURL+"/snapshots", "").body)

	b.call(204, "POST "+defaultURL+"/snapshots/b/restore", "")
	assert.Equal(t, state, b.state())
	assert.Equal(t, clock, b.call(200, "GET "+defaultURL+"/clock", "").body)
	b.call(200, "POST "+defaultURL+"/clock", `{"advance":"1h"}`)
	assert.Equal(t, drawn.body, other.send(b).body, "the random source went back, too")
	for range 2 { // a snapshot can be restored again
		b.call(204, "POST "+defaultURL+"/snapshots/b/restore", "")
		assert.Equal(t, state, b.state())
	}
	assert.NotContains(t, b.call(200, "GET "+defaultURL+"/journal", "").body, `"exchanges":[]`, "the journal goes on")
	b.call(204, "POST "+defaultURL+"/reset", "")
	b.call(204, "POST "+defaultURL+"/snapshots/b/restore", "")
	assert.Equal(t, state, b.state(), "a snapshot outlives a reset")
}

func TestSnapshotsAreLimited(t *testing.T) {
	b := startBank(t, frozenRetail)
	for i := range 100 {
		b.call(201, "POST "+defaultURL+"/snapshots", fmt.Sprintf(`{"name":"s%d"}`, i))
	}
	assert.Contains(t, decode[problem](t, b.call(429, "POST "+defaultURL+"/snapshots", `{"name":"more"}`)).Detail, "at most 100")
}

type diff struct {
	Since   string `json:"since"`
	Changes []struct {
		Row    string         `json:"row"`
		Before map[string]any `json:"before"`
		After  map[string]any `json:"after"`
	} `json:"changes"`
}

func TestDiff(t *testing.T) {
	b := startBank(t, frozenRetail)
	const unchanged = `{"since":"start","changes":[]}`
	assert.Equal(t, unchanged, b.call(200, "GET "+defaultURL+"/diff", "").body)
	assert.Equal(t, unchanged, b.call(200, "GET "+defaultURL+"/diff?since=start", "").body)
	b.call(200, "PATCH "+patchURL, `{"multistatement":false}`)
	b.call(200, "PATCH "+patchURL+"/users/1001", `{"active":false}`)
	b.call(200, "PATCH "+patchURL+"/users/1001/accounts/acc-1001-checking", `{"activateEstatement":true}`)
	b.call(201, "POST "+defaultURL+"/snapshots", `{"name":"s"}`)
	revokeToken.send(b)
	createGroup.send(b)
	createAlert.send(b)

	rows := func(d diff) (rows []string) {
		for _, c := range d.Changes {
			rows = append(rows, c.Row)
		}
		return rows
	}
	since := decode[diff](t, b.call(200, "GET "+defaultURL+"/diff?since=s", ""))
	assert.Equal(t, "s", since.Since)
	require.Len(t, since.Changes, 3, rows(since))
	grant, group, alert := since.Changes[0], since.Changes[1], since.Changes[2]
	assert.Regexp(t, "^grants/02688/demo-app/", grant.Row)
	assert.Equal(t, []any{false, true}, []any{grant.Before["revoked"], grant.After["revoked"]})
	assert.Regexp(t, "^tok_", grant.After["accessToken"])
	assert.Nil(t, group.Before)
	assert.Equal(t, "Night owls", group.After["groupName"])
	assert.Equal(t, "alertPreferences/02688/1001/3", alert.Row)
	assert.Equal(t, true, alert.After["alertOpted"])

	whole := decode[diff](t, b.call(200, "GET "+defaultURL+"/diff", ""))
	require.Len(t, whole.Changes, 6, rows(whole))
	assert.Equal(t, []string{"institutions/02688", "users/02688/1001", "accounts/02688/1001/acc-1001-checking"}, rows(whole)[:3])
	assert.Equal(t, []any{true, false}, []any{whole.Changes[0].Before["multistatement"], whole.Changes[0].After["multistatement"]})
	assert.NotContains(t, whole.Changes[1].After, "accounts", "an account is a row of its own")
	assert.Equal(t, true, whole.Changes[2].After["activateEstatement"])

	text := b.call(200, "GET "+defaultURL+"/diff", "").body
	for _, secret := range []string{"demo-token", "demo-refresh", "demo-secret", `"demo"`} {
		assert.NotContains(t, text, secret)
	}
	b.call(204, "POST "+defaultURL+"/snapshots/s/restore", "")
	assert.Equal(t, `{"since":"s","changes":[]}`, b.call(200, "GET "+defaultURL+"/diff?since=s", "").body)

	b.call(200, "PUT "+defaultURL+"/scenario", "extends: retail\ninstitutions:\n  - institutionId: \"02688\"\n    clients: [{sharedKey: demo-app, secretKey: other}]\n")
	secrets := decode[diff](t, b.call(200, "GET "+defaultURL+"/diff?since=s", ""))
	require.NotEmpty(t, secrets.Changes)
	for _, c := range secrets.Changes {
		if c.Row == "clients/02688/demo-app" {
			assert.NotEqual(t, c.Before["secretKey"], c.After["secretKey"])
			assert.Regexp(t, "^tok_", c.After["secretKey"])
			return
		}
	}
	assert.Fail(t, "a secret that differs is not in the diff", "%v", rows(secrets))
}
