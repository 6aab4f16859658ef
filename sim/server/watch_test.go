package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// never is for a poll that has no part in a test: events do alone.
const never = time.Hour

// watchedBank is a simulator that follows a scenario's file.
type watchedBank struct {
	*bank
	file string
}

// watchBank starts a simulator on a scenario's file, and follows it.
func watchBank(t testing.TB, file string, poll time.Duration, log io.Writer) watchedBank {
	t.Helper()
	sc, files, err := scenario.LoadFile(file)
	require.NoError(t, err)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	b := serveBank(t, server.Config{Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}), Log: logger})
	watcher := watch.Start(t.Context(), watch.Config{
		File: file, Files: files, Sandboxes: b.sandboxes, Log: logger, Poll: poll, Quiet: time.Millisecond,
	})
	t.Cleanup(watcher.Close)
	return watchedBank{b, file}
}

// origin is what GET /v1/info says of the scenario.
type origin struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Version  string    `json:"version"`
	LoadedAt time.Time `json:"loadedAt"`
	Problems []defect  `json:"problems"`
}

// readiness is what GET /readyz says.
type readiness struct {
	Status   string   `json:"status"`
	Detail   string   `json:"detail"`
	Problems []defect `json:"problems"`
}

type defect struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

func (b watchedBank) origin() origin {
	b.t.Helper()
	return decode[struct {
		Version   string    `json:"version"`
		GoVersion string    `json:"goVersion"`
		StartedAt time.Time `json:"startedAt"`
		BaseURL   string    `json:"baseUrl"`
		Scenario  origin    `json:"scenario"`
		Sandboxes int       `json:"sandboxes"`
	}](b.t, b.call(200, "GET /v1/info", "")).Scenario
}

// await waits until the simulator says of its scenario what it should.
func (b watchedBank) await(what string, holds func(origin) bool) origin {
	b.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		got := b.origin()
		if holds(got) {
			return got
		}
		require.True(b.t, time.Now().Before(deadline), "never %s: %+v", what, got)
	}
}

func (b watchedBank) awaitName(name string) origin {
	b.t.Helper()
	return b.await(name, func(o origin) bool { return o.Name == name && len(o.Problems) == 0 })
}

func (b watchedBank) awaitProblem(message string) origin {
	b.t.Helper()
	return b.await("a problem: "+message, func(o origin) bool {
		return len(o.Problems) > 0 && strings.Contains(o.Problems[0].Message, message)
	})
}

// reloads are the counters of GET /metrics, and whether the last reload went well.
func (b watchedBank) reloads() string {
	b.t.Helper()
	var lines []string
	for line := range strings.Lines(b.call(200, "GET /metrics", "").body) {
		if name, ok := strings.CutPrefix(line, "banksim_scenario_"); ok && !strings.Contains(name, "timestamp") {
			lines = append(lines, strings.TrimSpace(name))
		}
	}
	return strings.Join(lines, ", ")
}

func reloadCounts(successful, refused, replaced, returned int) string {
	return fmt.Sprintf(`last_reload_successful %d, reloads_total{result="refused"} %d, reloads_total{result="replaced"} %d, reloads_total{result="returned"} %d`,
		successful, refused, replaced, returned)
}

// replaceFile puts a file in the place of another in one step, as careful editors do.
func replaceFile(t testing.TB, file, content string) {
	t.Helper()
	draft := file + ".draft"
	require.NoError(t, os.WriteFile(draft, []byte(content), 0o600))
	require.NoError(t, os.Rename(draft, file))
}

func writeFile(t testing.TB, file, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
}

func extending(name string) string { return "name: " + name + "\nextends: base\n" }

