package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// A bank returns to its start each day at a time: by its scenario, or as a call has set it. A fork doesn't.
func TestDailyResets(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	synctest.Test(t, func(t *testing.T) { // it begins at midnight UTC
		r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, "resets: {daily: '04:00'}\n"+frozen)})
		defer r.Close()
		byScenario := r.Default()
		tokyo := &sim.ResetTime{Daily: "05:00", Zone: "Asia/Tokyo"} // 20:00 UTC
		byCall, err := r.Create(ctx, sandbox.Plan{Name: "other", Resets: tokyo})
		require.NoError(t, err)
		fork, err := r.Fork(ctx, byScenario, "fork", 0)
		require.NoError(t, err)
		all := []*sandbox.Sandbox{byScenario, byCall, fork}
		at := func(after time.Duration) (resets [3]string) {
			for _, sb := range all {
				require.NoError(t, sb.Change(ctx, newGroup("kept until the reset")))
			}
			time.Sleep(after)
			synctest.Wait()
			for i, sb := range all {
				if len(groups(latest(t, sb))) == 0 {
					last := sb.Info().LastReset
					assert.Equal(t, "resets", last.By)
					resets[i] = last.At.UTC().Format("02 15:04:05")
				} else {
					require.NoError(t, sb.Reset(ctx, "the test"))
				}
			}
			return resets
		}
		assert.Equal(t, [3]string{}, at(3*time.Hour))
		assert.Equal(t, [3]string{"01 04:00:00", "", ""}, at(2*time.Hour))
		assert.Equal(t, [3]string{"", "01 20:00:00", ""}, at(16*time.Hour))
		assert.Equal(t, [3]string{"02 04:00:00", "", ""}, at(8*time.Hour))

		// A time that is set isn't made up for.
		require.NoError(t, byScenario.SetResets(ctx, sim.ResetTime{Daily: "05:01"}))
		require.NoError(t, byCall.SetResets(ctx, sim.ResetTime{}))
		require.NoError(t, fork.SetResets(ctx, sim.ResetTime{Daily: "05:03"}))
		assert.Equal(t, [3]string{"02 05:01:00", "", ""}, at(2*time.Minute))
		assert.Equal(t, [3]string{"", "", "02 05:03:00"}, at(2*time.Minute))
		assert.Equal(t, [3]string{"03 05:01:00", "", "03 05:03:00"}, at(24*time.Hour))
	})
}

// A time that comes with a reload of the scenario isn't made up for: the bank keeps its rows until that time.
func TestAReloadedTimeIsNotMadeUpFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // it begins at midnight UTC
		r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, frozen)})
		defer r.Close()
		time.Sleep(30 * time.Hour)
		require.NoError(t, r.Default().Change(t.Context(), newGroup("kept until the reset")))
		r.SetScenario(parse(t, "resets: {daily: '04:00'}\n"+frozen))
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Len(t, groups(latest(t, r.Default())), 1)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Empty(t, groups(latest(t, r.Default())))
	})
}

// A stored bank is reset at the next start, once, if nothing ran at the time.
func TestAMissedResetIsMadeUpFor(t *testing.T) {
	t.Parallel()
	st := newStore(t)
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, st, "resets: {daily: '04:00'}\n"+frozen)
		require.NoError(t, r.Default().Change(t.Context(), newGroup("of yesterday")))
		r.Close()
		time.Sleep(30 * time.Hour)
		for range 2 {
			r = opened(t, st, frozen)
			synctest.Wait()
			assert.Empty(t, groups(latest(t, r.Default())))
			last := r.Default().Info().LastReset
			assert.Equal(t, "resets 02 06:00:00", last.By+last.At.UTC().Format(" 02 15:04:05"))
			r.Close()
			time.Sleep(time.Hour)
		}
	})
}
