package journal_test

import (
	"context"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// refusedEvery adds exchanges, of which every nth is refused.
func refusedEvery(j *journal.Journal, nth, count int) {
	for i := range count {
		raw := list(0)
		if i%nth == nth-1 {
			raw.Decision.Outcome = journal.Refused
		}
		j.Add(raw)
	}
}

// found is what a cursor returns, without the exchange.
type found struct {
	id             string
	missed, passed uint64
}

func all(c *journal.Cursor) (list []found) {
	for {
		x, ok := c.Next()
		if !ok {
			return list
		}
		list = append(list, found{x.ID, x.Missed, x.Passed})
	}
}

func TestACursorFindsWhatMatches(t *testing.T) {
	j := journal.New(journal.Limits{Entries: 20}, nil)
	refusedEvery(j, 3, 9)
	c := j.Follow(journal.Query{Outcome: journal.Refused, After: 3})
	require.NoError(t, c.Look(100))
	assert.Equal(t, []found{{"6", 0, 0}, {"9", 0, 0}}, all(c))
	assert.EqualValues(t, 9, c.Looked())
	assert.Empty(t, all(c))

	refusedEvery(j, 3, 12) // 10 to 21: 12, 15, 18 and 21 match
	require.NoError(t, c.Look(2))
	assert.Equal(t, []found{{"12", 0, 0}, {"15", 0, 0}}, all(c))
	require.NoError(t, c.Look(1))
	refusedEvery(j, 100, 18) // 22 to 39: the journal has 20 to 39 now, and 18 was waiting
	require.NoError(t, c.Look(100))
	refusedEvery(j, 1, 1)
	require.NoError(t, c.Look(100))
	assert.Equal(t, []found{{"21", 2, 0}, {"40", 0, 0}}, all(c), "18 is gone, and so is 19, which was not looked at")
}

func TestACursorSkips(t *testing.T) {
	j := journal.New(journal.DefaultLimits(), nil)
	refusedEvery(j, 2, 1000)
	c := j.Follow(journal.Query{Outcome: journal.Refused})
	require.NoError(t, c.Look(3))
	require.NoError(t, c.Skip(991))
	require.NoError(t, c.Look(2))
	assert.Equal(t, []found{{"992", 495, 0}, {"994", 0, 0}}, all(c))
}

// A sample has everything while that is little, and otherwise the newest.
func TestACursorSamples(t *testing.T) {
	j := journal.New(journal.DefaultLimits(), nil)
	c := j.Follow(journal.Query{Outcome: journal.Refused})
	refusedEvery(j, 10, 30)
	require.NoError(t, c.Sample(3))
	x, ok := c.Next()
	require.True(t, ok)
	assert.Equal(t, "10", x.ID)
	refusedEvery(j, 10, 10)
	require.NoError(t, c.Sample(3)) // 20, 30, 40
	assert.Equal(t, []found{{"20", 0, 0}, {"30", 0, 0}, {"40", 0, 0}}, all(c))

	refusedEvery(j, 10, 30) // 50, 60, 70
	require.NoError(t, c.Sample(3))
	refusedEvery(j, 10, 10) // 80
	require.NoError(t, c.Sample(3))
	assert.Equal(t, []found{{"80", 0, 3}}, all(c))
	refusedEvery(j, 10, 1000)
	require.NoError(t, c.Sample(1))
	assert.Equal(t, []found{{"1080", 0, 99}}, all(c))
	refusedEvery(j, 10, 9)
	require.NoError(t, c.Sample(1))
	assert.Empty(t, all(c))
}

func TestACursorEnds(t *testing.T) {
	j := journal.New(journal.DefaultLimits(), nil)
	refusedEvery(j, 1, 2)
	c := j.Follow(journal.Query{})
	require.NoError(t, c.Look(1))
	require.NoError(t, c.Wait(t.Context()), "one is waiting")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, j.Follow(journal.Query{After: 2}).Wait(gone), context.Canceled)
	j.Close()
	assert.ErrorIs(t, c.Wait(t.Context()), io.EOF)
	assert.ErrorIs(t, c.Look(1), io.EOF)
	assert.ErrorIs(t, c.Sample(1), io.EOF)
	assert.Empty(t, all(c))
}

// What a cursor returns and what it has missed or passed over is all that there was, once each and in order, whatever is
// evicted, reserved and added meanwhile.
func TestACursorCountsEverything(t *testing.T) {
	const writers, each = 8, 500
	j := journal.New(journal.Limits{Entries: 300}, nil)
	c := j.Follow(journal.Query{Operation: "groups.*"})
	var adding sync.WaitGroup
	for range writers {
		adding.Go(func() {
			for range each {
				if rand.IntN(2) == 0 {
					j.Add(list(0))
				} else {
					j.Reserve().Fill(list(0))
				}
			}
		})
	}
	var returned, last, left uint64
	take := func(most int) {
		for range most {
			x, ok := c.Next()
			if !ok {
				return
			}
			number, err := strconv.ParseUint(x.ID, 10, 64)
			require.NoError(t, err)
			require.Equal(t, number-last-1, x.Missed+x.Passed, "after %d comes %d", last, number)
			last = number
			returned++
			left += x.Missed + x.Passed
		}
	}
	for last < writers*each {
		require.NoError(t, c.Wait(t.Context()))
		if rand.IntN(2) == 0 {
			require.NoError(t, c.Sample(20))
		} else {
			require.NoError(t, c.Look(20))
		}
		take(5)
	}
	adding.Wait()
	assert.EqualValues(t, writers*each, returned+left)
}
