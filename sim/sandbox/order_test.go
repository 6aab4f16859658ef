package sandbox_test

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Whoever sees an exchange finds its change in the bank.
func TestExchangesAreShownAfterTheirChange(t *testing.T) {
	t.Parallel()
	const changes, senders = 2000, 4
	sb := newRegistry(t).Default()
	began := latest(t, sb).Changes()
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for seen := uint64(0); seen < changes; {
				if !assert.NoError(t, sb.Known().Journal.Wait(t.Context(), seen)) {
					return
				}
				for x := range sb.Known().Journal.Select(journal.Query{After: seen}).Exchanges() {
					seen, _ = journal.ParseID(x.ID)
				}
				assert.GreaterOrEqual(t, sb.Known().Changes()-began, seen, "changes of %d exchanges", seen)
			}
		})
		all.Go(func() {
			for n := range changes / senders {
				_, err := sb.Update(t.Context(), func(tx *sandbox.Tx) (sandbox.Draft, error) {
					return func() journal.Record {
						if n%3 == 0 {
							runtime.Gosched() // some take longer
						}
						return journal.Record{Exchange: &journal.Exchange{}}
					}, newGroup(strconv.FormatUint(tx.Changes(), 10))(tx)
				})
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
}

// An exchange whose draft panics is there all the same, and those after it are seen.
func TestADraftThatPanicsIsRecorded(t *testing.T) {
	t.Parallel()
	sb := newRegistry(t).Default()
	assert.PanicsWithValue(t, "a mistake", func() {
		_, _ = sb.Update(t.Context(), func(tx *sandbox.Tx) (sandbox.Draft, error) {
			return func() journal.Record { panic("a mistake") }, newGroup("made")(tx)
		})
	})
	id := exchange(t, sb, newGroup("later"))
	assert.Equal(t, "2", id)
	x, ok := sb.Known().Journal.Get("1")
	require.True(t, ok)
	assert.Equal(t, string(contract.InternalFault), x.Decision.Rule)
	assert.Equal(t, []string{"later", "made"}, groups(latest(t, sb)))
}

// A journal counts what the worlds of its exchanges keep. It forgets worlds where they exceed its limit.
func TestKeptWorldsAreCounted(t *testing.T) { // not parallel: it looks at the memory of the process
	const users, rounds = 20_000, 10
	for name, c := range map[string]struct {
		entries int // 8 KiB each
		rows    int // that an exchange changes
		keeps   int // exchanges whose worlds are known in the end
	}{
		"one row":                {10_000, 1, rounds},
		"many rows":              {10_000, users, rounds},
		"more than there is for": {200, users, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, frozen), Entries: c.entries})
			defer r.Close()
			sb := r.Default()
			patch := func(round, count int) func(*sandbox.Tx) error {
				return func(tx *sandbox.Tx) (err error) {
					isActive := round%2 == 0
					for n := 0; n < count && err == nil; n++ {
						id := fmt.Sprint("u-", n)
						if round < 0 {
							err = tx.World.AddUser(sim.User{InstitutionID: institution, HostUserID: id})
						} else {
							err = tx.World.PatchUser(institution, id, sim.UserPatch{Active: &isActive}, tx.Now)
						}
					}
					return err
				}
			}
			require.NoError(t, sb.Change(t.Context(), patch(-1, users)))
			before, counted := heap(), sb.Known().Journal.Bytes()
			for round := range rounds {
				exchange(t, sb, patch(round, c.rows))
			}
			grown, counted := heap()-before, sb.Known().Journal.Bytes()-counted
			t.Logf("the heap has %d bytes more, and the journal counts %d", grown, counted)
			assert.InDelta(t, grown, counted, max(float64(counted)/2, 1<<20))
			known := 0
			for round := range rounds {
				if step, _ := sb.Known().Journal.Step(strconv.Itoa(round + 1)); step.After != nil {
					known++
				}
			}
			assert.Equal(t, c.keeps, known)
		})
	}
}

// heap returns how many bytes are reachable.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
