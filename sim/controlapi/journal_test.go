package controlapi_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// smallJournals returns a bank whose journal holds a number of exchanges.
func smallJournals(t *testing.T, entries int) *simtest.Bank {
	t.Helper()
	return simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{
		Scenario: simtest.Scenario(t, simtest.FrozenRetail),
		Entries:  entries,
	})})
}

// page returns a page of the journal, and the ids of its exchanges, joined.
func page(t *testing.T, b *simtest.Bank, query string) (journal.Page, string) {
	t.Helper()
	p := simtest.Decode[journal.Page](t, b.ControlSandbox(200, "GET /journal"+query, ""))
	var ids []string
	for _, x := range p.Exchanges {
		ids = append(ids, x.ID)
	}
	return p, strings.Join(ids, " ")
}

func TestJournalPages(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range []simtest.Call{simtest.ListGroups, simtest.CreateGroup, simtest.CreateGroup, simtest.GetDisclosures, simtest.ListGroups} {
		op.Send(b)
	}
	for query, want := range map[string]struct{ ids, next string }{
		"":                               {"1 2 3 4 5", ""},
		"?operation=groups.list":         {"1 5", ""},
		"?operation=groups.*":            {"1 2 3 5", ""},
		"?operation=alerts.*":            {"", ""},
		"?status=404":                    {"", ""},
		"?operation=groups.*&status=200": {"1 2 5", ""},
		"?limit=2":                       {"4 5", ""},
		"?after=0&limit=2":               {"1 2", "2"},
		"?after=2&limit=2":               {"3 4", "4"},
		"?after=4&limit=2":               {"5", ""},
		"?after=5":                       {"", ""},
		"?after=1&operation=groups.list": {"5", ""},
	} {
		got, ids := page(t, b, query)
		assert.Equal(t, want.ids, ids, query)
		assert.Equal(t, want.next, got.Next, query)
		assert.Zero(t, got.Evicted)
	}
	b.ControlSandbox(400, "GET /journal?operation=groups%2Elist&after=", "")
	one := b.ControlSandbox(200, "GET /journal/2", "")
	x := simtest.Decode[journal.Exchange](t, one)
	assert.Equal(t, "groups.create", x.Operation)
	assert.Contains(t, get(b, "/journal"), one.Body)

	b.ControlSandbox(204, "DELETE /journal", "")
	assert.Equal(t, `{"exchanges":[],"evicted":0,"cleared":5,"next":""}`, get(b, "/journal"))
	b.ControlSandbox(404, "GET /journal/2", "")
	simtest.ListGroups.Send(b)
	_, ids := page(t, b, "")
	assert.Equal(t, "6", ids, "ids go on")
}