// A change starts the sandboxes anew that come from the server's scenario, and no other.
func TestWatchReplacesWhatFollows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bank.yaml")
	writeFile(t, file, extending("one")+"seed: 3\n")
	b := watchBank(t, file, never, io.Discard)
	before := b.origin()
	assert.Equal(t, file, before.File)
	assert.Len(t, before.Version, 16)
	b.call(201, "POST "+sandboxesURL, `{"name":"follower"}`)
	b.call(201, "POST "+sandboxesURL, `{"name":"seeded","seed":3}`)
	b.call(201, "POST "+sandboxesURL, `{"name":"builtin","scenario":"base"}`)
	b.call(201, "POST "+sandboxesURL, `{"name":"own","scenarioYaml":"extends: base\nname: own"}`)
	b.call(201, "POST "+sandboxesURL, `{"name":"put"}`)
	b.call(200, "PUT "+sandboxesURL+"/put/scenario", extending("put"))
	b.call(201, "POST "+sandboxesURL+"/default/fork", `{"name":"fork"}`)
	all := []string{"default", "follower", "seeded", "builtin", "own", "put", "fork"}
	for _, name := range all {
		createGroup.in(name).send(b.bank)
		b.call(201, "POST "+sandboxesURL+"/"+name+"/faults", `{"name":"added","operation":"groups.create","then":{"status":500}}`)
	}

	replaceFile(t, file, extending("two")+"seed: 4\nclock: {start: 2030-01-01T00:00:00Z, run: false}\n")
	after := b.awaitName("two")
	assert.NotEqual(t, before.Version, after.Version)
	assert.True(t, after.LoadedAt.After(before.LoadedAt))
	b.call(201, "POST "+sandboxesURL, `{"name":"later"}`)

	type seen struct {
		Scenario string
		Seed     uint64
		Anew     bool
	}
	got := map[string]seen{}
	for _, name := range append(all, "later") {
		url := sandboxesURL + "/" + name
		info := decode[sandboxInfo](t, b.call(200, "GET "+url, ""))
		anew := !strings.Contains(b.call(200, "GET "+url+"/state", "").body, "Night owls")
		assert.Equal(t, anew, strings.Contains(b.call(200, "GET "+url+"/journal", "").body, `"exchanges":[]`), name)
		assert.Equal(t, anew, strings.Contains(b.call(200, "GET "+url+"/faults", "").body, `"faults":[]`), name)
		assert.Equal(t, anew, strings.Contains(b.call(200, "GET "+url+"/clock", "").body, "2030"), name)
		got[name] = seen{info.Scenario, info.Seed, anew}
	}
	assert.Equal(t, map[string]seen{
		"default":  {"two", 4, true},
		"follower": {"two", 4, true},
		"seeded":   {"two", 3, true}, // a seed that was given stays
		"later":    {"two", 4, true},
		"builtin":  {"base", 1, false},
		"own":      {"own", 1, false},
		"put":      {"put", 1, false},
		"fork":     {"one", 3, false}, // made to keep a moment
	}, got)
	b.call(204, "POST "+defaultURL+"/reset", "")
	assert.Equal(t, "two", decode[sandboxInfo](t, b.call(200, "GET "+defaultURL, "")).Scenario, "a reset stays with it")
	assert.Equal(t, reloadCounts(1, 0, 1, 0), b.reloads())
}

// A bad file changes nothing; what is wrong with it is told everywhere until it is right again.
func TestWatchKeepsTheLastGoodScenario(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bank.yaml")
	good := extending("good") + "clock: {run: false}\n"
	writeFile(t, file, good)
	var log lockedBuffer
	b := watchBank(t, file, never, &log)
	assert.Equal(t, `{"status":"ready"}`, b.call(200, "GET /readyz", "").body)
	createGroup.send(b.bank)
	world := b.observed()

	for i, test := range []struct {
		breaks  func()
		message string
	}{
		{func() { replaceFile(t, file, good+"institutions: 7\nfautls: []\n") }, "institutions"},
		{func() { require.NoError(t, os.Remove(file)) }, "no such file"},
		{func() { writeFile(t, file, good+"institutions:\n  - institutionId: \"026") }, "quote"}, // half-written
		{func() { replaceFile(t, file, good+strings.Repeat("#", 1<<20)) }, "larger than 1 MiB"},
		{func() {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Mkdir(file, 0o700))
		}, "not a regular file"},
	} {
		test.breaks()
		got := b.awaitProblem(test.message)
		assert.Equal(t, "good", got.Name)
		assert.Equal(t, file, got.Problems[0].File)
		assert.Equal(t, world, b.observed(), "as before")
		ready := decode[readiness](t, b.call(200, "GET /readyz", ""))
		assert.Equal(t, "ready", ready.Status)
		assert.Regexp(t, `^the scenario's files have changed and were not taken: that of \S+Z still serves; GET /v1/info tells why$`, ready.Detail)
		assert.Equal(t, got.Problems, ready.Problems)
		assert.Contains(t, b.reloads(), "last_reload_successful 0,")
		assert.Contains(t, log.String(), test.message)
		if i == 0 {
			require.Len(t, got.Problems, 2)
			assert.Equal(t, []int{4, 15, 5, 1}, []int{got.Problems[0].Line, got.Problems[0].Column, got.Problems[1].Line, got.Problems[1].Column})
			assert.Contains(t, log.String(), `bank.yaml:5:1: unknown key \"fautls\": did you mean \"faults\"?`)
		}
	}
	require.NoError(t, os.Remove(file))
	replaceFile(t, file, good)
	b.awaitName("good")
	assert.Equal(t, world, b.observed(), "the same content is no reason to start anew")
	assert.Equal(t, `{"status":"ready"}`, b.call(200, "GET /readyz", "").body)
	assert.Contains(t, b.reloads(), `last_reload_successful 1,`)
	assert.Contains(t, b.reloads(), `"replaced"} 0, reloads_total{result="returned"} `)
	replaceFile(t, file, extending("better"))
	b.awaitName("better")
}

