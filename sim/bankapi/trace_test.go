package bankapi_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Every answer names its exchange, which has the request, the answer and the decision.
func TestAnswersLeadToTheirExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for name, test := range map[string]struct {
		simtest.Call
		want journal.Decision // but for its entries
	}{
		"accepted": {getDisclosures, journal.Decision{Outcome: "accepted", Rule: "estatements.getDisclosures", Basis: "document"}},
		"by a rule on a row": {updateUser.At(simtest.UpdateUserPath + "1002"),
			journal.Decision{Outcome: "refused", Rule: "user-not-active", Row: "users/02688/1002", Message: `user "1002" is not active`,
				Basis: "published"}},
		"by choice": {listGroups.At(simtest.GroupsPath + "?sort=x"), journal.Decision{Outcome: "refused", Rule: "sort-property-unknown",
			Message: `a group has no property "x" to sort by`, Basis: "choice"}},
		"no path": {listGroups.At("/digitalbanking//groups"),
			journal.Decision{Outcome: "refused", Rule: "path-unknown", Basis: "convention",
				Message: "/digitalbanking//groups is not simulated: add a fault with method: GET, path: /digitalbanking//groups and the " +
					"answer to have it answered by a stub"}},
	} {
		t.Run(name, func(t *testing.T) {
			res := test.Send(b)
			x := b.ExchangeOf(res)
			test.want.Entries = x.Decision.Entries // which golden exchanges show
			assert.Equal(t, test.want, x.Decision)
			assert.Equal(t, res.StatusCode, x.Response.Status)
			assert.Equal(t, res.Body, x.Response.Body)
			for header := range x.Response.Headers {
				assert.Equal(t, res.Header.Values(header), x.Response.Headers[header], header)
			}
			assert.Contains(t, x.Response.Headers, "Content-Length")
			assert.Equal(t, test.Method, x.Request.Method)
			assert.Equal(t, b.BaseURL()+test.Path, x.Request.URL)
		})
	}
}

// A developer can read a request that went wrong, and find it by any of its words.
func TestARequestCanBeRead(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	listGroups.At("/v1/accounts/77?view=short").With("traceparent", "00-4bf92f3577b34da6-01").With("trasactionId", "t-77").Send(b)
	x := b.Last()
	assert.Equal(t, []string{"00-4bf92f3577b34da6-01"}, x.Request.Headers["Traceparent"])
	assert.Equal(t, []string{"t-77"}, x.Request.Headers["Trasactionid"])
	for _, word := range []string{"accounts", "77", "view", "short", "traceparent", "4bf92f3577b34da6", "trasactionid", "t-77"} {
		assert.Len(t, b.Exchanges(journal.Query{Text: word}), 1, word)
	}
	assert.Contains(t, log.String(), "path=/v1/accounts/77")
	assert.Contains(t, log.String(), "traceparent=00-4bf92f3577b34da6-01\n")
	listGroups.At("/x%0alevel=ERROR").Send(b)
	assert.Contains(t, log.String(), `path="/x%0Alevel=ERROR"`, "no line can be forged")

	createGroup.WithBody("{\"groupName\": \"Night owls\",\n \"password\": \"hush, hush\",\n \"note\": 1,}").Send(b)
	assert.Equal(t, "{\"groupName\": \"Night owls\",\n \"password\": \""+redact.Fingerprint("hush, hush\",")+"\n \"note\": 1,}",
		b.Last().Request.Body)
}

func TestExchangeHeaderCanBeLeftOut(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {headers: {exchange: false}}\n")
	res := listGroups.Send(b)
	assert.NotContains(t, res.Header, "Banksim-Exchange")
	assert.Equal(t, "1", b.Last().ID, "it is in the journal all the same")
}

func TestLints(t *testing.T) {
	t.Parallel()
	plain := listGroups.With("transactionId", "t-0")
	for code, odd := range map[string]simtest.Call{
		"unreadable-parameter":    plain.At(simtest.GroupsPath + "?sort=100%"),
		"bearer-case":             getDisclosures.With("authorization", "bearer demo-token"),
		"bare-token":              createAlert.With("authorization", "demo-token"),
		"delete-without-body":     revokeTokens.WithBody(""),
		"form-body":               revokeTokens.WithBody("token=x").With("content-type", "application/x-www-form-urlencoded"),
		"unknown-parameter":       plain.At(simtest.GroupsPath + "?limit=5"),
		"page-parameter-ignored":  plain.At(simtest.GroupsPath + "?size=0"),
		"page-size-capped":        plain.At(simtest.GroupsPath + "?size=5000"),
		"page-parameter-repeated": plain.At(simtest.GroupsPath + "?page=0&page=1"),
		"sort-by-member":          plain.At(simtest.GroupsPath + "?sort=noOfParticipants"),
		"pageable-parameter": plain.At("/v3/groups?pageable[size]=5").WithToken("demo-token").
			With("transactionId", aUUID),
		"accept-not-json":       plain.With("accept", "application/xml;q=0.9, application/json;q=0"),
		"repeated-header":       plain.Adding("transactionId", "t-1"),
		"login-id-ignored":      getDisclosures.At(simtest.DisclosuresPath + "1001&loginId=avery"),
		"alert-contradiction":   createAlert.WithBody(`{"alertPreferenceDetails":{"institutionCustomerId":"1004"}}`),
		"group-id-ignored":      createGroup.WithBody(`{"groupName":"A","groupId":"mine"}`),
		"alert-pref-id-ignored": createAlert.WithBody(`{"alertPreferenceDetails":{"alertPrefId":7}}`),
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			x := b.ExchangeOf(odd.Send(b))
			require.Len(t, x.Lints, 1)
			assert.Equal(t, code, x.Lints[0].Code)
			assert.NotEmpty(t, x.Lints[0].Message)
		})
	}
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Empty(t, b.ExchangeOf(plain.Send(b)).Lints)
	again := b.ExchangeOf(plain.Send(b))
	require.Len(t, again.Lints, 1)
	assert.Equal(t, "request-id-reused", again.Lints[0].Code)
}
