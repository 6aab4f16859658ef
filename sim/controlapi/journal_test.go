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

func TestJournalPages(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range []simtest.Call{simtest.ListGroups, simtest.CreateGroup, simtest.CreateGroup,
		simtest.GetDisclosures,
		simtest.ListGroups, simtest.ListGroups.At("/nowhere")} {
		op.Send(b)
	}
	for query, want := range map[string]string{
		"":                                 "1 2 3 4 5 6 then ",
		"?q=operation:groups.list":         "1 5 then ",
		"?q=operation:groups.*":            "1 2 3 5 then ",
		"?q=status:404":                    "6 then ",
		"?q=status:200":                    "1 2 4 5 then ",
		"?limit=2":                         "5 6 then ",
		"?limit=2&q=operation:groups.*":    "3 5 then ",
		"?after=0&limit=2":                 "1 2 then 2",
		"?after=1&limit=2&q=status:200":    "2 4 then 4",
		"?after=2&limit=2":                 "3 4 then 4",
		"?after=4&limit=2":                 "5 6 then ",
		"?after=6":                         " then ",
		"?after=1&q=operation:groups.list": "5 then ",
	} {
		got := simtest.Decode[journal.Page](t, b.ControlSandbox(200, "GET /journal"+query, ""))
		var ids []string
		for _, x := range got.Exchanges {
			ids = append(ids, x.ID)
		}
		assert.Equal(t, want, strings.Join(ids, " ")+" then "+got.Next, query)
	}
	text := b.ControlSandbox(200, "GET /journal?limit=2&format=text", "")
	assert.Equal(t, "text/plain; charset=utf-8", text.Header.Get("Content-Type"))
	assert.Regexp(t, `(?s)^\(not shown: 4 earlier exchanges\)\n5  GET \S+ -> 200 OK\n\taccepted by groups\.list .*`+
		`\n6  GET /nowhere -> 404 Not Found\n\trefused by `, text.Body)
	one := b.ControlSandbox(200, "GET /journal/2", "")
	x := simtest.Decode[journal.Exchange](t, one)
	assert.Equal(t, "groups.create", x.Operation)
	assert.Contains(t, get(b, "/journal"), one.Body)

	b.ControlSandbox(204, "DELETE /journal", "")
	assert.Equal(t, `{"exchanges":[],"evicted":0,"cleared":6,"next":""}`, get(b, "/journal"))
	assert.Equal(t, "no request since the journal was cleared of 6", get(b, "/journal?format=text"))
	b.ControlSandbox(404, "GET /journal/2", "")
	simtest.ListGroups.Send(b)
	assert.Contains(t, get(b, "/journal/7"), `"groups.list"`, "ids go on")
}

// The text of the journal counts what it doesn't show: earlier matches, and what was evicted or cleared.
func TestJournalTextCountsWhatItLacks(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{
		Scenario: simtest.Scenario(t, simtest.FrozenRetail), Entries: 6,
	})})
	shown := func(query string, want ...string) {
		var lines []string
		for line := range strings.Lines(get(b, "/journal?format=text"+query)) {
			if id, _, isExchange := strings.Cut(line, "  "); isExchange {
				line = id
			}
			if !strings.HasPrefix(line, "\t") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		assert.Equal(t, want, lines, query)
	}
	shown("", "no request")
	shown("&q=status:404", "no request matches")
	for range 3 {
		simtest.ListGroups.Send(b)
		simtest.CreateGroup.Send(b)
	}
	shown("&q=operation:groups.list", "1", "3", "5")
	shown("&q=operation:groups.list&limit=1", "(not shown: 2 earlier matching exchanges)", "5")
	shown("&q=operation:groups.list&limit=1&after=1", "3", "(more exchanges match: go on with after=3)")
	shown("&q=operation:tokens.issue", "no request matches")
	b.ControlSandbox(204, "DELETE /journal", "")
	shown("", "no request since the journal was cleared of 6")
	for range 8 {
		simtest.ListGroups.Send(b)
	}
	shown("&limit=5", "(not shown: 1 earlier exchange, 2 evicted exchanges, 6 cleared exchanges)",
		"10", "11", "12", "13", "14")
	shown("&q=status:404", "(not shown: 2 evicted exchanges, 6 cleared exchanges)", "no request matches")
}
