package journal_test

import (
	"context"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// next waits for a batch, as a stream does.
func next(ctx context.Context, j *journal.Journal, after uint64) (exchanges []journal.Exchange, gap uint64, err error) {
	for len(exchanges) == 0 && err == nil { // what was added may have been cleared since
		if err = j.Wait(ctx, after); err == nil {
			exchanges, gap, err = j.Batch(after)
		}
	}
	return exchanges, gap, err
}

func TestBatchReturnsWhatIsThere(t *testing.T) {
	j := journal.New(journal.Limits{Entries: 4}, nil)
	for range 6 {
		j.Add(list(0))
	}
	for _, c := range []struct {
		after uint64
		ids   []string
		gap   uint64
	}{
		{0, []string{"3", "4", "5", "6"}, 2},
		{1, []string{"3", "4", "5", "6"}, 1},
		{2, []string{"3", "4", "5", "6"}, 0},
		{5, []string{"6"}, 0},
		{6, []string{}, 0},
		{7, []string{}, 0}, // of another journal, before a reset
	} {
		exchanges, gap, err := j.Batch(c.after)
		require.NoError(t, err)
		assert.Equal(t, c.ids, ids(exchanges), c.after)
		assert.Equal(t, c.gap, gap, c.after)
	}
}

func TestWaitWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := journal.New(journal.DefaultLimits(), nil)
		j.Add(list(0))
		var got []string
		go func() {
			exchanges, gap, err := next(t.Context(), j, 1)
			assert.NoError(t, err)
			assert.Zero(t, gap)
			got = ids(exchanges)
		}()
		synctest.Wait()
		assert.Nil(t, got)
		j.Add(list(0))
		synctest.Wait()
		assert.Equal(t, []string{"2"}, got)
	})
}

func TestWaitingEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*journal.Journal, context.CancelFunc)
		want error
	}{
		"with the context": {func(_ *journal.Journal, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"with the journal": {func(j *journal.Journal, _ context.CancelFunc) { j.Close() }, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := journal.New(journal.DefaultLimits(), nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var waiters sync.WaitGroup
				for range 3 {
					waiters.Go(func() {
						assert.ErrorIs(t, j.Wait(ctx, 0), c.want)
					})
				}
				synctest.Wait()
				c.end(j, cancel)
				waiters.Wait()
			})
		})
	}
}

func TestWhatWasClearedWhileWaitingIsAGap(t *testing.T) {
	j := journal.New(journal.DefaultLimits(), nil)
	for range 3 {
		j.Add(list(0))
	}
	j.Clear()
	j.Add(list(0))
	exchanges, gap, err := next(t.Context(), j, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"4"}, ids(exchanges))
	assert.EqualValues(t, 2, gap)
}

func TestSubscribersSeeEachExchangeOnceInOrder(t *testing.T) {
	const writers, each, subscribers = 32, 100, 8
	j := journal.New(journal.DefaultLimits(), nil)
	var all sync.WaitGroup
	for range subscribers {
		all.Go(func() {
			for after := uint64(0); after < writers*each; {
				exchanges, gap, err := next(t.Context(), j, after)
				if !assert.NoError(t, err) || !assert.Zero(t, gap) {
					return
				}
				for _, x := range exchanges {
					after++
					assert.Equal(t, strconv.FormatUint(after, 10), x.ID)
				}
			}
		})
	}
	for range writers {
		all.Go(func() {
			for range each {
				j.Add(list(10))
			}
		})
	}
	all.Wait()
}

func TestASlowSubscriberLearnsWhatItMissed(t *testing.T) {
	const writers, each = 32, 100
	j := journal.New(journal.Limits{Entries: 20}, nil)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				j.Add(list(10))
			}
		})
	}
	var seen, missed uint64
	all.Go(func() {
		for after := uint64(0); after < writers*each; {
			exchanges, gap, err := next(t.Context(), j, after)
			if !assert.NoError(t, err) {
				return
			}
			missed += gap
			seen += uint64(len(exchanges))
			assert.Equal(t, after+gap+1, exchanges[0].Number())
			after = exchanges[len(exchanges)-1].Number()
		}
	})
	all.Wait()
	assert.EqualValues(t, writers*each, seen+missed)
}
