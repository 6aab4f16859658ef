package bankapi_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Every answer names its exchange, which has the request, the answer and the decision.
func TestAnswersLeadToTheirExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	call := updateUser.At(simtest.UpdateUserPath + "1002")
	res := call.Send(b)
	x := b.ExchangeOf(res)
	assert.Equal(
		t,
		journal.Decision{Outcome: "refused", Rule: "user-not-active", Row: "users/02688/1002", Basis: "published",
			Message: `user "1002" is not active`, Entries: x.Decision.Entries},
		x.Decision,
	)
	assert.Equal(t, []any{res.StatusCode, res.Body}, []any{x.Response.Status, x.Response.Body})
	headers := x.Response.Headers.Values()
	for header, values := range headers {
		assert.Equal(t, res.Header.Values(header), values, header)
	}
	assert.Contains(t, headers, "Content-Length")
	assert.Equal(t, []string{call.Method, b.BaseURL() + call.Path}, []string{x.Request.Method, x.Request.URL})
}

// A developer can read a request that went wrong, and find it by any of its words.
func TestARequestCanBeRead(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	listGroups.At("/v1/accounts/77?view=short").With("traceparent", "00-4bf92f3577b34da6-01").With("trasactionId",
		"t-77").Send(b)
	for _, word := range []string{"accounts", "view", "traceparent", "4bf92f3577b34da6", "t-77"} {
		assert.Len(t, b.Search(word), 1, word)
	}
	assert.Contains(t, log.String(), "traceparent=00-4bf92f3577b34da6-01\n")
	listGroups.At("/x%0alevel=ERROR").Send(b)
	assert.Contains(t, log.String(), `path="/x%0Alevel=ERROR"`, "no line can be forged")

	createGroup.WithBody("{\"password\": \"hush, hush\",\n \"note\": 1,}").Send(b)
	assert.Equal(t, "{\"password\": \""+redact.Fingerprint("hush, hush\",")+"\n \"note\": 1,}", b.Last().Request.Body)
}

func TestExchangeHeaderCanBeLeftOut(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {headers: {exchange: false}}\n")
	assert.NotContains(t, listGroups.Send(b).Header, "Banksim-Exchange")
	assert.Equal(t, "1", b.Last().ID, "it is in the journal all the same")
}

func TestLints(t *testing.T) {
	t.Parallel()
	plain := listGroups.With("transactionId", "t-0")
	for code, odd := range map[string]simtest.Call{
		"unreadable-parameter":    plain.WithQuery("sort=100%"),
		"bearer-case":             getDisclosures.With("authorization", "bearer demo-token"),
		"bare-token":              createAlert.With("authorization", "demo-token"),
		"delete-without-body":     revokeTokens.WithBody(""),
		"form-body":               revokeTokens.WithForm("token=x"),
		"unknown-parameter":       plain.WithQuery("transactionid=5&transactionid=5"), // though a header has the name
		"page-parameter-ignored":  plain.WithQuery("size=0"),
		"page-size-capped":        plain.WithQuery("size=5000"),
		"page-parameter-repeated": plain.WithQuery("page=0&page=1"),
		"sort-by-member":          plain.WithQuery("sort=noOfParticipants"),
		"pageable-parameter":      publicly(contract.GroupsList, "").WithQuery("pageable[size]=5"),
		"accept-not-json":         plain.With("accept", "application/xml;q=0.9, application/json;q=0"),
		"repeated-header":         plain.Adding("transactionId", "t-1"),
		"login-id-ignored":        getDisclosures.WithQuery("loginId=avery"),
		"alert-contradiction":     createAlert.WithBody(`{"alertPreferenceDetails":{"institutionCustomerId":"1004"}}`),
		"group-id-ignored":        createGroup.WithBody(`{"groupName":"A","groupId":"mine"}`),
		"cors-off":                preflight(createGroup, page),
		"alert-pref-id-ignored":   createAlert.WithBody(`{"alertPreferenceDetails":{"alertPrefId":7}}`),
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		require.Equal(t, []string{code}, lints(b.ExchangeOf(odd.Send(b))))
		assert.NotEmpty(t, b.Last().Lints[0].Message)
	}
	b := simtest.NewBank(t, simtest.FrozenRetail)
	silent := plain.With("Origin", page).Send(b)
	assert.Empty(t, cors(silent), "without behavior.cors nothing is said about other origins")
	assert.Empty(t, lints(b.ExchangeOf(silent)))
	assert.Equal(t, []string{"request-id-reused"}, lints(b.ExchangeOf(plain.Send(b))))
}

// An exchange has the user that its request names, or else the user of its access token.
func TestTheUserOfAnExchange(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, c := range []struct {
		call simtest.Call
		user string
	}{
		{getDisclosures.At(simtest.DisclosuresPath + "1002").WithToken("avery-token"), "1002"},
		{createAlert.With("userid", "1009"), "1009"},
		{simtest.Calls[contract.UsersGetStatus.Name], "1001"},
		{listGroups.WithToken("avery-token"), "1001"},
		{listGroups.WithToken("nope"), ""},
		{getDisclosures.At("/nowhere?hostUserId=1002"), "1002"},
	} {
		assert.Equal(t, c.user, b.ExchangeOf(c.call.Send(b)).User, c.call)
	}
}
