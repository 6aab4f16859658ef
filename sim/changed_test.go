package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// A world has changed if a row differs from the one that it was forked from, and then only.
func TestChanged(t *testing.T) {
	for name, change := range changes {
		w := newBank(t).Fork()
		assert.False(t, w.Changed(), name)
		require.NoError(t, change(w))
		assert.Equal(t, name != "request id" && name != "seed", w.Changed(), name)
		assert.False(t, w.Fork().Changed(), name)
	}
}

// What is written again as it was is no change, and what is refused is none.
func TestTheSameAgainIsNoChange(t *testing.T) {
	w := newBank(t)
	grant, err := w.IssueTokens("02688", "app", sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "demo"}, start)
	require.NoError(t, err)
	for name, change := range map[string]func(w *sim.World) error{
		"account preference": changes["account preference"],
		"user preference":    changes["user preference"],
		"revocation": func(w *sim.World) error {
			_, err := w.Revoke("02688", "app", sim.TokenRequest{RefreshToken: grant.RefreshToken})
			return err
		},
		"user": func(w *sim.World) error {
			active := false
			return w.PatchUser("02688", "1001", sim.UserPatch{Active: &active}, start)
		},
		"institution": func(w *sim.World) error { return w.ConfigureMultistatement("02688", false) },
	} {
		first := w.Fork()
		require.NoError(t, change(first), name)
		assert.True(t, first.Changed(), name)
		second := first.Fork()
		require.NoError(t, change(second), name)
		assert.False(t, second.Changed(), name)
		for c := range second.Diff(time.Time{}, first, time.Time{}) {
			assert.Fail(t, name, "%s differs", c.Row)
		}
	}
	fork := w.Fork()
	require.Error(t, updateUser(fork, anybody, "9999", true))
	assert.False(t, fork.Changed())
}
