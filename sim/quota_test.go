package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// limited returns a bank whose callers may add so many rows.
func limited(t *testing.T, rows int) *sim.World {
	t.Helper()
	return newBank(t, func(b *sim.Behavior) { b.Limits.Rows = rows })
}

func TestCallersCanFillABankUpToItsLimit(t *testing.T) {
	for name, add := range map[string]func(w *sim.World, text string) error{
		"tokens": func(w *sim.World, _ string) error {
			_, err := w.IssueTokens(document(w), "02688", "app", byClient, start)
			return err
		},
		"groups": func(w *sim.World, text string) error {
			_, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: text}, start)
			return err
		},
		"alert preferences": func(w *sim.World, text string) error {
			_, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{AdditionalInfo: &text})
			return err
		},
		"minted tokens": func(w *sim.World, _ string) error {
			_, err := w.MintToken(document(w), "02688", "app", "", start, time.Hour, false)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := limited(t, 4)
			var err error
			accepted := 0
			for ; accepted < 10 && err == nil; accepted++ {
				fork := w.Fork()
				if err = add(fork, strings.Repeat("n", accepted+1)); err == nil {
					w = fork
				}
			}
			require.ErrorIs(t, err, sim.WorldFull)
			assert.ErrorContains(t, err, "limits.rows")
			assert.Equal(t, 4, w.Added())
		})
	}
}

// Whoever issues and loses tokens all the time doesn't fill the bank.
func TestTokensThatNoLongerWorkAreForgotten(t *testing.T) {
	t.Run("revoked", func(t *testing.T) {
		w := limited(t, 4500)
		texts := []string{}
		for range 5000 {
			g, err := w.IssueTokens(document(w), "02688", "app", byClient, start)
			require.NoError(t, err)
			texts = append(texts, g.AccessToken)
			_, err = w.Revoke(document(w), "02688", "app", sim.TokenRequest{Token: g.AccessToken}, start)
			require.NoError(t, err)
		}
		_, known := w.Token(texts[len(texts)-1000])
		assert.True(t, known, "the newest are remembered")
		for _, text := range texts {
			_, err := w.Authenticate(text, start)
			require.ErrorIs(t, err, sim.TokenUnknown)
		}
	})
	t.Run("expired", func(t *testing.T) {
		w := limited(t, 4500)
		now, last := start, ""
		for range 3000 {
			g, err := w.IssueTokens(document(w), "02688", "app", byClient, now)
			require.NoError(t, err)
			last, now = g.AccessToken, now.Add(time.Hour)
		}
		_, err := w.Authenticate(last, now.Add(47*time.Hour))
		assert.ErrorIs(t, err, sim.TokenExpired)
	})
}
