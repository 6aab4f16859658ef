package coverage_test

import (
	"fmt"
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

// point returns a point of an operation in its dialect.
func point(op *contract.Operation, p coverage.Point) coverage.Point {
	p.Operation, p.Dialect = op.Name, string(op.Dialect)
	return p
}

var listed = point(contract.GroupsList, coverage.Point{Kind: coverage.Accepted, Status: 200})

// countOf returns how often a point of the contract was met.
func countOf(t *testing.T, run coverage.Run, p coverage.Point) coverage.Count {
	t.Helper()
	for _, m := range run.Points {
		if m.Point == p {
			return m.Count
		}
	}
	require.Fail(t, "there is no such point", "%v", p)
	return coverage.Count{}
}

// What callers invent doesn't grow: codes that an operation doesn't have are counted by their statuses.
func TestInventedCodesTakeNoRoom(t *testing.T) {
	t.Parallel()
	all := coverage.NewCounter()
	c := all.Sandbox("app", time.Now())
	for i := range 1000 {
		c.Count(point(contract.GroupsList, coverage.Point{Kind: coverage.Injected, Status: 400 + i%10, Code: fmt.Sprint("X", i)}), nil, &standard, false)
	}
	for _, run := range []coverage.Run{all.Run(""), c.Run("")} {
		require.Len(t, run.Besides, 10)
		for i, m := range run.Besides {
			assert.Equal(t, coverage.Met{
				Point: point(contract.GroupsList, coverage.Point{Kind: coverage.Injected, Status: 400 + i}), Count: coverage.Count{Injected: 100},
			}, m)
		}
	}
}

// Sandboxes count at the same time, and their counts add up to those of all.
func TestCountersAddUp(t *testing.T) {
	t.Parallel()
	all := coverage.NewCounter()
	const sandboxes, clients, each = 4, 4, 100
	rules := contract.GroupsCreate.Refusals()
	counters := make([]*coverage.Counter, sandboxes)
	var running sync.WaitGroup
	for i := range counters {
		counters[i] = all.Sandbox(fmt.Sprint(i), time.Now())
		for range clients {
			running.Go(func() {
				var before uint64
				for n := range each {
					r := rules[n%len(rules)]
					refused := point(contract.GroupsCreate, coverage.Point{Kind: coverage.Refused, Status: r.Status, Code: r.Code, Rule: string(r.Rule)})
					counters[i].Count(refused, []string{r.Entry.ID}, &standard, n%2 == 0)
					counters[i].Count(listed, []string{contract.GroupsListPaging.ID}, &standard, false)
					if n%25 == 0 {
						now := countOf(t, all.Run(""), listed).Naturally
						assert.Greater(t, now, before, "counts only grow")
						before = now
					}
				}
			})
		}
	}
	running.Wait()
	total, sum, ids := all.Run("v1"), map[coverage.Point]uint64{}, map[string]bool{}
	for _, c := range counters {
		run := c.Run("v1")
		ids[run.ID] = true
		assert.EqualValues(t, clients*each, countOf(t, run, listed).Naturally)
		for _, m := range run.Points {
			sum[m.Point] += m.Naturally
		}
	}
	assert.Len(t, ids, sandboxes)
	var requests uint64
	for _, m := range total.Points {
		assert.Equal(t, sum[m.Point], m.Naturally, m.Point)
		requests += m.Naturally
	}
	assert.EqualValues(t, 2*sandboxes*clients*each, requests)
	assert.EqualValues(t, sandboxes*clients*each, total.Entries[contract.GroupsListPaging.ID])
}

// Nothing but the contract makes points: each is one of an operation, and there are none twice.
func TestPoints(t *testing.T) {
	t.Parallel()
	seen := map[coverage.Point]bool{}
	for _, m := range coverage.NewCounter().Run("").Points {
		assert.False(t, seen[m.Point], "%v is there twice", m.Point)
		seen[m.Point] = true
	}
	for _, op := range contract.AllSpoken() {
		for _, a := range op.Answers {
			assert.True(t, seen[point(op, coverage.Point{Kind: coverage.Accepted, Status: a.Status})], "%s %d", op.ID, a.Status)
		}
		ruled := map[coverage.Point]bool{}
		for _, r := range op.Refusals() {
			for _, status := range op.Family.Statuses(r) {
				assert.True(t, seen[point(op, coverage.Point{Kind: coverage.Refused, Status: status, Code: r.Code, Rule: string(r.Rule)})], "%s %s", op.ID, r.Rule)
				ruled[coverage.Point{Status: status, Code: r.Code}] = true
			}
		}
		for _, i := range op.Injections() { // as an error of a fault, or of a rule
			found := seen[point(op, coverage.Point{Kind: coverage.Injected, Status: i.Status, Code: i.Code})]
			assert.True(t, found || ruled[coverage.Point{Status: i.Status, Code: i.Code}], "%s %d %s", op.ID, i.Status, i.Code)
		}
		lost := point(op, coverage.Point{Kind: coverage.Connection, Connection: "reset"})
		assert.Equal(t, !op.Changes, seen[lost], op.ID)
		lost.Phase = "after"
		assert.Equal(t, op.Changes, seen[lost], op.ID)
	}
}