func TestJournalCountsWhatWasEvicted(t *testing.T) {
	t.Parallel()
	b := smallJournals(t, 3)
	for range 5 {
		simtest.ListGroups.Send(b)
	}
	got, ids := page(t, b, "")
	assert.Equal(t, "3 4 5", ids)
	assert.Equal(t, uint64(2), got.Evicted)
	b.ControlSandbox(404, "GET /journal/2", "")

	p := decodeProblem(t, b.ControlSandbox(409, "POST /journal/verify", `{"operation":"groups.list","exactly":3}`))
	assert.Contains(t, p.Detail, "2 were evicted")
	assert.True(t, simtest.Decode[journal.Verdict](t, b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.list","atLeast":3}`)).Verified,
		"a verdict that they can't change is given")
}

func TestVerify(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.CreateGroup.Send(b)
	simtest.CreateGroup.WithBody(`{"groupName":"Early birds"}`).Send(b)
	for body, want := range map[string]struct {
		verified bool
		matched  int
	}{
		`{"operation":"groups.create"}`:                      {true, 2},
		`{"operation":"groups.create","exactly":2}`:          {true, 2},
		`{"operation":"groups.create","exactly":1}`:          {false, 2},
		`{"body":{"groupName":"Early birds"},"exactly":1}`:   {true, 1},
		`{"body":{"groupName":"Late birds"},"atMost":0}`:     {true, 0},
		`{"header":{"transactionId":"t-1"},"atLeast":2}`:     {true, 2},
		`{"method":"DELETE"}`:                                {false, 0},
		`{"path":"` + simtest.GroupsPath + `","status":200}`: {true, 2},
	} {
		verdict := simtest.Decode[journal.Verdict](t, b.ControlSandbox(200, "POST /journal/verify", body))
		assert.Equal(t, want.verified, verdict.Verified, body)
		assert.Equal(t, want.matched, verdict.Matched, body)
	}
	miss := b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.create","body":{"groupName":"Late birds"}}`).Body
	assert.Contains(t, miss, `{"verified":false,"matched":0,"matches":[],"nearMisses":[{"id":"2","operation":"groups.create",`+
		`"differences":[{"field":"body.groupName","want":"Late birds","got":"Early birds"}]}`)
}

// The HAR document has what HAR 1.2 demands of it.
func TestHAR(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.CreateGroup.Send(b)
	simtest.GetDisclosures.Send(b)
	simtest.IssueTokens.Send(b)
	res := b.ControlSandbox(200, "GET /journal.har", "")
	assert.Equal(t, `attachment; filename="`+b.Sandbox.Name()+`.har"`, res.Header.Get("Content-Disposition"))
	assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	var har struct {
		Log struct {
			Version string            `json:"version"`
			Creator map[string]string `json:"creator"`
			Entries []map[string]any  `json:"entries"`
		} `json:"log"`
	}
	require.NoError(t, json.Unmarshal([]byte(res.Body), &har))
	assert.Equal(t, "1.2", har.Log.Version)
	assert.Equal(t, map[string]string{"name": "banksim", "version": "test"}, har.Log.Creator)
	require.Len(t, har.Log.Entries, 3)
	for _, entry := range har.Log.Entries {
		assertHas(t, entry, "startedDateTime", "time", "request", "response", "cache", "timings")
		_, err := time.Parse(time.RFC3339Nano, entry["startedDateTime"].(string))
		assert.NoError(t, err)
		request, response := entry["request"].(map[string]any), entry["response"].(map[string]any)
		assertHas(t, request, "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize")
		assertHas(t, response, "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize")
		assertHas(t, response["content"].(map[string]any), "size", "mimeType")
		assertHas(t, entry["timings"].(map[string]any), "send", "wait", "receive")
		u, err := url.Parse(request["url"].(string))
		require.NoError(t, err)
		assert.Equal(t, b.Server.ServiceURL(), "http://"+u.Host)
		for _, h := range append(request["headers"].([]any), response["headers"].([]any)...) {
			assertHas(t, h.(map[string]any), "name", "value")
		}
	}
	for _, secret := range []string{"demo-token", simtest.BasicDemo, `"demo"`} {
		assert.NotContains(t, res.Body, secret)
	}
}

func assertHas(t *testing.T, object map[string]any, members ...string) {
	t.Helper()
	for _, m := range members {
		assert.Contains(t, object, m)
	}
}

// A filter or an expectation that nothing can match is refused, so that a check for nothing doesn't pass by a slip.
func TestJournalFiltersThatNothingMatches(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for query, want := range map[string]string{
		"?operation=groups.lst":              `unknown operation "groups.lst": did you mean "groups.list"?`,
		"?operation=groups.list&status=418":  "status is 418, which groups.list never answers with",
		"?operation=group.*&after=0&limit=1": `did you mean "groups.*"?`,
	} {
		assert.Contains(t, decodeProblem(t, b.ControlSandbox(400, "GET /journal"+query, "")).Detail, want, query)
	}
	for body, want := range map[string]string{
		`{"operation":"groups.lst","atMost":0}`:                             `did you mean "groups.list"?`,
		`{"operation":"groups.list","status":418,"exactly":0}`:              "status is 418",
		`{"header":{"transacionId":"~"},"exactly":0}`:                       `did you mean "transactionId"?`,
		`{"operation":"groups.create","body":{"groupNmae":"x"},"atMost":0}`: `did you mean "groupName"?`,
	} {
		assert.Contains(t, decodeProblem(t, b.ControlSandbox(400, "POST /journal/verify", body)).Detail, want, body)
	}
	b.ControlSandbox(201, "POST /faults", `{"operation":"groups.list","when":{"after":1},"then":{"status":418,"body":""}}`)
	b.ControlSandbox(204, "DELETE /faults", "")
	b.ControlSandbox(200, "GET /journal?operation=groups.list&status=418", "")
	b.ControlSandbox(200, "POST /journal/verify", `{"operation":"groups.list","status":418,"exactly":0}`)
	b.ControlSandbox(204, "POST /reset", "")
	b.ControlSandbox(400, "GET /journal?operation=groups.list&status=418", "")
	header := simtest.NewBank(t, "name: test\nextends: retail\nbehavior: {faultHeader: true}\n")
	header.ControlSandbox(200, "GET /journal?operation=groups.list&status=418", "")
}
