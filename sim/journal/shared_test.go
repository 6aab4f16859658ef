package journal_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// stored returns an exchange as a store gives it back under a number.
func stored(t require.TestingT, number uint64, raw raw) journal.Record {
	data, err := raw.record().Encode()
	require.NoError(t, err)
	record, err := journal.Decode(number, data)
	require.NoError(t, err)
	return record
}

// follow carries out steps on a journal: "own 2" has the process append an exchange, and "lost 2" one that the store
// has lost since; "others 4: 2 3" has the store say that it has the exchanges 2 and 3, and that the newest is 4.
func follow(t *testing.T, j *journal.Journal, steps string) {
	t.Helper()
	for step := range strings.SplitSeq(steps, ", ") {
		words := strings.Fields(strings.ReplaceAll(step, ":", ""))
		numbers := make([]uint64, len(words)-1)
		for i, word := range words[1:] {
			var err error
			numbers[i], err = strconv.ParseUint(word, 10, 64)
			require.NoError(t, err)
		}
		switch words[0] {
		case "start":
			j.StartAt(numbers[0], numbers[1], numbers[2])
		case "own":
			assert.Equal(t, words[1], j.Append(numbers[0], list(0).record()))
		case "lost":
			raw := list(0)
			raw.RealAt = raw.RealAt.Add(-time.Hour)
			j.Append(numbers[0], raw.record())
		case "clear":
			j.ClearTo(numbers[0])
		case "others":
			for isDone := false; !isDone; {
				var records []journal.Record
				after := j.FillAfter()
				for _, n := range numbers[1:] {
					raw := list(0)
					raw.Path = "/other"
					if n > after {
						records = append(records, stored(t, n, raw))
					}
				}
				isDone = j.Fill(after, records, numbers[0])
			}
		}
		assert.True(t, j.InOrder())
	}
}

// A journal follows its store where that has lost exchanges in a crash, was cleared, or has deleted old ones.
func TestAJournalFollowsItsStore(t *testing.T) {
	// What a journal says in the end: the exchanges that it holds, those of others with a "+"; the newest; and how many
	// were evicted, were cleared, and count for a verdict.
	for steps, want := range map[string]string{
		"own 1, own 2, own 3, own 2":               "[1 2] 2 0 0 0", // lost in a crash
		"own 1, lost 2, lost 3, others 4: 1 2 3 4": "[1 2+ 3+ 4+] 4 0 0 0",
		"lost 1, lost 2, others 1: 1":              "[1+] 1 0 0 0",
		"own 1, own 8":                             "[1] 1 0 0 0", // it waits for others
		"own 1, own 8, others 8: 1 2 3 4 5 6 7 8":  "[4+ 5+ 6+ 7+ 8+] 8 3 0 3",
		"own 1, own 8, others 3: 1 2 3":            "[1 2+ 3+] 3 0 0 0",
		"own 1, clear 4, own 5":                    "[5] 5 0 4 0",
		"own 1, own 2, own 3, clear 3, own 2":      "[2] 2 0 1 0", // the clearing is lost, too
		"start 7 0 0, own 8":                       "[8] 8 7 0 7", // a store without exchanges
		"start 7 5 7":                              "[] 7 2 5 0",  // one that has cleared all
		"start 1 0 0, others 8: 3 4 5 6 7 8":       "[4+ 5+ 6+ 7+ 8+] 8 3 0 3",
		"own 1, own 2, others 7: 6 7":              "[6+ 7+] 7 5 0 5", // it has deleted some
		"own 1, own 2, others 7":                   "[] 7 7 0 7",
	} {
		t.Run(steps, func(t *testing.T) {
			budget := journal.NewBudget(0)
			j := journal.New(5, budget)
			follow(t, j, steps)
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
			assert.Equal(t, want, fmt.Sprint(held, j.Last(), found.Evicted, found.Cleared, j.Relevant()))
			assert.Equal(t, j.Bytes(), budget.Used())
			j.Close()
			assert.Empty(t, j.Append(9, list(0).record()), "no id leads anywhere")
			j.Fill(0, []journal.Record{stored(t, 10, list(0))}, 10)
			assert.Empty(t, pageOf(j, journal.Query{}).Exchanges)
			assert.Zero(t, budget.Used())
		})
	}
}

