package server_test

import (
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const journalURL = defaultURL + "/journal"

// smallJournals starts a simulator whose journals hold a number of exchanges.
func smallJournals(t *testing.T, entries int) *bank {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(frozenRetail))
	require.NoError(t, err)
	limits := journal.Limits{Entries: entries, Bytes: journal.DefaultLimits().Bytes}
	return serveBank(t, server.Config{
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc, Journal: limits}),
		Log:       slog.New(slog.DiscardHandler),
	})
}

// ids returns the ids of a page's exchanges, joined.
func ids(page journal.Page) string {
	var all []string
	for _, x := range page.Exchanges {
		all = append(all, x.ID)
	}
	return strings.Join(all, " ")
}

func TestJournalPages(t *testing.T) {
	b := startBank(t, frozenRetail)
	for _, op := range []attempt{listGroups, createGroup, createGroup, getDisclosures, listGroups} {
		op.send(b)
	}
	for query, want := range map[string]struct{ ids, next string }{
		"":                                {"1 2 3 4 5", ""},
		"?operation=groups.list":          {"1 5", ""},
		"?operation=groups.*":             {"1 2 3 5", ""},
		"?operation=nope":                 {"", ""},
		"?status=409":                     {"", ""},
		"?operation=groups.*&status=200":  {"1 2 5", ""},
		"?limit=2":                        {"4 5", ""},
		"?after=0&limit=2":                {"1 2", "2"},
		"?after=2&limit=2":                {"3 4", "4"},
		"?after=4&limit=2":                {"5", ""},
		"?after=5":                        {"", ""},
		"?after=1&operation=groups.list":  {"5", ""},
		"?operation=groups%2Elist&after=": {"400", ""},
	} {
		if want.ids == "400" {
			b.call(400, "GET "+journalURL+query, "")
			continue
		}
		page := decode[journal.Page](t, b.call(200, "GET "+journalURL+query, ""))
		assert.Equal(t, want.ids, ids(page), query)
		assert.Equal(t, want.next, page.Next, query)
		assert.Zero(t, page.Evicted)
	}
	one := b.call(200, "GET "+journalURL+"/2", "")
	x := decode[journal.Exchange](t, one)
	assert.Equal(t, "groups.create", x.Operation)
	assert.Contains(t, b.call(200, "GET "+journalURL, "").body, one.body)

	b.call(204, "DELETE "+journalURL, "")
	assert.Equal(t, `{"exchanges":[],"evicted":0,"next":""}`, b.call(200, "GET "+journalURL, "").body)
	b.call(404, "GET "+journalURL+"/2", "")
	listGroups.send(b)
	assert.Equal(t, "6", ids(decode[journal.Page](t, b.call(200, "GET "+journalURL, ""))), "ids go on")
}

func TestJournalCountsWhatWasEvicted(t *testing.T) {
	b := smallJournals(t, 3)
	for range 5 {
		listGroups.send(b)
	}
	page := decode[journal.Page](t, b.call(200, "GET "+journalURL, ""))
	assert.Equal(t, "3 4 5", ids(page))
	assert.Equal(t, uint64(2), page.Evicted)
	b.call(404, "GET "+journalURL+"/2", "")

	p := decode[problem](t, b.call(409, "POST "+journalURL+"/verify", `{"operation":"groups.list","exactly":3}`))
	assert.Contains(t, p.Detail, "2 were evicted")
	assert.True(t, decode[journal.Verdict](t, b.call(200, "POST "+journalURL+"/verify", `{"operation":"groups.list","atLeast":3}`)).Verified,
		"a verdict that they can't change is given")
}

func TestVerify(t *testing.T) {
	b := startBank(t, frozenRetail)
	createGroup.send(b)
	createGroup.saying(`{"groupName":"Early birds"}`).send(b)
	for body, want := range map[string]struct {
		verified bool
		matched  int
	}{
		`{"operation":"groups.create"}`:                            {true, 2},
		`{"operation":"groups.create","exactly":2}`:                {true, 2},
		`{"operation":"groups.create","exactly":1}`:                {false, 2},
		`{"body":{"groupName":"Early birds"},"exactly":1}`:         {true, 1},
		`{"body":{"groupName":"Late birds"},"atMost":0}`:           {true, 0},
		`{"header":{"transactionId":"t-1"},"atLeast":2}`:           {true, 2},
		`{"method":"DELETE"}`:                                      {false, 0},
		`{"path":"/digitalbanking/groups/v3/groups","status":200}`: {true, 2},
	} {
		verdict := decode[journal.Verdict](t, b.call(200, "POST "+journalURL+"/verify", body))
		assert.Equal(t, want.verified, verdict.Verified, body)
		assert.Equal(t, want.matched, verdict.Matched, body)
	}
	miss := b.call(200, "POST "+journalURL+"/verify", `{"operation":"groups.create","body":{"groupName":"Late birds"}}`).body
	assert.Contains(t, miss, `{"verified":false,"matched":0,"matches":[],"nearMisses":[{"id":"2","operation":"groups.create",`+
		`"differences":[{"field":"body.groupName","want":"Late birds","got":"Early birds"}]}`)
}

// The HAR document has what HAR 1.2 demands of it.
func TestHAR(t *testing.T) {
	b := startBank(t, frozenRetail)
	createGroup.send(b)
	getDisclosures.send(b)
	issueTokens.send(b)
	res := b.call(200, "GET "+defaultURL+"/journal.har", "")
	assert.Equal(t, `attachment; filename="default.har"`, res.Header.Get("Content-Disposition"))
	assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	var har struct {
		Log struct {
			Version string            `json:"version"`
			Creator map[string]string `json:"creator"`
			Entries []map[string]any  `json:"entries"`
		} `json:"log"`
	}
	require.NoError(t, json.Unmarshal([]byte(res.body), &har))
	assert.Equal(t, "1.2", har.Log.Version)
	assert.Equal(t, map[string]string{"name": "banksim", "version": "test"}, har.Log.Creator)
	require.Len(t, har.Log.Entries, 3)
	for _, entry := range har.Log.Entries {
		has(t, entry, "startedDateTime", "time", "request", "response", "cache", "timings")
		_, err := time.Parse(time.RFC3339Nano, entry["startedDateTime"].(string))
		assert.NoError(t, err)
		request, response := entry["request"].(map[string]any), entry["response"].(map[string]any)
		has(t, request, "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize")
		has(t, response, "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize")
		has(t, response["content"].(map[string]any), "size", "mimeType")
		has(t, entry["timings"].(map[string]any), "send", "wait", "receive")
		u, err := url.Parse(request["url"].(string))
		require.NoError(t, err)
		assert.Equal(t, b.server.ServiceURL(), "http://"+u.Host)
		for _, h := range append(request["headers"].([]any), response["headers"].([]any)...) {
			has(t, h.(map[string]any), "name", "value")
		}
	}
	for _, secret := range []string{"demo-token", basicDemo, `"demo"`} {
		assert.NotContains(t, res.body, secret)
	}
}

func has(t *testing.T, object map[string]any, members ...string) {
	t.Helper()
	for _, m := range members {
		assert.Contains(t, object, m)
	}
}
