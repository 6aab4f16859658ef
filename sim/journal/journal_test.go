package journal_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// raw is an exchange before it is redacted.
type raw struct {
	Sandbox, Operation, Dialect, User string
	At, RealAt                        time.Time
	Took                              time.Duration
	Method, BaseURL, Path, RawQuery   string
	RequestHeader                     http.Header
	RequestBody                       []byte
	RequestBodyBytes                  int
	Status                            int
	ResponseHeader                    [][2]string
	ResponseBody                      []byte
	Decision                          journal.Decision
	Changed                           bool
	Step                              journal.Step
	Fault                             *journal.Fault
	Lints                             []journal.Lint
}

// record returns the exchange as a journal takes it.
func (r raw) record() journal.Record {
	x := &journal.Exchange{Sandbox: r.Sandbox, Operation: r.Operation, Dialect: r.Dialect, User: r.User, At: r.At,
		RealAt: r.RealAt, TookMicros: r.Took.Microseconds(), Decision: r.Decision, Changed: r.Changed, Fault: r.Fault,
		Lints: slices.Clone(r.Lints)}
	x.Request, x.Response = journal.Messages{
		Request: &http.Request{Method: r.Method, ProtoMajor: 1, Header: r.RequestHeader}, BaseURL: r.BaseURL,
		Path: r.Path, RawQuery: r.RawQuery, Body: r.RequestBody, BodyBytes: r.RequestBodyBytes,
		Status: r.Status, Header: r.ResponseHeader, Answer: r.ResponseBody,
	}.Redacted(r.Operation, r.Operation == "" || r.Fault != nil)
	return journal.Record{Exchange: x, Step: r.Step}
}

// list is a request for the groups, with a body of the answer that is so long.
func list(answer int) raw {
	return raw{
		Sandbox:       "default",
		Operation:     "groups.list",
		At:            time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC),
		RealAt:        time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC),
		Took:          1500*time.Microsecond + 7,
		Method:        http.MethodGet,
		BaseURL:       "http://127.0.0.1:8080",
		Path:          "/digitalbanking/groups/v3/groups",
		RequestHeader: http.Header{"Accept": {"application/json"}},
		Status:        http.StatusOK,
		ResponseBody:  []byte(strings.Repeat("g", answer)),
		Decision: journal.Decision{Outcome: journal.Accepted, Rule: "groups.list", Basis: "document",
			Entries: []string{"groups.list.answer"}},
	}
}

func identified(header, id string) raw {
	raw := list(0)
	raw.RequestHeader = http.Header{header: {id}}
	return raw
}

// pageOf returns the exchanges that match a query.
func pageOf(j *journal.Journal, q journal.Query) journal.Page {
	found := j.Select(q)
	return journal.Page{
		Exchanges: slices.Collect(found.Exchanges()),
		Evicted:   found.Evicted,
		Cleared:   found.Cleared,
		Next:      found.Next,
	}
}

func ids(exchanges []journal.Exchange) []string {
	all := []string{}
	for _, x := range exchanges {
		all = append(all, x.ID)
	}
	return all
}

func TestSizesCountWhatIsHeld(t *testing.T) {
	empty := journal.New(0, journal.NewBudget(0))
	empty.Add(list(0).record())
	j := journal.New(0, journal.NewBudget(0))
	raw := list(0)
	raw.ResponseBody = make([]byte, 100, 60_000)
	j.Add(raw.record())
	assert.InDelta(t, empty.Bytes()+100, j.Bytes(), 50, "the room to spare behind a body is not held")
	raw.ResponseBody = make([]byte, 1<<20)
	j.Add(raw.record())
	assert.InDelta(t, 2*empty.Bytes()+100+16<<10, j.Bytes(), 100, "nor is what was cut off")
}

