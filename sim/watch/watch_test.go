package watch_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/store"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bank is a registry whose scenario is watched.
type bank struct {
	*sandbox.Registry
	t    *testing.T
	file string
	log  *simtest.Log
}

// watched watches a file for a registry that keeps its banks in a directory; empty: in memory.
func watched(t *testing.T, file, directory string) bank {
	t.Helper()
	sc, files, err := scenario.LoadFile(file)
	require.NoError(t, err)
	r := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	if directory != "" {
		kept, err := store.OpenFile(directory)
		require.NoError(t, err)
		t.Cleanup(func() { _ = kept.Close() })
		r, _, err = sandbox.OpenRegistry(t.Context(), sandbox.Config{Scenario: sc}, kept)
		require.NoError(t, err)
	}
	b := bank{r, t, file, &simtest.Log{}}
	t.Cleanup(b.Close)
	w := watch.Start(t.Context(), watch.Config{
		File:      file,
		Files:     files,
		Sandboxes: b.Registry,
		Log:       slog.New(slog.NewTextHandler(b.log, nil)),
		Poll:      time.Millisecond,
	})
	t.Cleanup(w.Close)
	return b
}

// await waits until the origin is as it should be.
func (b bank) await(what string, holds func(sandbox.Origin) bool) sandbox.Origin {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return holds(b.Origin()) }, 30*time.Second, time.Millisecond, what)
	return b.Origin()
}

// awaitName waits for a scenario of a name, without a problem.
func (b bank) awaitName(name string) sandbox.Origin {
	b.t.Helper()
	return b.await(name, func(o sandbox.Origin) bool { return o.Scenario.Name == name && o.Problem == nil })
}

func (b bank) awaitProblem(message string) sandbox.Origin {
	b.t.Helper()
	return b.await(
		message,
		func(o sandbox.Origin) bool { return o.Problem != nil && strings.Contains(o.Problem.Error(), message) },
	)
}

// logs waits until the log has a text.
func (b bank) logs(text string) {
	b.t.Helper()
	require.Eventually(
		b.t, func() bool { return strings.Contains(b.log.String(), text) }, simtest.Patience, time.Millisecond, text,
	)
}

// groups returns the names of the groups of the default sandbox.
func (b bank) groups() (names []string) {
	for g := range b.Default().Known().World.Groups("02688") {
		names = append(names, g.Name)
	}
	return names
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}

// replace replaces a file in one step, as careful editors do. Windows refuses that while the file is read.
func replace(t *testing.T, file, content string) {
	t.Helper()
	write(t, file+".draft", content)
	succeeds(t, func() error { return os.Rename(file+".draft", file) })
}

func remove(t *testing.T, file string) {
	t.Helper()
	succeeds(t, func() error { return os.Remove(file) })
}

func succeeds(t *testing.T, change func() error) {
	t.Helper()
	succeeds := func(c *assert.CollectT) { assert.NoError(c, change()) }
	require.EventuallyWithT(t, succeeds, 10*time.Second, time.Millisecond)
}

func extending(name string) string { return "name: " + name + "\nextends: base\n" }

// A bad file changes nothing. Its problems are recorded and logged until it is good again. So is what is valid and
// probably a mistake.
func TestTheLastGoodScenarioStays(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	good := extending("good") + "clock: {run: false}\n"
	write(t, file, good)
	b := watched(t, file, "")
	generation, loaded := b.Default().Known().Generation, b.Origin().LoadedAt

	for _, test := range []struct {
		breaks  func()
		message string
		logged  string
	}{
		{func() { replace(t, file, good+"institutions: 7\nfautls: []\n") }, "institutions",
			`bank.yaml:5:1: unknown key \"fautls\": did you mean \"faults\"?`},
		{func() { remove(t, file) }, "there is no file", "there is no file"},
		{func() { write(t, file, good+"institutions:\n  - institutionId: \"026") }, "quote", "quote"}, // half-written
		{func() { replace(t, file, good+strings.Repeat("#", 1<<20)) }, "larger than 1 MiB", "larger than 1 MiB"},
		{func() { remove(t, file); require.NoError(t, os.Mkdir(file, 0o700)) }, "is a folder", "is a folder"},
	} {
		test.breaks()
		got := b.awaitProblem(test.message)
		assert.Equal(t, "good", got.Scenario.Name)
		assert.Equal(t, loaded, got.LoadedAt)
		assert.Same(t, generation, b.Default().Known().Generation, "nothing restarted")
		b.logs(test.logged)
	}
	remove(t, file)
	replace(t, file, good)
	got := b.awaitName("good")
	assert.Same(t, generation, b.Default().Known().Generation, "the same content restarts nothing")
	assert.Equal(t, loaded, got.LoadedAt)
	replace(t, file, "# a comment\n\n"+good)
	b.await("the comment", func(o sandbox.Origin) bool { return strings.HasPrefix(string(o.Scenario.Source), "#") })
	assert.Same(t, generation, b.Default().Known().Generation, "a comment restarts nothing")
	replace(t, file, extending("better")+"clock: {start: 2026-03-01T08:00:00Z}\n"+
		"faults: [{when: {during: {until: 2026-02-01T00:00:00Z}}, then: {status: 500}}]\n")
	b.awaitName("better")
	assert.NotSame(t, generation, b.Default().Known().Generation)
	b.logs(`msg="scenario reloaded"`)
	b.logs("this fault never fires")
	assert.Regexp(t, `level=WARN msg="warning in the scenario" warning=".*bank.yaml:4:26: this fault`, b.log.String())
}

