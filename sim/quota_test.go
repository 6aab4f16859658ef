package sim_test

import (
	"fmt"
	"runtime"
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
				require.NoError(t, add(fork, strings.Repeat("n", accepted+1)))
				if err = fork.CheckLimits(w); err == nil {
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

// A row weighs about what it keeps in memory, whatever its table is and however long its texts are.
func TestRowsWeighWhatTheyKeep(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage takes memory, too")
	}
	text := func(length, number int) string { return fmt.Sprintf("%0*d", length, number) }
	for name, c := range map[string]struct {
		rows int
		add  func(w *sim.World, number int) error
	}{
		"groups": {3000, func(w *sim.World, number int) error {
			g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: text(8, number)}, start)
			if err == nil {
				g.Encoded(func(*sim.Group) []byte { return make([]byte, 200) })
			}
			return err
		}},
		"groups with texts": {3000, func(w *sim.World, number int) error {
			_, err := w.CreateGroup(document(w), "02688", sim.NewGroup{
				Name: text(50, number), Description: text(450, number),
			}, start)
			return err
		}},
		"participants": {30, func(w *sim.World, number int) error {
			g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: text(8, number)}, start)
			if err != nil {
				return err
			}
			file := "ParticipantId"
			for n := range 1000 {
				file += "\n" + text(30, n)
			}
			_, err = w.UploadParticipants(document(w), sim.Caller{}, "02688", g.GroupID,
				sim.Upload{Type: sim.JobAdd, FileName: "p.csv", File: file}, start)
			w.EndJobs(start.Add(time.Hour))
			return err
		}},
		"alert preferences": {3000, func(w *sim.World, number int) error {
			_, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{})
			return err
		}},
		"alert preferences with texts": {1000, func(w *sim.World, number int) error {
			info, long := text(8000, number), text(1000, number)
			_, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{
				AdditionalInfo: &info, Details: &sim.AlertDetails{AlertTypeName: &long},
			})
			return err
		}},
		"tokens": {3000, func(w *sim.World, _ int) error {
			_, err := w.IssueTokens(document(w), "02688", "app", byClient, start)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBank(t)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			weighed := w.Bytes()
			for number := range c.rows {
				require.NoError(t, c.add(w, number))
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			weighed, kept := w.Bytes()-weighed, int(after.HeapAlloc-before.HeapAlloc)
			t.Logf("a row keeps %d bytes and weighs %d", kept/c.rows, weighed/c.rows)
			assert.Greater(t, weighed, kept*3/4)
			assert.Less(t, weighed, kept*2)
			runtime.KeepAlive(w)
		})
	}
}
