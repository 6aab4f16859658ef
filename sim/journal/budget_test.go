package journal_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// However many large journals there are, small ones give nothing, and neither does one that was cleared.
func TestManyLargeJournalsGiveWayBeforeSmallOnes(t *testing.T) {
	const most = 2_000_000
	budget := journal.NewBudget(most)
	journals := make([]*journal.Journal, 40)
	for i := range journals {
		journals[i] = journal.New(0, budget)
	}
	small, large := journals[:10], journals[10:]
	for range 80 {
		small[0].Add(list(1000).record())
	}
	small[0].ClearTo(small[0].Last())
	for n := range 3000 {
		if n%300 == 0 {
			small[n/300].Add(list(1000).record())
		}
		large[n%len(large)].Add(list(1000).record())
		require.LessOrEqual(t, budget.Used(), int64(most))
	}
	for _, j := range small {
		assert.Zero(t, pageOf(j, journal.Query{}).Evicted)
		assert.Len(t, pageOf(j, journal.Query{}).Exchanges, 1)
	}
	assert.NotZero(t, budget.Evicted())
	assert.Greater(t, budget.Used(), int64(most*9/10))
	for _, j := range journals {
		j.Close()
	}
	assert.Zero(t, budget.Used())
}

func TestAnExchangeLargerThanTheBudgetIsEvicted(t *testing.T) {
	budget := journal.NewBudget(10_000)
	j := journal.New(0, budget)
	j.Add(list(0).record())
	assert.Equal(t, "2", j.Add(list(20_000).record()))
	assert.EqualValues(t, 2, pageOf(j, journal.Query{}).Evicted)
	assert.Zero(t, budget.Used())
	j.Add(list(0).record())
	assert.Equal(t, []string{"3"}, ids(pageOf(j, journal.Query{}).Exchanges))
}

func TestTheBudgetHoldsForManyJournalsAtOnce(t *testing.T) {
	const most = 200_000
	budget := journal.NewBudget(most)
	journals := make([]*journal.Journal, 16)
	for i := range journals {
		journals[i] = journal.New(0, budget)
	}
	var writers sync.WaitGroup
	for i := range 32 {
		writers.Go(func() {
			j := journals[i%len(journals)]
			for n := range 200 {
				j.Add(list(n * 10).record())
				if n == 150 && i == 0 {
					j.Close()
				}
			}
		})
	}
	writers.Wait()
	assert.LessOrEqual(t, budget.Used(), int64(most))
	var sum int64
	for _, j := range journals {
		sum += j.Bytes()
		page := pageOf(j, journal.Query{})
		if j != journals[0] {
			assert.EqualValues(t, 400, uint64(len(page.Exchanges))+page.Evicted)
		}
		j.Close()
	}
	assert.NotZero(t, sum)
	assert.Zero(t, budget.Used())
}
