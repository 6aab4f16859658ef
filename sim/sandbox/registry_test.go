package sandbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(t)
		kept := create(t, r, sandbox.Plan{Name: "kept"})
		brief := create(t, r, sandbox.Plan{Name: "brief", TTL: time.Hour})
		assert.True(t, kept.ExpiresAt().IsZero())
		assert.Equal(t, time.Hour, brief.ExpiresAt().Sub(brief.CreatedAt()))
		require.NoError(t, r.Delete(create(t, r, sandbox.Plan{Name: "again", TTL: time.Hour}).Name()))
		again := create(t, r, sandbox.Plan{Name: "again"})

		time.Sleep(time.Hour - 1)
		synctest.Wait()
		_, ok := r.Get("brief")
		assert.True(t, ok)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		_, ok = r.Get("brief")
		assert.False(t, ok)
		assert.ErrorIs(t, brief.Restart("", parse(t, frozen)), sandbox.ErrDeleted)
		for _, sb := range []*sandbox.Sandbox{kept, again} {
			found, _ := r.Get(sb.Name())
			assert.Same(t, sb, found, sb.Name())
		}
		create(t, r, sandbox.Plan{Name: "brief"})
	})
}

// Without a seed, tokens and ids are drawn anew at each start and reset; a seed given later repeats a run.
func TestNothingRepeatsByAccident(t *testing.T) {
	t.Parallel()
	draw := func(sb *sandbox.Sandbox) (token, group string) {
		require.NoError(t, sb.Change(func(m sandbox.Moment) error {
			minted, err := m.World.MintToken(institution, "demo-app", "", m.Now, time.Hour, false)
			token = minted.AccessToken
			return err
		}))
		for g := range sb.Now().World.Groups(institution) {
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
	r.Default().Reset("")
	note(r.Default())
	note(create(t, r, sandbox.Plan{}))
	first := r.Default().Seed()
	token, group := draw(create(t, r, sandbox.Plan{Seed: &first}))
	assert.True(t, tokens[token] && groups[group], "the seed repeats the run of the default sandbox")
	assert.NotEqual(t, first, parse(t, "name: stored\nextends: retail\n").At(&first, time.Now()).At(nil, time.Now()).Seed)
	now := create(t, r, sandbox.Plan{Scenario: parse(t, "extends: base\nclock: {start: now}\n")})
	assert.WithinDuration(t, time.Now(), now.Now().Now, time.Minute)
}
