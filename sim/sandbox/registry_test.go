package sandbox_test

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// A sandbox goes when its time to live is over. A renewed one has the new time from then on.
func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		for _, r := range []*sandbox.Registry{newRegistry(t), opened(t, newStore(t), frozen)} {
			assert.ErrorIs(t, r.Default().Renew(ctx, time.Hour), sandbox.ErrDefaultStays)
			brief := create(t, r, sandbox.Plan{Name: "brief", TTL: time.Hour})
			require.NoError(t, r.Delete(ctx, create(t, r, sandbox.Plan{Name: "again", TTL: time.Hour})))
			again := create(t, r, sandbox.Plan{Name: "again"})
			longer := create(t, r, sandbox.Plan{Name: "longer", TTL: time.Hour})
			shorter := create(t, r, sandbox.Plan{Name: "shorter"})
			time.Sleep(50 * time.Minute)
			require.NoError(t, longer.Renew(ctx, time.Hour))
			require.NoError(t, shorter.Renew(ctx, time.Minute))
			sleep := func(d time.Duration, there, gone []*sandbox.Sandbox) {
				t.Helper()
				time.Sleep(d)
				synctest.Wait()
				for _, sb := range there {
					assert.Same(t, sb, find(t, r, sb.Name()))
				}
				for _, sb := range gone {
					assert.ErrorIs(t, second(r.Find(ctx, sb.Name())), sandbox.ErrNoSandbox, sb.Name())
				}
			}
			all := []*sandbox.Sandbox{again, longer, brief, shorter}
			sleep(10*time.Minute-1, all[:3], all[3:])
			sleep(1, all[:2], all[2:])
			assert.ErrorIs(t, brief.Restart(ctx, "", parse(t, frozen)), sandbox.ErrDeleted)
			create(t, r, sandbox.Plan{Name: "brief"})
			sleep(50*time.Minute-1, all[:2], nil)
			sleep(1, all[:1], all[1:2])
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
type reloadingStore struct {
	*testStore
	mu     sync.Mutex
	latest map[string]sandbox.Version
}

func (*reloadingStore) Shared() bool { return true }

func (s *reloadingStore) Commit(
	ctx context.Context, name string, base sandbox.Version, b sandbox.Batch,
) (next sandbox.Version, first uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, first, err = s.testStore.Commit(ctx, name, base, b)
	s.latest[name] = next
	return next, first, err
}

func (s *reloadingStore) Delete(ctx context.Context, name string, v sandbox.Version) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest[name] = sandbox.Version{Seq: -1}
	return s.testStore.Delete(ctx, name, v)
}

func (s *reloadingStore) Load(ctx context.Context, name string) (sandbox.Bank, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.testStore.Load(ctx, name)
	b.Version = cmp.Or(s.latest[name], b.Version)
	return b, err
}

func (s *reloadingStore) Follow(
	_ context.Context, name string, since sandbox.Version, _ uint64,
) (sandbox.News, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cmp.Or(s.latest[name], since) != since {
		return sandbox.News{}, sandbox.ErrTooOld
	}
	return sandbox.News{Version: since}, nil
}

// A process that knows a sandbox doesn't delete it where another one has renewed it.
func TestRenewByAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, st := t.Context(), &reloadingStore{testStore: newStore(t), latest: map[string]sandbox.Version{}}
		one, other := opened(t, st, frozen), opened(t, st, frozen)
		create(t, one, sandbox.Plan{Name: "brief", TTL: time.Hour})
		find(t, other, "brief")
		create(t, one, sandbox.Plan{Name: "unknown"})
		all, err := other.List(ctx)
		require.NoError(t, err)
		assert.Len(t, all, 3, "also one that this process doesn't know")
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

// Without a seed, secrets are drawn anew at each start and reset. A seed that is given later repeats a run.
func TestNothingRepeatsByAccident(t *testing.T) {
	t.Parallel()
	r := sandbox.NewRegistry(sandbox.Config{Scenario: parse(t, "name: unseeded\nextends: base\n")})
	t.Cleanup(r.Close)
	first := latest(t, r.Default()).Seed()
	ids := map[string]bool{addGroup(t, r.Default(), "A"): true}
	require.NoError(t, r.Default().Reset(t.Context(), ""))
	for _, sb := range []*sandbox.Sandbox{r.Default(), create(t, r, sandbox.Plan{})} {
		id := addGroup(t, sb, "A")
		assert.False(t, ids[id], sb.Name())
		ids[id] = true
	}
	assert.True(t, ids[addGroup(t, create(t, r, sandbox.Plan{Seed: &first}), "A")], "it repeats the first run")
	now := create(t, r, sandbox.Plan{Scenario: parse(t, "extends: base\nclock: {start: now}\n")})
	assert.WithinDuration(t, time.Now(), latest(t, now).Now, time.Minute)
}
