package journal_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// stored returns an exchange as a store gives it back under a number.
func stored(t require.TestingT, number uint64, raw journal.Raw) *journal.Entry {
	outside := journal.New(0, journal.NewBudget(0))
	defer outside.Close()
	data, err := outside.Entry(raw).Encode()
	require.NoError(t, err)
	e, err := journal.Decode(number, data)
	require.NoError(t, err)
	require.Equal(t, number, e.Number())
	return e
}

// A journal follows its store where that has lost exchanges in a crash, was cleared, or is read anew.
func TestAJournalFollowsItsStore(t *testing.T) {
	own := func(numbers ...uint64) func(*journal.Journal) {
		return func(j *journal.Journal) {
			for _, n := range numbers {
				assert.Equal(t, strconv.FormatUint(n, 10), j.Append(n, j.Entry(list(0))))
			}
		}
	}
	others := func(upTo uint64, numbers ...uint64) func(*journal.Journal) {
		return func(j *journal.Journal) {
			var entries []*journal.Entry
			for _, n := range numbers {
				raw := list(0)
				raw.Path = "/other"
				entries = append(entries, stored(t, n, raw))
			}
			j.Fill(entries, upTo)
		}
	}
	clearTo := func(n uint64) func(*journal.Journal) { return func(j *journal.Journal) { j.ClearTo(n) } }
	startAt := func(before, last, cleared, to uint64) func(*journal.Journal) {
		return func(j *journal.Journal) { j.StartAt(before, last, cleared, to) }
	}
	type steps = []func(*journal.Journal)
	for name, test := range map[string]struct {
		steps                    steps
		held                     string // filled ones with a "+"
		last                     uint64
		evicted, cleared, counts uint64 // counts for a verdict
	}{
		"lost in a crash":               {steps{own(1, 2, 3), own(2)}, "[1 2]", 2, 0, 0, 0},
		"the limit counts missing ones": {steps{own(1, 8)}, "[8]", 8, 3, 0, 3},
		"cleared beyond the newest":     {steps{own(1), clearTo(4), own(5)}, "[5]", 5, 0, 4, 0},
		"the clearing lost, too":        {steps{own(1, 2, 3), clearTo(3), own(2)}, "[2]", 2, 0, 1, 0},
		"a store without exchanges":     {steps{startAt(7, 7, 0, 0), own(8)}, "[8]", 8, 7, 0, 7},
		"a store that has cleared all":  {steps{startAt(7, 7, 5, 7)}, "[]", 7, 2, 5, 0},
		"a store with too many exchanges": {steps{startAt(1, 8, 0, 0), others(8, 3, 4, 5, 6, 7, 8)}, "[4+ 5+ 6+ 7+ 8+]",
			8, 3, 0, 3},
		"read again": {steps{own(1, 2, 4, 5), startAt(1, 4, 0, 0), others(4, 2, 3, 4)}, "[2 3+ 4]",
			4, 1, 0, 1},
		"read after an eviction": {steps{own(7, 8), startAt(2, 7, 0, 0), others(7, 3, 4, 5, 6, 7)}, "[3+ 4+ 5+ 6+ 7]",
			7, 2, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			budget := journal.NewBudget(0)
			j := journal.New(5, budget)
			for _, step := range test.steps {
				step(j)
				assert.True(t, j.InOrder())
			}
			found := pageOf(j, journal.Query{})
			held := []string{}
			for _, x := range found.Exchanges {
				id := x.ID
				if x.Request.Path == "/other" {
					id += "+"
				}
				held = append(held, id)
				got, ok := j.Get(x.ID)
				assert.True(t, ok)
				assert.Equal(t, x, got)
			}
			assert.Equal(t, test.held, fmt.Sprint(held))
			assert.Equal(t, test.last, j.Last(), "last")
			assert.Equal(t, test.evicted, found.Evicted, "evicted")
			assert.Equal(t, test.cleared, found.Cleared, "cleared")
			assert.Equal(t, test.counts, j.Relevant(), "relevant")
			assert.Equal(t, j.Bytes(), budget.Used())
			j.Close()
			assert.Empty(t, j.Append(9, j.Entry(list(0))), "no id leads anywhere")
			j.Fill([]*journal.Entry{stored(t, 10, list(0))}, 10)
			assert.Empty(t, pageOf(j, journal.Query{}).Exchanges)
			assert.Zero(t, budget.Used())
		})
	}
}

func TestFillAndAppendWakeWhoWaits(t *testing.T) {
	for name, add := range map[string]func(*journal.Journal){
		"Append": func(j *journal.Journal) { j.Append(8, j.Entry(list(0))) },
		"Fill":   func(j *journal.Journal) { j.Fill([]*journal.Entry{stored(t, 8, list(0))}, 8) },
	} {
		synctest.Test(t, func(t *testing.T) {
			j := journal.New(0, journal.NewBudget(0))
			j.Append(7, j.Entry(list(0)))
			go func() {
				time.Sleep(time.Second)
				add(j)
			}()
			assert.NoError(t, j.Wait(t.Context(), 7), name)
		})
	}
}

