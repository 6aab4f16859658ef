package sandbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, r := t.Context(), newRegistry(t)
		kept := create(t, r, sandbox.Plan{Name: "kept"})
		brief := create(t, r, sandbox.Plan{Name: "brief", TTL: time.Hour})
		assert.True(t, kept.Info().Expires.IsZero())
		assert.Equal(t, time.Hour, brief.Info().Expires.Sub(brief.Info().Created))
		require.NoError(t, r.Delete(ctx, create(t, r, sandbox.Plan{Name: "again", TTL: time.Hour})))
		again := create(t, r, sandbox.Plan{Name: "again"})

		time.Sleep(time.Hour - 1)
		synctest.Wait()
		assert.Same(t, brief, find(t, r, "brief"))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		_, err := r.Find(ctx, "brief")
		assert.ErrorIs(t, err, sandbox.ErrNoSandbox)
		assert.ErrorIs(t, brief.Restart(ctx, "", parse(t, frozen)), sandbox.ErrDeleted)
		for _, sb := range []*sandbox.Sandbox{kept, again} {
			assert.Same(t, sb, find(t, r, sb.Name()))
		}
		create(t, r, sandbox.Plan{Name: "brief"})
	})
}

// A sandbox that is renewed lives for the new time from then on, whatever it had before.
func TestRenew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), newMemoryStore()
		for _, r := range []*sandbox.Registry{newRegistry(t), opened(t, st, frozen)} {
			assert.ErrorIs(t, r.Default().Renew(ctx, time.Hour), sandbox.ErrDefaultStays)
			longer := create(t, r, sandbox.Plan{Name: "longer", TTL: time.Hour})
			shorter := create(t, r, sandbox.Plan{Name: "shorter"})
			time.Sleep(50 * time.Minute)
			require.NoError(t, longer.Renew(ctx, time.Hour))
			require.NoError(t, shorter.Renew(ctx, time.Minute))
			time.Sleep(time.Hour - 1)
			synctest.Wait()
			assert.Same(t, longer, find(t, r, "longer"))
			assert.ErrorIs(t, second(r.Find(ctx, "shorter")), sandbox.ErrNoSandbox)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.ErrorIs(t, second(r.Find(ctx, "longer")), sandbox.ErrNoSandbox)
		}
	})
}

// A sandbox whose renewal succeeded is there, however close to its expiry the renewal came.
func TestRenewAtTheLastMoment(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	for n := range 500 {
		ttl := 50*time.Microsecond + time.Duration(n)*time.Microsecond
		sb := create(t, r, sandbox.Plan{TTL: ttl})
		for deadline := sb.Info().Created.Add(ttl); time.Now().Before(deadline); {
		}
		if sb.Renew(t.Context(), time.Hour) == nil {
			require.Same(t, sb, find(t, r, sb.Name()))
		}
	}
}

// reloadingStore is shared, and has a process load a bank again that another one has changed.
type reloadingStore struct{ *memoryStore }

func (reloadingStore) Shared() bool { return true }

func (s reloadingStore) Follow(
	_ context.Context, name string, since sandbox.Version, _ uint64,
) (sandbox.News, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.banks[name].Version != since {
		return sandbox.News{}, sandbox.ErrTooOld
	}
	return sandbox.News{Version: since}, nil
}

// A process that knows a sandbox doesn't delete it where another one has renewed it.
func TestRenewByAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), reloadingStore{newMemoryStore()}
		one, other := opened(t, st, frozen), opened(t, st, frozen)
		create(t, one, sandbox.Plan{Name: "brief", TTL: time.Hour})
		find(t, other, "brief")
		time.Sleep(30 * time.Minute)
		require.NoError(t, find(t, one, "brief").Renew(ctx, time.Hour))
		time.Sleep(time.Hour - 1)
		synctest.Wait()
		find(t, other, "brief")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.ErrorIs(t, second(other.Find(ctx, "brief")), sandbox.ErrNoSandbox)
	})
}

// Without a seed, tokens and ids are drawn anew at each start and reset. A seed that is given later repeats a run.
func TestNothingRepeatsByAccident(t *testing.T) {
	t.Parallel()
	draw := func(sb *sandbox.Sandbox) (token, group string) {
		require.NoError(t, sb.Change(t.Context(), func(tx *sandbox.Tx) error {
			minted, err := tx.World.MintToken(tx.World.Policies().Document, institution, "demo-app", "", tx.Now, time.Hour, false)
			token = minted.AccessToken
			return err
		}))
		for g := range latest(t, sb).World.Groups(institution) {
			group = g.GroupID
		}
		return token, group
	}
	unseeded := parse(t, "name: unseeded\nextends: retail\n")
	r := sandbox.NewRegistry(sandbox.Config{Scenario: unseeded})
	t.Cleanup(r.Close)
	tokens, groups := map[string]bool{}, map[string]bool{}
	note := func(sb *sandbox.Sandbox) {
		token, group := draw(sb)
		assert.False(t, tokens[token] || groups[group], sb.Name())
		tokens[token], groups[group] = true, true
	}
	note(r.Default())
	require.NoError(t, r.Default().Reset(t.Context(), ""))
	note(r.Default())
	note(create(t, r, sandbox.Plan{}))
	first := latest(t, r.Default()).Seed()
	token, group := draw(create(t, r, sandbox.Plan{Seed: &first}))
	assert.True(t, tokens[token] && groups[group], "the seed repeats the run of the default sandbox")
	stored := parse(t, "name: stored\nextends: retail\n").At(&first, scenario.ClockStart{})
	assert.NotEqual(t, first, stored.At(nil, scenario.ClockStart{}).Seed)
	now := create(t, r, sandbox.Plan{Scenario: parse(t, "extends: base\nclock: {start: now}\n")})
	assert.WithinDuration(t, time.Now(), latest(t, now).Now, time.Minute)
}