func TestFillAndAppendWakeWhoWaits(t *testing.T) {
	for name, add := range map[string]func(*journal.Journal){
		"Append": func(j *journal.Journal) { j.Append(8, list(0).record()) },
		"Fill":   func(j *journal.Journal) { j.Fill(7, []journal.Record{stored(t, 8, list(0))}, 8) },
	} {
		synctest.Test(t, func(t *testing.T) {
			j := journal.New(0, journal.NewBudget(0))
			j.StartAt(7, 0, 0)
			go func() {
				time.Sleep(time.Second)
				add(j)
			}()
			assert.NoError(t, j.Wait(t.Context(), 7), name)
		})
	}
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
		var store []raw // number 1 and so on
		fill := func() {
			for isDone := false; !isDone; {
				after := j.FillAfter()
				var records []journal.Record
				for n := after + 1; n <= uint64(len(store)); n++ {
					records = append(records, stored(t, n, store[n-1]))
				}
				isDone = j.Fill(after, records, uint64(len(store)))
			}
		}
		for n := uint64(1); n <= count; n++ {
			raw := list(int(n))
			raw.RequestHeader = http.Header{
				header.Draw(t, "header"): {id.Draw(t, "id")}, header.Draw(t, "another"): {id.Draw(t, "its id")},
			}
			raw.RealAt = raw.RealAt.Add(time.Duration(n) * time.Second)
			if crashes && rapid.IntRange(0, 5).Draw(t, "crash") == 0 {
				for l := n; l <= min(count, n+rapid.Uint64Range(0, 3).Draw(t, "lost")); l++ {
					lost := identified(header.Draw(t, "header of a lost one"), id.Draw(t, "id of a lost one"))
					lost.RealAt = lost.RealAt.Add(-time.Hour)
					j.Append(l, lost.record())
				}
			}
			store = append(store, raw)
			inOrder.Add(raw.record())
			if rapid.Bool().Draw(t, "own") {
				j.Append(n, raw.record())
			}
			switch rapid.IntRange(0, 7).Draw(t, "then") {
			case 0:
				fill()
			case 1:
				if !crashes {
					fill() // else it counts as cleared some that were evicted before
					upTo := rapid.Uint64Range(1, n).Draw(t, "cleared up to")
					inOrder.ClearTo(upTo)
					j.ClearTo(upTo)
				}
			}
		}
		fill()

		require.Equal(t, inOrder.Relevant(), j.Relevant())
		require.Equal(t, inOrder.IDs(), j.IDs())
		require.True(t, j.InOrder())
		require.Equal(t, j.Bytes(), budget.Used())
		inJSON := func(t require.TestingT, all ...journal.Exchange) string {
			for i := range all {
				if crashes { // a lost exchange may have evicted the one that a lint names
					all[i].Lints = nil
				}
			}
			data, err := json.Marshal(all)
			require.NoError(t, err)
			return string(data)
		}
		notFound, err := journal.ParseSearch("status:404")
		require.NoError(t, err)
		for _, q := range []journal.Query{
			{}, {After: count / 2}, {Limit: 3}, {Limit: 3, Newest: true}, {After: count + 1}, {Search: notFound},
		} {
			want, got := inOrder.Select(q), j.Select(q)
			require.Equal(t, inJSON(t, slices.Collect(want.Exchanges())...),
				inJSON(t, slices.Collect(got.Exchanges())...))
			require.Equal(t, []any{want.Evicted, want.Cleared, want.Next, want.Missed},
				[]any{got.Evicted, got.Cleared, got.Next, got.Missed})
		}
		for n := range count + 2 {
			of := strconv.FormatUint(n, 10)
			want, held := inOrder.Get(of)
			got, ok := j.Get(of)
			require.Equal(t, held, ok)
			require.Equal(t, inJSON(t, want), inJSON(t, got))
		}
	})
}
