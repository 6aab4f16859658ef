package coverage_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// standard is a behaviour that banks share.
var standard = sim.DefaultBehavior()

// accepted is the answer to a request that is accepted.
func accepted(op *contract.Operation, entries ...string) *coverage.Answer {
	return &coverage.Answer{Operation: op, Status: 200, Entries: entries}
}

// of returns how often a point was met; zero: never.
func of(t *testing.T, run coverage.Run, p coverage.Point) coverage.Count {
	t.Helper()
	for _, m := range run.Points {
		if m.Point == p {
			return m.Count
		}
	}
	require.Fail(t, "there is no such point", "%v", p)
	return coverage.Count{}
}

var listed = coverage.Point{Operation: "groups.list", Dialect: "document", Kind: coverage.Accepted, Status: 200}

// Answers may rest on any set of entries, as callers bring about: there are more than are counted by themselves. The counts are
// exact all the same.
func TestEverySetOfEntriesCounts(t *testing.T) {
	t.Parallel()
	all := coverage.NewCounters()
	c := all.Counter()
	ledger := contract.Ledger()[:7]
	for subset := range 1 << len(ledger) {
		var entries []string
		for i, e := range ledger {
			if subset&(1<<i) != 0 {
				entries = append(entries, e.ID)
			}
		}
		for range 3 {
			c.Count(accepted(contract.GroupsList, entries...), &standard, false)
			c.Count(&coverage.Answer{Operation: contract.GroupsCreate, Status: 599, Injected: true, Entries: entries}, &standard, false)
		}
	}
	for _, run := range []coverage.Run{all.Run("", ""), c.Run("", "", time.Now(), "")} {
		assert.EqualValues(t, 3*128, of(t, run, listed).Naturally)
		assert.Equal(t, []coverage.Met{{
			Point: coverage.Point{Operation: "groups.create", Dialect: "document", Kind: coverage.Injected, Status: 599}, Count: coverage.Count{Injected: 3 * 128},
		}}, run.Besides)
		for _, e := range ledger {
			assert.EqualValues(t, 2*3*64, run.Entries[e.ID], e.ID)
		}
		assert.Len(t, run.Entries, len(ledger))
	}
	one := all.Run("", "groups.list")
	assert.Empty(t, one.Besides)
	assert.EqualValues(t, 3*64, one.Entries[ledger[0].ID], "of this operation alone")
}

// What callers invent doesn't grow: codes that no family has are counted by their statuses.
func TestInventedCodesTakeNoRoom(t *testing.T) {
	t.Parallel()
	all := coverage.NewCounters()
	c := all.Counter()
	for i := range 10_000 {
		c.Count(&coverage.Answer{Operation: contract.GroupsList, Status: 400 + i%10, Injected: true, Code: fmt.Sprint("X", i)}, &standard, false)
	}
	run := all.Run("", "")
	require.Len(t, run.Besides, 10)
	for _, m := range run.Besides {
		assert.EqualValues(t, 1000, m.Injected)
		assert.Empty(t, m.Code)
	}
}

// A client that lets faults answer with every status of every operation takes little room, and all of it is counted.
func TestStatusesTakeLittleRoom(t *testing.T) {
	t.Parallel()
	all := coverage.NewCounters()
	c := all.Counter()
	operations := contract.AllSpoken()
	for _, op := range operations {
		for status := 300; status < 400; status++ { // none of which an operation lists
			c.Count(&coverage.Answer{Operation: op, Status: status, Injected: true}, &standard, false)
		}
	}
	run := all.Run("", "")
	assert.Less(t, len(run.Besides), 2048+len(operations))
	counted := map[bool]uint64{}
	for _, m := range run.Besides {
		counted[m.Status == 0] += m.Injected
	}
	assert.EqualValues(t, 2048, counted[false])
	assert.EqualValues(t, 100*len(operations)-2048, counted[true])
	assert.Equal(t, run.Besides, c.Run("", "", time.Now(), "").Besides)
}

