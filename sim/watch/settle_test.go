package watch_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// polled runs a test in synthetic time, with a watcher that polls a file four times in a second.
func polled(t *testing.T, content string, test func(t *testing.T, b bank)) {
	t.Helper()
	_, err := scenario.Load("base") // the schema is compiled outside of the synthetic time
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "bank.yaml")
		write(t, file, content)
		sc, files, err := scenario.LoadFile(file)
		require.NoError(t, err)
		b := bank{sandbox.NewRegistry(sandbox.Config{Scenario: sc}), t, file, &simtest.Log{}}
		defer b.Close()
		w := watch.Start(t.Context(), watch.Config{
			File: file, Files: files, Sandboxes: b.Registry, Log: slog.New(slog.NewTextHandler(b.log, nil)), Poll: 50 * time.Millisecond, PollOnly: true,
		})
		defer w.Close()
		synctest.Wait()
		test(t, b)
	})
}

// takes returns after how long what was written is in use, or refused; 0 after half a minute.
func (b bank) takes() time.Duration {
	before, began := b.Origin(), time.Now()
	for time.Since(began) < 30*time.Second {
		time.Sleep(10 * time.Millisecond)
		if now := b.Origin(); now.Replaced != before.Replaced || now.Refused != before.Refused || now.Returned != before.Returned {
			return time.Since(began)
		}
	}
	return 0
}

// A file that looks unfinished is taken later than another one, and the log says so.
func TestUnfinishedFiles(t *testing.T) {
	const good = "name: good\nextends: base\nseed: 7\nclock: {run: false}\n"
	soon, late := 300*time.Millisecond, 2400*time.Millisecond
	for name, test := range map[string]struct {
		content string
		want    time.Duration
		because string
	}{
		"another version":          {strings.Replace(good, "7", "8", 1), soon, ""},
		"a mistake":                {strings.Replace(good, "seed", "sede", 1), soon, ""},
		"a longer version":         {good + "# more\n", soon, ""},
		"no end of the line":       {strings.TrimSpace(good) + " # more", late, "bank.yaml ends within a line"},
		"empty":                    {"", late, "bank.yaml is empty"},
		"the beginning":            {"name: good\nextends: base\nseed: 7\n", late, "bank.yaml is the beginning of its last version"},
		"the beginning of another": {"name: better\n", late, "bank.yaml has less than half of its last version"},
		"a mistake at the end":     {good + "institutions: [{institutionId: \"02688\n", late, "bank.yaml has a mistake at its end"},
		"short, of a missing file": {"extends: nope.yaml\n", late, "bank.yaml has less than half of its last version"},
		"removed":                  {"-", late, "bank.yaml is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			polled(t, good, func(t *testing.T, b bank) {
				if test.content == "-" {
					require.NoError(t, os.Remove(b.file))
				} else {
					write(t, b.file, test.content)
				}
				assert.InDelta(t, test.want, b.takes(), float64(200*time.Millisecond))
				if test.because == "" {
					assert.NotContains(t, b.log.String(), "unfinished")
				} else {
					assert.Contains(t, b.log.String(), "the scenario may be unfinished and is taken as it is")
					assert.Contains(t, b.log.String(), test.because)
				}
			})
		})
	}
}

// A file that never stays as it is is taken all the same.
func TestEndlessWriters(t *testing.T) {
	t.Run("that add to the file", func(t *testing.T) {
		polled(t, extending("one"), func(t *testing.T, b bank) {
			endless(t, b, func(i int) string { return extending("two") + strings.Repeat("# more\n", i) })
		})
	})
	t.Run("that change the file", func(t *testing.T) {
		polled(t, extending("one"), func(t *testing.T, b bank) {
			endless(t, b, func(i int) string { return extending("two") + "seed: " + string(rune('1'+i%9)) + "\n" })
		})
	})
}

func endless(t *testing.T, b bank, content func(i int) string) {
	began := time.Now()
	for i := 0; b.Origin().Replaced == 0 && time.Since(began) < time.Minute; i++ {
		write(t, b.file, content(i))
		time.Sleep(100 * time.Millisecond)
	}
	assert.InDelta(t, 9.6, time.Since(began).Seconds(), 0.5)
	assert.Equal(t, "two", b.Origin().Scenario.Name)
	assert.Contains(t, b.log.String(), `because="the files keep changing"`)
}

// A change that is undone before it is taken is none.
func TestUndoneChanges(t *testing.T) {
	polled(t, extending("one"), func(t *testing.T, b bank) {
		write(t, b.file, extending("two"))
		time.Sleep(200 * time.Millisecond)
		write(t, b.file, extending("one"))
		assert.Zero(t, b.takes())
		assert.Empty(t, b.log.String())
	})
}

// A correction isn't delayed by what was wrong before: a file that was missing isn't awaited again.
func TestCorrectedNames(t *testing.T) {
	polled(t, extending("one"), func(t *testing.T, b bank) {
		write(t, b.file, "name: one\nextends: bsae # for all\n")
		assert.InDelta(t, 2700*time.Millisecond, b.takes(), float64(200*time.Millisecond))
		write(t, b.file, "name: two\nextends: base # for all\n")
		assert.InDelta(t, 300*time.Millisecond, b.takes(), float64(200*time.Millisecond))
		assert.Equal(t, "two", b.Origin().Scenario.Name)
	})
}

// A version that extends a file which was not watched before is taken once that file has stayed as it is, too.
func TestNewlyExtendedFiles(t *testing.T) {
	polled(t, extending("one"), func(t *testing.T, b bank) {
		shared := filepath.Join(filepath.Dir(b.file), "shared.yaml")
		write(t, shared, manyGroups(1, 10))
		write(t, b.file, "name: two\nextends: shared.yaml\n")
		for i := range 5 {
			time.Sleep(200 * time.Millisecond)
			write(t, shared, manyGroups(1, 10*i))
		}
		assert.NotZero(t, b.takes())
		assert.Len(t, b.groups(), 41)
		assert.EqualValues(t, 1, b.Origin().Replaced)
	})
}