// Queries read entries while Fill changes how they name each other.
func TestQueriesWhileAJournalIsFilled(t *testing.T) {
	j := journal.New(0, journal.NewBudget(0))
	var all sync.WaitGroup
	all.Go(func() {
		for n := uint64(2); n <= 400; n += 2 {
			j.Append(n, j.Entry(identified("Transactionid", "a")))
		}
	})
	all.Go(func() {
		for n := uint64(1); n < 400; n += 2 {
			j.Fill([]*journal.Entry{stored(t, n, identified("Transactionid", "a"))}, 0)
		}
	})
	all.Go(func() {
		for range 200 {
			pageOf(j, journal.Query{Limit: 20, Newest: true})
		}
	})
	all.Wait()
}

// However its exchanges arrive, a journal says the same in the end as if they had come in order.
func TestAFilledJournalIsLikeOneInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 30).Draw(t, "limit")
		count := uint64(rapid.IntRange(1, 25).Draw(t, "count"))
		crashes := rapid.Bool().Draw(t, "crashes")
		header := rapid.SampledFrom([]string{"Correlationid", "Transactionid", "X-Other"})
		id := rapid.SampledFrom([]string{"a", "b", "c"})
		inOrder, budget := journal.New(limit, journal.NewBudget(0)), journal.NewBudget(0)
		j := journal.New(limit, budget)
		var missing []*journal.Entry // of other processes, as far as they have come
		lost := func(n uint64) {
			raw := identified(header.Draw(t, "header of a lost one"), id.Draw(t, "id of a lost one"))
			raw.RealAt = raw.RealAt.Add(-time.Hour)
			j.Append(n, j.Entry(raw))
		}
		for n := uint64(1); n <= count; n++ {
			raw := list(int(n))
			raw.RequestHeader = http.Header{
				header.Draw(t, "header"): {id.Draw(t, "id")}, header.Draw(t, "another"): {id.Draw(t, "its id")},
			}
			raw.RealAt = raw.RealAt.Add(time.Duration(n) * time.Second)
			if crashes && rapid.IntRange(0, 5).Draw(t, "crash") == 0 {
				for l := n; l <= min(count, n+rapid.Uint64Range(0, 3).Draw(t, "lost")); l++ {
					lost(l)
				}
			}
			inOrder.Add(raw)
			if rapid.Bool().Draw(t, "own") {
				j.Append(n, j.Entry(raw))
			} else {
				missing = append(missing, stored(t, n, raw))
			}
			switch rapid.IntRange(0, 7).Draw(t, "then") {
			case 0:
				upTo := rapid.Uint64Range(1, n).Draw(t, "up to")
				end := slices.IndexFunc(missing, func(e *journal.Entry) bool { return e.Number() > upTo })
				if end < 0 {
					end = len(missing)
				}
				j.Fill(missing[:end], upTo)
				missing = missing[end:]
			case 1:
				if !crashes {
					if j.Last() < n { // else it counts as cleared some that were evicted before
						j.Fill(missing, n)
						missing = nil
					}
					upTo := rapid.Uint64Range(1, n).Draw(t, "cleared up to")
					inOrder.ClearTo(upTo)
					j.ClearTo(upTo)
				}
			}
		}
		j.Fill(missing, count)

		require.Equal(t, inOrder.Relevant(), j.Relevant())
		require.Equal(t, inOrder.Reused(), j.Reused())
		require.Equal(t, inOrder.IDs(), j.IDs())
		require.True(t, j.InOrder())
		require.Equal(t, j.Bytes(), budget.Used())
		plain := func(xs []journal.Exchange) []journal.Exchange { // Reused has compared the lints
			for i := range xs {
				xs[i].Lints = nil
			}
			return xs
		}
		for _, q := range []journal.Query{
			{}, {After: count / 2}, {Limit: 3}, {Limit: 3, Newest: true}, {After: count + 1}, {Status: 404},
		} {
			want, got := inOrder.Select(q), j.Select(q)
			require.Equal(t, plain(slices.Collect(want.Exchanges())), plain(slices.Collect(got.Exchanges())))
			require.Equal(t, []any{want.Evicted, want.Cleared, want.Next, want.Looked, want.Missed},
				[]any{got.Evicted, got.Cleared, got.Next, got.Looked, got.Missed})
		}
		for n := range count + 2 {
			of := strconv.FormatUint(n, 10)
			want, held := inOrder.Get(of)
			got, ok := j.Get(of)
			require.Equal(t, held, ok)
			require.Equal(t, plain([]journal.Exchange{want}), plain([]journal.Exchange{got}))
		}
	})
}