// Sandboxes count at the same time, and their counts add up to those of all.
func TestCountersAddUp(t *testing.T) {
	t.Parallel()
	all := coverage.NewCounters()
	const sandboxes, clients, each = 4, 4, 500
	rules := contract.GroupsCreate.Refusals()
	counters := make([]*coverage.Counter, sandboxes)
	var running sync.WaitGroup
	for i := range counters {
		counters[i] = all.Counter()
		for range clients {
			running.Go(func() {
				var before uint64
				for n := range each {
					r := rules[n%len(rules)]
					counters[i].Count(&coverage.Answer{Operation: contract.GroupsCreate, Status: r.Status, Rule: string(r.Rule), Entries: []string{r.Entry.ID}}, &standard, n%2 == 0)
					if n%100 == 0 {
						now := of(t, all.Run("", ""), listed).Naturally
						assert.GreaterOrEqual(t, now, before, "counts only grow")
						before = now
					}
					counters[i].Count(accepted(contract.GroupsList, "groups.list.answer"), &standard, false)
				}
			})
		}
	}
	running.Wait()
	total, sum := all.Run("", ""), map[coverage.Point]uint64{}
	for _, c := range counters {
		run := c.Run("", "", time.Now(), "")
		assert.EqualValues(t, clients*each, of(t, run, listed).Naturally)
		for _, m := range run.Points {
			sum[m.Point] += m.Naturally
		}
	}
	var requests uint64
	for _, m := range total.Points {
		assert.Equal(t, sum[m.Point], m.Naturally, m.Point)
		requests += m.Naturally
	}
	assert.EqualValues(t, 2*sandboxes*clients*each, requests)
	assert.EqualValues(t, sandboxes*clients*each, total.Entries["groups.list.answer"])
}

// An answer of a kind that was met before takes no memory, and 20,000 sandboxes that met ten kinds take little.
func TestCountersTakeLittleMemory(t *testing.T) { // not in parallel: it looks at the heap
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	all := coverage.NewCounters()
	rules := contract.GroupsCreate.Refusals()[:10]
	answers := make([]*coverage.Answer, len(rules))
	for i, r := range rules {
		answers[i] = &coverage.Answer{Operation: contract.GroupsCreate, Status: r.Status, Rule: string(r.Rule), Entries: []string{r.Entry.ID}}
	}
	before := heap()
	counters := make([]*coverage.Counter, 20_000)
	for i := range counters {
		counters[i] = all.Counter()
		for _, a := range answers {
			counters[i].Count(a, &standard, false)
		}
	}
	took := heap() - before
	t.Logf("%d bytes for each sandbox", took/uint64(len(counters)))
	assert.Less(t, took/uint64(len(counters)), uint64(600))
	assert.Zero(t, testing.AllocsPerRun(100, func() { counters[0].Count(answers[3], &standard, false) }))
	runtime.KeepAlive(counters)
}

// Nothing but the contract makes points: each is one of an operation, and there are none twice.
func TestPoints(t *testing.T) {
	t.Parallel()
	seen := map[coverage.Point]bool{}
	for _, p := range coverage.Points() {
		assert.False(t, seen[p], "%v is there twice", p)
		seen[p] = true
	}
	for _, op := range contract.AllSpoken() {
		at := func(p coverage.Point) coverage.Point {
			p.Operation, p.Dialect = op.Name, string(op.Dialect)
			return p
		}
		for _, a := range op.Answers {
			assert.True(t, seen[at(coverage.Point{Kind: coverage.Accepted, Status: a.Status})], "%s %d", op.ID, a.Status)
		}
		for _, r := range op.Refusals() {
			for _, status := range op.Family.Statuses(r) {
				assert.True(t, seen[at(coverage.Point{Kind: coverage.Refused, Status: status, Code: r.Code, Rule: string(r.Rule)})], "%s %s", op.ID, r.Rule)
			}
		}
		for _, i := range op.Injections() { // as an error of a fault, or of a rule
			found := seen[at(coverage.Point{Kind: coverage.Injected, Status: i.Status, Code: i.Code})]
			for _, r := range op.Refusals() {
				found = found || seen[at(coverage.Point{Kind: coverage.Refused, Status: i.Status, Code: i.Code, Rule: string(r.Rule)})]
			}
			assert.True(t, found, "%s %d %s", op.ID, i.Status, i.Code)
		}
		lost := at(coverage.Point{Kind: coverage.Connection, Connection: "reset"})
		assert.Equal(t, !op.Changes, seen[lost], op.ID)
		lost.Phase = "after"
		assert.Equal(t, op.Changes, seen[lost], op.ID)
	}
}
