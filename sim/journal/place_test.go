package journal_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Exchanges have the order in which their places were reserved. Readers wait for the places that were reserved before, and
// for no others, and miss nothing.
func TestReadersWaitForPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := journal.New(journal.DefaultLimits(), nil)
		j.Add(list(0))
		first, second := j.Reserve(), j.Reserve()
		assert.Equal(t, "3", second.Fill(list(0)))
		assert.Equal(t, "4", j.Add(list(0)))
		_, ok := j.Get("2")
		assert.False(t, ok)

		var readers sync.WaitGroup
		got := map[string][]string{}
		var mu sync.Mutex
		read := func(name string, do func() []string) {
			readers.Go(func() {
				found := do()
				mu.Lock()
				defer mu.Unlock()
				got[name] = found
			})
		}
		read("page", func() []string { return ids(j.Page(journal.Query{}).Exchanges) })
		read("after", func() []string { return ids(j.Page(journal.Query{After: 1}).Exchanges) })
		read("verify", func() []string {
			verdict, err := j.Verify(t.Context(), journal.Expectation{Operation: "groups.list"})
			assert.NoError(t, err)
			return verdict.Matches
		})
		read("next", func() []string {
			exchanges, gap, err := next(t.Context(), j, 1)
			assert.NoError(t, err)
			assert.Zero(t, gap)
			return ids(exchanges)
		})
		synctest.Wait()
		assert.Empty(t, got, "they wait")
		exchanges, _, err := next(t.Context(), j, 0)
		require.NoError(t, err)
		assert.Equal(t, []string{"1"}, ids(exchanges), "up to the place")

		later := j.Reserve()
		assert.Equal(t, "2", first.Fill(list(0)))
		readers.Wait()
		assert.Equal(t, map[string][]string{"page": {"1", "2", "3", "4"}, "after": {"2", "3", "4"}, "verify": {"1", "2", "3", "4"},
			"next": {"2", "3", "4"}}, got)
		later.Fill(list(0))
		assert.Equal(t, []string{"1", "2", "3", "4", "5"}, ids(j.Page(journal.Query{}).Exchanges))
		assert.Zero(t, j.Evicted())
	})
}

// A place that the journal no longer holds takes no exchange, and no bytes.
func TestPlacesThatAreGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do      func(*journal.Journal)
		id      string
		evicted uint64
	}{
		"cleared": {(*journal.Journal).Clear, "2", 0},
		"closed":  {(*journal.Journal).Close, "", 0},
		"evicted": {func(j *journal.Journal) {
			for range 3 {
				j.Add(list(0))
			}
		}, "2", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			budget := journal.NewBudget(1 << 20)
			j := journal.New(journal.Limits{Entries: 3}, budget)
			j.Add(list(0))
			place := j.Reserve()
			test.do(j)
			held := ids(j.Page(journal.Query{}).Exchanges)
			assert.Equal(t, test.id, place.Fill(list(0)))
			assert.Equal(t, held, ids(j.Page(journal.Query{}).Exchanges))
			assert.Equal(t, j.Bytes(), budget.Used())
			assert.Equal(t, test.evicted, j.Evicted())
		})
	}
}

// An exchange for which there is no room pushes out the older ones, and itself.
func TestAPlaceWithoutRoom(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Limits{Bytes: 20_000}, nil)
	j.Add(list(0))
	place := j.Reserve()
	j.Add(list(0))
	assert.Equal(t, "2", place.Fill(list(60_000)))
	assert.Equal(t, []string{"3"}, ids(j.Page(journal.Query{}).Exchanges))
	assert.EqualValues(t, 2, j.Evicted())
}

// Readers of a journal that closes don't wait for its places.
func TestAClosedJournalIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := journal.New(journal.DefaultLimits(), nil)
		place := j.Reserve()
		var reader sync.WaitGroup
		reader.Go(func() { assert.Empty(t, j.Page(journal.Query{}).Exchanges) })
		synctest.Wait()
		j.Close()
		reader.Wait()
		assert.Empty(t, place.Fill(list(0)))
	})
}
