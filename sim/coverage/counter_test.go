package coverage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// standard are policies that banks share.
var standard = contract.NewPolicies(sim.DefaultBehavior())

// point returns a point of an operation in its dialect.
func point(op *contract.Operation, p coverage.Point) coverage.Point {
	p.Operation, p.Dialect = op.Name, string(op.Dialect)
	return p
}

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
		c.Count(
			point(
				contract.GroupsList,
				coverage.Point{Kind: coverage.Injected, Status: 400 + i%10, Code: fmt.Sprint("X", i)},
			),
			nil,
			standard,
		)
	}
	for _, run := range []coverage.Run{all.Run(""), c.Run("")} {
		require.Len(t, run.Other, 10)
		for i, m := range run.Other {
			assert.Equal(t, coverage.PointCount{
				Point: point(contract.GroupsList, coverage.Point{Kind: coverage.Injected, Status: 400 +
					i}), Count: coverage.Count{Injected: 100},
			}, m)
		}
	}
}

// Nothing but the contract makes points: each is one of an operation, and there are none twice.
func TestPoints(t *testing.T) {
	t.Parallel()
	seen := map[coverage.Point]bool{}
	for _, m := range coverage.NewCounter().Run("").Points {
		assert.False(t, seen[m.Point], "%v is there twice", m.Point)
		seen[m.Point] = true
	}
	for _, op := range contract.AllOperations() {
		for _, a := range op.Answers {
			assert.True(
				t, seen[point(op, coverage.Point{Kind: coverage.Accepted, Status: a.Status})], "%s %d", op.ID, a.Status,
			)
		}
		ruled := map[coverage.Point]bool{}
		for _, r := range op.Refusals() {
			for _, status := range op.Family.Statuses(r) {
				assert.True(t, seen[point(op, coverage.Point{Kind: coverage.Refused, Status: status, Code: r.Code,
					Rule: string(r.Rule)})], "%s %s", op.ID, r.Rule)
				ruled[coverage.Point{Status: status, Code: r.Code}] = true
			}
		}
		for _, i := range op.Injections() { // as an error of a fault, or of a rule
			found := seen[point(op, coverage.Point{Kind: coverage.Injected, Status: i.Status, Code: i.Code})]
			assert.True(
				t, found || ruled[coverage.Point{Status: i.Status, Code: i.Code}], "%s %d %s", op.ID, i.Status, i.Code,
			)
		}
		lost := point(op, coverage.Point{Kind: coverage.Connection, Connection: "reset"})
		assert.Equal(t, !op.Changes, seen[lost], op.ID)
		lost.Phase = "after"
		assert.Equal(t, op.Changes, seen[lost], op.ID)
	}
}

// Answers are counted while somebody asks for the coverage of many banks: they wait for nothing long.
func TestCountDoesNotWaitForRun(t *testing.T) {
	t.Parallel()
	c := coverage.NewCounter().Sandbox("app", time.Now())
	for i := range 300 { // banks that all differ
		b := sim.DefaultBehavior()
		b.CORS.Origins = []string{fmt.Sprintf("https://app%d.example", i)}
		c.Count(
			point(contract.GroupsList, coverage.Point{Kind: coverage.Accepted, Status: 200}), nil,
			contract.NewPolicies(b),
		)
	}
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		close(begun)
		c.Run("")
	}()
	<-begun
	counted := 0
	for ended := false; !ended; counted++ {
		c.Count(point(contract.GroupsList, coverage.Point{Kind: coverage.Accepted, Status: 200}), nil, standard)
		select {
		case <-done:
			ended = true
		default:
		}
	}
	assert.Greater(t, counted, 5000, "answers waited until the points were known")
}