// A file that is still being written is not loaded: two looks in a row find the same.
func TestFileThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	write(t, file, extending("good"))
	synctest.Test(t, func(t *testing.T) {
		b := watched(t, file, "")
		time.Sleep(time.Millisecond / 2)
		for _, half := range []string{"name: [bet", "name: better\nextends: [b", extending("better")} {
			write(t, file, half)
			time.Sleep(time.Millisecond)
		}
		b.awaitName("better")
		assert.NotContains(t, b.log.String(), "problem")
	})
}

// The files that a scenario extends are watched, also those that don't exist yet.
func TestExtendedFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, shared := filepath.Join(folder, "bank.yaml"), filepath.Join(folder, "shared", "groups.yaml")
	require.NoError(t, os.Mkdir(filepath.Dir(shared), 0o700))
	write(t, file, "name: top\nextends: shared/groups.yaml\n")
	group := func(name string) string {
		return "extends: base\ninstitutions: [{institutionId: '02688', groups: [{groupName: " + name + "}]}]\n"
	}
	write(t, shared, group("First"))
	b := watched(t, file, "")
	version := b.Origin().Scenario.Version
	assert.Len(t, version, 16)
	replace(t, shared, group("Second"))
	b.await("another version", func(o sandbox.Origin) bool { return o.Scenario.Version != version })
	assert.Equal(t, []string{"Second"}, b.groups())

	replace(t, file, "name: top\nextends: shared/new.yaml\n")
	b.awaitProblem("there is no file")
	write(t, filepath.Join(folder, "shared", "new.yaml"), group("Third"))
	b.await("no problem", func(o sandbox.Origin) bool { return o.Problem == nil })
	assert.Equal(t, []string{"Third"}, b.groups())
}

// A ConfigMap is a folder of links, of which the kubelet replaces one.
func TestConfigMaps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it replaces no link in one step")
	}
	t.Parallel()
	folder := t.TempDir()
	deploy := func(name string) {
		data := ".." + name
		require.NoError(t, os.Mkdir(filepath.Join(folder, data), 0o700))
		write(t, filepath.Join(folder, data, "bank.yaml"), "extends: shared.yaml\nname: "+name+"\n")
		write(t, filepath.Join(folder, data, "shared.yaml"), extending("shared"))
		require.NoError(t, os.Symlink(data, filepath.Join(folder, "..data_tmp")))
		require.NoError(t, os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")))
	}
	deploy("one")
	for _, name := range []string{"bank.yaml", "shared.yaml"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)))
	}
	b := watched(t, filepath.Join(folder, "bank.yaml"), "")
	deploy("two")
	b.awaitName("two")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "..one")))
	deploy("three")
	b.awaitName("three")
}

// A save resets no bank that is stored: a team's bank of weeks would go with a change of the description. The log says
// so, and how to reset. New sandboxes take the new scenario.
func TestStoredBanksStay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	write(t, file, "name: one\nextends: base\nseed: 1\n")
	b := watched(t, file, t.TempDir())
	require.NoError(t, b.Default().Change(t.Context(), func(tx *sandbox.Tx) error {
		_, err := tx.World.CreateGroup(tx.World.Policies().Document, "02688", sim.NewGroup{Name: "kept"}, tx.Now)
		return err
	}))
	replace(t, file, "name: two\nextends: base\nseed: 1\n")
	b.awaitName("two")
	assert.Equal(t, []string{"kept"}, b.groups())
	b.logs("stored banks stay as they are")
	made, err := b.Create(t.Context(), sandbox.Plan{Name: "new"})
	require.NoError(t, err)
	assert.Equal(t, "two", made.Info().Scenario)
	require.NoError(t, b.Default().Reset(t.Context(), ""))
	assert.Equal(t, "two", b.Default().Info().Scenario)
	assert.Empty(t, b.groups())
}
