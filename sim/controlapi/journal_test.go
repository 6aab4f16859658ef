package controlapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
	for _, op := range []simtest.Call{simtest.ListGroups, simtest.CreateGroup, simtest.CreateGroup, simtest.GetDisclosures,
		simtest.ListGroups, simtest.ListGroups.At("/nowhere")} {
		op.Send(b)
	}
	for query, want := range map[string]struct{ ids, next string }{
		"":                               {"1 2 3 4 5 6", ""},
		"?operation=groups.list":         {"1 5", ""},
		"?operation=groups.*":            {"1 2 3 5", ""},
		"?operation=alerts.*":            {"", ""},
		"?operation=*":                   {"1 2 3 4 5 6", ""},
		"?status=404":                    {"6", ""},
		"?status=200":                    {"1 2 4 5", ""},
		"?status=500":                    {"", ""},
		"?operation=groups.*&status=200": {"1 2 5", ""},
		"?limit=2":                       {"5 6", ""},
		"?limit=2&operation=groups.*":    {"3 5", ""},
		"?limit=10":                      {"1 2 3 4 5 6", ""},
		"?after=0&limit=2":               {"1 2", "2"},
		"?after=1&limit=2&status=200":    {"2 4", "4"},
		"?after=2&limit=2":               {"3 4", "4"},
		"?after=4&limit=2":               {"5 6", ""},
		"?after=5&limit=2":               {"6", ""},
		"?after=6":                       {"", ""},
		"?after=9223372036854775808":     {"", ""},
		"?after=1&operation=groups.list": {"5", ""},
	} {
		got, ids := page(t, b, query)
		assert.Equal(t, want.ids, ids, query)
		assert.Equal(t, want.next, got.Next, query)
		assert.Zero(t, got.Evicted)
	}
	text := b.ControlSandbox(200, "GET /journal?limit=2&format=text", "")
	assert.Equal(t, "text/plain; charset=utf-8", text.Header.Get("Content-Type"))
	assert.Regexp(t, `(?s)^\(4 earlier exchanges are left out\)\n5  GET \S+ -> 200 OK\n\taccepted by groups\.list .*`+
		`\n6  GET /nowhere -> 404 Not Found\n\trefused by `, text.Body)
	b.ControlSandbox(400, "GET /journal?operation=groups%2Elist&after=", "")
	one := b.ControlSandbox(200, "GET /journal/2", "")
	x := simtest.Decode[journal.Exchange](t, one)
	assert.Equal(t, "groups.create", x.Operation)
	assert.Contains(t, get(b, "/journal"), one.Body)

	b.ControlSandbox(204, "DELETE /journal", "")
	assert.Equal(t, `{"exchanges":[],"evicted":0,"cleared":6,"next":""}`, get(b, "/journal"))
	assert.Equal(t, "no request since the journal was cleared of 6", get(b, "/journal?format=text"))
	b.ControlSandbox(404, "GET /journal/2", "")
	simtest.ListGroups.Send(b)
	_, ids := page(t, b, "")
	assert.Equal(t, "7", ids, "ids go on")
}
