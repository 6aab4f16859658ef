package sandbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// countingStore is a shared store that notes which of its methods are called, but for the checks of its health.
type countingStore struct {
	*memoryStore
	called []string
}

func newCountingStore() *countingStore {
	c := &countingStore{memoryStore: newMemoryStore()}
	c.before = func(write, _ string) error {
		c.note(write)
		return nil
	}
	return c
}

func (c *countingStore) note(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = append(c.called, method)
}

func (c *countingStore) Shared() bool { return true }

func (c *countingStore) List(ctx context.Context) ([]sandbox.Head, error) {
	c.note("list")
	return c.memoryStore.List(ctx)
}

func (c *countingStore) Load(ctx context.Context, name string) (sandbox.Bank, error) {
	c.note("load")
	return c.memoryStore.Load(ctx, name)
}

func (c *countingStore) Follow(
	ctx context.Context, name string, since sandbox.Version, after uint64,
) (sandbox.News, error) {
	c.note("follow")
	return c.memoryStore.Follow(ctx, name, since, after)
}

func (c *countingStore) World(
	ctx context.Context, name string, v sandbox.Version, id sandbox.WorldID,
) ([]sim.StoredRow, error) {
	c.note("world")
	return c.memoryStore.World(ctx, name, v, id)
}

// Sandboxes of a shared store are listed by one query, however many there are and whether this process knows them.
func TestListOfSharedStoreTakesOneQuery(t *testing.T) {
	t.Parallel()
	st := newCountingStore()
	open := func() *sandbox.Registry {
		r, _, err := sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: parse(t, frozen)}, st)
		require.NoError(t, err)
		t.Cleanup(r.Close)
		return r
	}
	creator, other := open(), open()
	const banks = 300
	for creator.Len() < banks {
		create(t, creator, sandbox.Plan{})
	}
	require.Equal(t, 1, other.Len())
	for _, r := range []*sandbox.Registry{creator, other} {
		st.called = nil
		all, err := r.List(t.Context())
		require.NoError(t, err)
		require.Len(t, all, banks)
		assert.Equal(t, sandbox.Default, all[0].Name)
		assert.Equal(t, []string{"list"}, st.called)
	}
}
