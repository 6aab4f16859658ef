package journal_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// BenchmarkAppend appends exchanges to one journal that is full.
func BenchmarkAppend(b *testing.B) {
	j := journal.New(1000, journal.NewBudget(0))
	defer j.Close()
	b.ReportAllocs()
	for n := 0; n < b.N; n += 1000 {
		b.StopTimer()
		entries := make([]*journal.Entry, min(1000, b.N-n))
		for i := range entries {
			entries[i] = j.Entry(identified("Transactionid", fmt.Sprint(n, i)))
		}
		b.StartTimer()
		for _, e := range entries {
			j.Append(e)
		}
	}
}

// BenchmarkBudget adds exchanges to open journals that have used their budget up. With 20,000 journals an exchange
// costs at most twice as much as with 100.
func BenchmarkBudget(b *testing.B) {
	for _, open := range []int{100, 20_000} {
		for _, order := range []string{"roundRobin", "random"} {
			b.Run(fmt.Sprintf("%s/%d", order, open), func(b *testing.B) {
				budget := journal.NewBudget(64 << 20)
				journals := make([]*journal.Journal, open)
				for i := range journals {
					journals[i] = journal.New(0, budget)
					defer journals[i].Close()
				}
				next := func(n int) *journal.Journal { return journals[n%open] }
				if order == "random" {
					random := rand.New(rand.NewPCG(1, 2))
					next = func(int) *journal.Journal { return journals[random.IntN(open)] }
				}
				n := 0
				for ; budget.Evicted() == 0; n++ {
					next(n).Add(list(1000))
				}
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					next(n).Add(list(1000))
					n++
				}
				b.StopTimer()
			})
		}
	}
}
