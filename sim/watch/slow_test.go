package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// served collects the sources of all scenarios that a registry gets: the watcher logs each before it looks at its files again.
type served struct {
	slog.Handler
	of *sandbox.Registry

	mu      sync.Mutex
	sources []string
	refused int
}

func (s *served) Enabled(context.Context, slog.Level) bool { return true }

func (s *served) Handle(_ context.Context, line slog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case line.Message == "scenario reloaded":
		s.sources = append(s.sources, string(s.of.Origin().Scenario.Source))
	case strings.HasPrefix(line.Message, "scenario not reloaded"):
		s.refused++
	}
	return nil
}

func (s *served) all() ([]string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sources, s.refused
}

// manyGroups is a scenario that is valid wherever it breaks off between two lines.
func manyGroups(version, groups int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "name: v%d\nextends: base\ninstitutions:\n  - institutionId: \"02688\"\n    groups:\n      - groupName: First\n", version)
	for i := range groups {
		fmt.Fprintf(&text, "      - groupName: G %d-%d\n", version, i)
	}
	return text.String()
}

// writeSlowly writes a file from its beginning, in pieces of whole lines with pauses between them.
func writeSlowly(t *testing.T, file, content string, pieces int, pause func() time.Duration) {
	t.Helper()
	out, err := os.Create(file)
	if !assert.NoError(t, err) {
		return
	}
	lines := strings.SplitAfter(content, "\n")
	for i := range pieces {
		_, err := out.WriteString(strings.Join(lines[len(lines)*i/pieces:len(lines)*(i+1)/pieces], ""))
		assert.NoError(t, err)
		if i < pieces-1 {
			time.Sleep(pause())
		}
	}
	assert.NoError(t, out.Close())
}

// Ten writers write ten versions each of their files in pieces, in two ways, each of which leaves a valid scenario: none but the whole
// versions are served, each once. The time is synthetic, so a machine with other work to do makes no difference.
func TestSlowWriters(t *testing.T) {
	_, err := scenario.Load("base") // the schema is compiled outside of the synthetic time
	require.NoError(t, err)
	for name, pauses := range map[string]struct{ least, most time.Duration }{
		"pauses that are shorter than the quiet time":           {time.Millisecond, 290 * time.Millisecond},
		"pauses that are longer, of files that look unfinished": {300 * time.Millisecond, 800 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var writers sync.WaitGroup
				for seed := range uint64(10) {
					random := rand.New(rand.NewPCG(seed, 1))
					pause := func() time.Duration {
						return pauses.least + time.Duration(random.Int64N(int64(pauses.most-pauses.least)))
					}
					file := filepath.Join(t.TempDir(), "bank.yaml")
					write(t, file, manyGroups(0, 40))
					writers.Go(func() { writeVersions(t, file, pause) })
				}
				writers.Wait()
			})
		})
	}
}

// writeVersions writes ten versions of a watched file, some longer and some shorter than the one before.
func writeVersions(t *testing.T, file string, pause func() time.Duration) {
	sc, files, err := scenario.LoadFile(file)
	if !assert.NoError(t, err) {
		return
	}
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	defer sandboxes.Close()
	got := &served{of: sandboxes}
	w := watch.Start(t.Context(), watch.Config{
		File: file, Files: files, Sandboxes: sandboxes, Log: slog.New(got), Poll: 100 * time.Millisecond, PollOnly: true,
	})
	defer w.Close()
	var whole []string
	for version := range 10 {
		content := manyGroups(version+1, 30+10*(version%3))
		whole = append(whole, content)
		writeSlowly(t, file, content, 11, pause)
		time.Sleep(3 * time.Second)
	}
	sources, refused := got.all()
	assert.Equal(t, whole, sources)
	assert.Zero(t, refused)
}