func TestBodiesAreKeptUpTo16KiB(t *testing.T) {
	raw := list(16<<10 + 1)
	raw.RequestHeader = http.Header{"Content-Type": {"application/json"}}
	raw.RequestBody = []byte(`{"groupName":"a` + strings.Repeat("ü", 40_000) + `"}`)
	x := recorded(t, raw)
	assert.Len(t, x.Response.Body, 16<<10)
	assert.Equal(t, 16<<10+1, x.Response.BodyBytes)
	assert.True(t, x.Response.BodyTruncated && x.Request.BodyTruncated)
	assert.Equal(t, 80_017, x.Request.BodyBytes)
	assert.True(t, strings.HasSuffix(x.Request.Body, "ü"), "not within a character")
	assert.False(t, recorded(t, list(16<<10)).Response.BodyTruncated)

	raw = sent("application/x-www-form-urlencoded", "password=dem")
	raw.RequestBodyBytes = 5 << 20
	x = recorded(t, raw)
	assert.True(t, x.Request.BodyTruncated)
	assert.Equal(t, 5<<20, x.Request.BodyBytes)
	assert.Equal(t, "password="+redact.Fingerprint("dem"), x.Request.Body)
}

func TestAnAverageExchangeTakes8KiB(t *testing.T) {
	budget := journal.NewBudget(0)
	j := journal.New(100, budget)
	for range 100 {
		j.Add(list(16 << 10).record())
	}
	page := pageOf(j, journal.Query{})
	assert.Equal(t, "100", page.Exchanges[len(page.Exchanges)-1].ID)
	assert.EqualValues(t, 100, page.Evicted+uint64(len(page.Exchanges)))
	assert.InDelta(t, 800<<10, j.Bytes(), 20<<10)
	assert.Equal(t, j.Bytes(), budget.Used())
}

func TestWorldsAreKnownAroundTheLastChanges(t *testing.T) {
	budget := journal.NewBudget(0)
	j := journal.New(0, budget)
	world := sim.NewWorld(1, nil)
	for range journal.MaxWorlds + 100 {
		read, change := list(0), list(0)
		read.Step = journal.Step{Before: world, After: world}
		change.Changed, change.Step = true, journal.Step{Before: world, After: world.Fork()}
		world = change.Step.After
		j.Add(read.record())
		j.Add(change.record())
	}
	for id, isKnown := range map[string]bool{"1": false, "200": false, "201": true, "202": true, "2200": true} {
		step, ok := j.Step(id)
		require.True(t, ok)
		assert.Equal(t, isKnown, step.Before != nil && step.After != nil, id)
	}
	assert.Equal(t, j.Bytes(), budget.Used())
	x, _ := j.Get("200")
	assert.True(t, x.Changed)
	j.ClearTo(j.Last())
	assert.Zero(t, budget.Used())
}

func TestAFullJournalKnowsTheNewestWorlds(t *testing.T) {
	j := journal.New(100, journal.NewBudget(0))
	world := sim.NewWorld(1, nil)
	for range 150 {
		j.Add(list(16 << 10).record())
	}
	change := list(16 << 10)
	change.Step = journal.Step{Before: world, After: world.Fork()}
	id := j.Add(change.record())
	j.Add(list(16 << 10).record())
	step, ok := j.Step(id)
	assert.True(t, ok && step.After != nil, "others are evicted before")
}

func TestAReusedRequestIDIsALint(t *testing.T) {
	j := journal.New(3, journal.NewBudget(0))
	lint := func(header string, ids ...string) string {
		raw := list(0)
		raw.RequestHeader = http.Header{header: ids}
		x, _ := j.Get(j.Add(raw.record()))
		return fmt.Sprint(x.Lints)
	}
	assert.Equal(t, "[]", lint("Transactionid", "a"))
	assert.Equal(t, "[]", lint("Transactionid", "b"))
	assert.Contains(t, lint("Transactionid", "a"), `transactionid "a" is not unique: exchange 1 had it, too`)
	assert.Contains(t, lint("Transactionid", "a"), `transactionid "a" is not unique: exchange 3 had it, too`)
	j.Add(list(0).record())
	assert.Equal(t, "[]", lint("Transactionid", "b"), "exchange 2 is gone")
	assert.Equal(t, "[]", lint("Correlationid", "a"), "another header")
	for range 2 {
		assert.Equal(t, "[]", lint("Correlationid", ""), "nothing is no id")
		assert.Equal(t, "[]", lint("X-Request-Id", "a"))
	}
	assert.Equal(t, "[]", lint("Transactionid", "twice", "twice"), "one exchange has it")
	j.ClearTo(j.Last())
	assert.Equal(t, "[]", lint("Transactionid", "b"), "what is cleared is not remembered")
}
