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
	w := newBank(t)
	w.Behavior().Limits.Rows = rows
	return w
}

// additions add a row for a caller, with a text of its own.
var additions = map[string]func(w *sim.World, text string) error{
	"token": func(w *sim.World, _ string) error {
		_, err := w.IssueTokens(document(w), "02688", "app", byClient, start)
		return err
	},
	"group": func(w *sim.World, text string) error {
		g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: text}, start)
		if err == nil {
			g.Encoded(func(*sim.Group) []byte { return make([]byte, 200) })
		}
		return err
	},
	"alert preference": func(w *sim.World, text string) error {
		_, err := w.CreateAlertPreference(document(w), "02688", "1001", sim.AlertContent{AdditionalInfo: &text})
		return err
	},
	"minted token": func(w *sim.World, _ string) error {
		_, err := w.MintToken(document(w), "02688", "app", "", start, time.Hour, false)
		return err
	},
}

func TestCallersCanFillABankUpToItsLimit(t *testing.T) {
	for name, add := range additions {
		t.Run(name, func(t *testing.T) {
			w := limited(t, 4)
			var err error
			for n := 1; n < 10 && err == nil; n++ {
				fork := w.Fork()
				require.NoError(t, add(fork, strings.Repeat("n", n)))
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
	withTexts := func(w *sim.World, text string) error {
		_, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: text[450:], Description: text[:450]}, start)
		return err
	}
	withParticipants := func(w *sim.World, text string) error {
		g, err := w.CreateGroup(document(w), "02688", sim.NewGroup{Name: text}, start)
		if err != nil {
			return err
		}
		file := "ParticipantId"
		for n := range 1000 {
			file += fmt.Sprintf("\n%030d", n)
		}
		_, err = w.UploadParticipants(document(w), sim.Caller{}, "02688", g.GroupID,
			sim.Upload{Type: sim.JobAdd, FileName: "p.csv", File: file}, start)
		w.EndJobs(start.Add(time.Hour))
		return err
	}
	for name, c := range map[string]struct {
		rows, length int // of each text
		add          func(w *sim.World, text string) error
	}{
		"groups":                       {3000, 8, additions["group"]},
		"groups with texts":            {3000, 500, withTexts},
		"participants":                 {30, 8, withParticipants},
		"alert preferences":            {3000, 4, additions["alert preference"]},
		"alert preferences with texts": {1000, 8000, additions["alert preference"]},
		"tokens":                       {3000, 4, additions["token"]},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBank(t)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			weighed := w.Bytes()
			for number := range c.rows {
				require.NoError(t, c.add(w, fmt.Sprintf("%0*d", c.length, number)))
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
