package server_test

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// exchangeOf returns the journal's entry of an answer.
func exchangeOf(t *testing.T, b *bank, res answer) journal.Exchange {
	t.Helper()
	x, ok := b.sandbox.Now().Journal.Get(res.Header.Get("Banksim-Exchange"))
	require.True(t, ok, "the answer names no exchange: %v", res.Header)
	return x
}

// Every answer leads to its exchange, which says what was asked, what was answered and why.
func TestAnswersLeadToTheirExchange(t *testing.T) {
	b := startBank(t, frozenRetail)
	tests := map[string]struct {
		attempt
		want journal.Decision
	}{
		"accepted": {getDisclosures, journal.Decision{Outcome: "accepted", Rule: "estatements.getDisclosures", Basis: "document",
			Entries: []string{"estatements.disclosures.answer", "estatements.bearer", "everywhere.request-id", "everywhere.json",
				"estatements.disclosures.status-values", "estatements.disclosures.timestamp"}}},
		"by a rule on a row": {updateUser.at(allURL + "1002"), journal.Decision{Outcome: "refused", Rule: "user-not-active", Row: "users/02688/1002",
			Message: `user "1002" is not active`, Basis: "published",
			Entries: []string{"estatements.update.inactive-user", "estatements.error-body"}}},
		"by a rule on an account": {updateAccount.at(eachURL + "1004").saying(`{"activateEstatement":true,"accountId":"acc-1004-savings"}`),
			journal.Decision{Outcome: "refused", Rule: "disclosure-not-accepted", Row: "accounts/02688/1004/acc-1004-savings",
				Message: `the disclosure of account "acc-1004-savings" is not in status ACCEPTED`, Basis: "published",
				Entries: []string{"estatements.update.not-accepted", "estatements.error-body"}}},
		"by its form": {createGroup.saying("{"), journal.Decision{Outcome: "refused", Rule: "body-malformed",
			Message: "the body is not valid JSON: it is empty or ends early", Basis: "published",
			Entries: []string{"groups.create.body", "groups.error-body"}}},
		"by choice": {listGroups.at(groupsURL + "?sort=x"), journal.Decision{Outcome: "refused", Rule: "sort-property-unknown",
			Message: `a group has no property "x" to sort by`, Basis: "choice",
			Entries: []string{"groups.list.unknown-sort", "groups.error-body"}}},
		"no path": {listGroups.at("/nope"), journal.Decision{Outcome: "refused", Rule: "path-unknown", Basis: "convention",
			Message: "the interface has no path /nope; the nearest operation is tokens.issue: POST /digitalbanking/oauth2/v1/token",
			Entries: []string{"everywhere.unknown-path", "groups.error-body"}}},
		"no method": {attempt{"PATCH", groupsURL, "", listGroups.headers}, journal.Decision{Outcome: "refused", Rule: "method-not-allowed",
			Message: "this path takes GET, POST", Basis: "convention",
			Entries: []string{"everywhere.unknown-method", "groups.error-body"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			res := test.send(b)
			x := exchangeOf(t, b, res)
			assert.Equal(t, test.want, x.Decision)
			assert.Equal(t, res.StatusCode, x.Response.Status)
			assert.Equal(t, res.body, x.Response.Body)
			for header := range x.Response.Headers {
				assert.Equal(t, res.Header.Values(header), x.Response.Headers[header], header)
			}
			assert.Contains(t, x.Response.Headers, "Content-Length")
			assert.Equal(t, test.method, x.Request.Method)
			assert.Equal(t, b.server.ServiceURL()+test.path, x.Request.URL)
		})
	}
}

func TestExchangeHeaderCanBeLeftOut(t *testing.T) {
	b := startBank(t, frozenRetail+"behavior: {headers: {exchange: false}}\n")
	res := listGroups.send(b)
	assert.NotContains(t, res.Header, "Banksim-Exchange")
	_, ok := b.sandbox.Now().Journal.Get("1")
	assert.True(t, ok, "it is in the journal all the same")
}

func TestLints(t *testing.T) {
	plain := listGroups.with("transactionId", "t-0")
	for code, odd := range map[string]attempt{
		"accept-without-json":    plain.with("accept", "text/html, application/xml;q=0.9"),
		"bearer-case":            getDisclosures.with("authorization", "bearer demo-token"),
		"bare-token":             createAlert.with("authorization", "demo-token"),
		"delete-without-body":    revokeToken.saying(""),
		"form-body":              revokeToken.saying("token=x").with("content-type", "application/x-www-form-urlencoded"),
		"unknown-parameter":      plain.at(groupsURL + "?limit=5"),
		"page-parameter-ignored": plain.at(groupsURL + "?size=5000"),
		"group-id-ignored":       createGroup.saying(`{"groupName":"A","groupId":"mine"}`),
		"alert-pref-id-ignored":  createAlert.saying(`{"alertPreferenceDetails":{"alertPrefId":7}}`),
	} {
		t.Run(code, func(t *testing.T) {
			b := startBank(t, frozenRetail)
			x := exchangeOf(t, b, odd.send(b))
			require.Len(t, x.Lints, 1)
			assert.Equal(t, code, x.Lints[0].Code)
			assert.NotEmpty(t, x.Lints[0].Message)
		})
	}
	b := startBank(t, frozenRetail)
	assert.Empty(t, exchangeOf(t, b, plain.send(b)).Lints)
	again := exchangeOf(t, b, plain.send(b))
	require.Len(t, again.Lints, 1)
	assert.Equal(t, "request-id-reused", again.Lints[0].Code)
}

// Behind a proxy that is trusted, links are on the base URL that the caller used to the proxy; what another sender
// says of itself is not believed.
func TestForwardedBaseURL(t *testing.T) {
	const plainLink = `"href":"%/digitalbanking/groups/v3/groups?`
	sc, err := scenario.Load("retail")
	require.NoError(t, err)
	wary, trusting := startBank(t, frozenRetail), serveBank(t, server.Config{
		Sandboxes:      sandbox.NewRegistry(sandbox.Config{Scenario: sc}),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Log:            slog.New(slog.DiscardHandler),
	})
	forwarded := listGroups.with("X-Forwarded-Proto", "https").with("X-Forwarded-Host", "bank.example, inner:80").with("X-Forwarded-Prefix", "/sim/")

	assert.Contains(t, forwarded.send(trusting).body, strings.Replace(plainLink, "%", "https://bank.example/sim", 1))
	assert.Contains(t, forwarded.at("/sandboxes/default"+groupsURL).send(trusting).body, strings.Replace(plainLink, "%", "https://bank.example/sim/sandboxes/default", 1))
	assert.Contains(t, forwarded.send(wary).body, strings.Replace(plainLink, "%", wary.server.ServiceURL(), 1))
	for header, value := range map[string]string{"X-Forwarded-Proto": "javascript", "X-Forwarded-Host": "evil/path?", "X-Forwarded-Prefix": "no-slash"} {
		assert.Contains(t, listGroups.with(header, value).send(trusting).body, strings.Replace(plainLink, "%", trusting.server.ServiceURL(), 1), header)
	}
}