// A file is followed however it is changed.
func TestWatchFollowsFiles(t *testing.T) {
	t.Run("touched", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "bank.yaml")
		writeFile(t, file, extending("one"))
		b := watchBank(t, file, never, io.Discard)
		loaded := b.origin().LoadedAt
		replaceFile(t, file, extending("one"))
		writeFile(t, file+".other", "unrelated")
		require.NoError(t, os.Chtimes(file, time.Now(), time.Now().Add(time.Hour)))
		replaceFile(t, file, extending("two")) // tells that the changes before were looked at, or came too late to count
		b.awaitName("two")
		assert.NotEqual(t, loaded, b.origin().LoadedAt)
		assert.Equal(t, reloadCounts(1, 0, 1, 0), b.reloads())
	})
	t.Run("a file that it extends", func(t *testing.T) {
		folder := t.TempDir()
		file, shared := filepath.Join(folder, "bank.yaml"), filepath.Join(folder, "shared", "groups.yaml")
		require.NoError(t, os.Mkdir(filepath.Dir(shared), 0o700))
		writeFile(t, file, "name: top\nextends: shared/groups.yaml\n")
		group := func(name string) string {
			return "extends: base\ninstitutions: [{institutionId: '02688', groups: [{groupName: " + name + "}]}]\n"
		}
		writeFile(t, shared, group("First"))
		b := watchBank(t, file, never, io.Discard)
		before := b.origin().Version
		replaceFile(t, shared, group("Second"))
		b.await("another version", func(o origin) bool { return o.Version != before })
		assert.Contains(t, b.state(), "Second")

		// What it would extend is followed, too.
		replaceFile(t, file, "name: top\nextends: shared/new.yaml\n")
		b.awaitProblem("no such file in the scenario's folder")
		writeFile(t, filepath.Join(folder, "shared", "new.yaml"), group("Third"))
		b.await("no problem", func(o origin) bool { return len(o.Problems) == 0 })
		assert.Contains(t, b.state(), "Third")
	})
	t.Run("a ConfigMap's links", func(t *testing.T) {
		folder := t.TempDir()
		deploy := func(name string) { // as the kubelet does
			data := ".." + name
			require.NoError(t, os.Mkdir(filepath.Join(folder, data), 0o700))
			writeFile(t, filepath.Join(folder, data, "bank.yaml"), "extends: shared.yaml\nname: "+name+"\n")
			writeFile(t, filepath.Join(folder, data, "shared.yaml"), extending("shared"))
			require.NoError(t, os.Symlink(data, filepath.Join(folder, "..data_tmp")))
			require.NoError(t, os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")))
		}
		deploy("one")
		for _, name := range []string{"bank.yaml", "shared.yaml"} {
			require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)))
		}
		b := watchBank(t, filepath.Join(folder, "bank.yaml"), never, io.Discard)
		deploy("two")
		b.awaitName("two")
		require.NoError(t, os.RemoveAll(filepath.Join(folder, "..one")))
		deploy("three")
		b.awaitName("three")
		assert.Equal(t, reloadCounts(1, 0, 2, 0), b.reloads())
	})
	t.Run("where no event tells of it", func(t *testing.T) {
		elsewhere := filepath.Join(t.TempDir(), "mounted.yaml")
		file := filepath.Join(t.TempDir(), "bank.yaml")
		writeFile(t, elsewhere, extending("one"))
		require.NoError(t, os.Symlink(elsewhere, file))
		b := watchBank(t, file, time.Millisecond, io.Discard)
		replaceFile(t, elsewhere, extending("two"))
		b.awaitName("two")
	})
	t.Run("in a folder that is replaced", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "bank")
		file := filepath.Join(folder, "bank.yaml")
		require.NoError(t, os.Mkdir(folder, 0o700))
		writeFile(t, file, extending("one"))
		b := watchBank(t, file, time.Millisecond, io.Discard)
		require.NoError(t, os.RemoveAll(folder))
		b.awaitProblem("no such file")
		require.NoError(t, os.Mkdir(folder, 0o700))
		replaceFile(t, file, extending("two"))
		b.awaitName("two")
	})
	t.Run("under constant writes", func(t *testing.T) {
		folder := t.TempDir()
		file := filepath.Join(folder, "bank.yaml")
		writeFile(t, file, extending("one"))
		b := watchBank(t, file, never, io.Discard)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					_ = os.WriteFile(filepath.Join(folder, "noise"), []byte("x"), 0o600)
				}
			}
		}()
		t.Cleanup(func() {
			close(stop)
			<-stopped
		})
		replaceFile(t, file, extending("two"))
		b.awaitName("two")
	})
}
