package server_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// versioned is a scenario that shows its version in everything from which an answer is made: the world (two groups), the
// behaviour (the status of a new group) and the faults (a header). A delay makes requests meet reloads.
func versioned(version int, delay string) string {
	return fmt.Sprintf(`
name: v%[1]d
extends: base
seed: %[1]d
behavior: {groups: {createStatus: %[2]d}}
institutions: [{institutionId: "02688", groups: [{groupName: A %[1]d}, {groupName: B %[1]d}]}]
faults: [{name: mark, operation: "groups.*", then: {headers: {X-Version: "%[1]d"}, delay: %[3]s}}]
`, version, 200+version%2, delay)
}

var groupVersion = regexp.MustCompile(`"groupName":"[AB] (\d+)"`)

// observer sends requests to sandboxes one after the other. It requires that every answer is of one version, and that no
// version is older than one that it has seen in another sandbox.
type observer struct {
	*simtest.Bank
	t       *testing.T
	latest  int
	answers *atomic.Int64
}

func (o *observer) saw(what string, versions ...string) {
	o.answers.Add(1)
	if !assert.Len(o.t, slices.Compact(slices.Clone(versions)), 1, "%s: an answer of several versions", what) {
		return
	}
	version, err := strconv.Atoi(versions[0])
	assert.NoError(o.t, err, what)
	assert.GreaterOrEqual(o.t, version, o.latest, "%s: the old version, after the new one was seen elsewhere", what)
	o.latest = max(o.latest, version)
}

// interrupted reports whether a request was refused because its sandbox restarted while the fault delayed it.
func interrupted(res simtest.Answer) bool { return res.Code() == "BANKSIM_GENERATION_ENDED" }

func (o *observer) list(sandbox string) {
	res := simtest.ListGroups.Send(o.In(sandbox))
	if interrupted(res) {
		return
	}
	assert.Equal(o.t, 200, res.StatusCode, res.Body)
	versions := []string{res.Header.Get("X-Version")}
	for _, match := range groupVersion.FindAllStringSubmatch(res.Body, -1) {
		versions = append(versions, match[1])
	}
	assert.Len(o.t, versions, 3)
	o.saw("list", versions...)
}

func (o *observer) create(sandbox string, number int) {
	res := simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"%s %p %d"}`, sandbox, o, number)).Send(o.In(sandbox))
	if interrupted(res) {
		return
	}
	version, _ := strconv.Atoi(res.Header.Get("X-Version"))
	assert.Equal(o.t, 200+version%2, res.StatusCode, res.Body)
	o.saw("create", res.Header.Get("X-Version"))
}

// sandboxes requires that all sandboxes but the one with a scenario of its own are listed with one version.
func (o *observer) sandboxes() {
	var versions []string
	for _, sb := range simtest.Decode[struct {
		Sandboxes []api.Sandbox `json:"sandboxes"`
		Total     int           `json:"total"`
	}](o.t, o.Control(200, "GET /v1/sandboxes", "")).Sandboxes {
		if sb.Name != "fixed" {
			versions = append(versions, strings.TrimPrefix(sb.Scenario, "v"), strconv.FormatUint(sb.Seed, 10))
		}
	}
	o.saw("sandboxes", versions...)
}

// Two hundred changes of the file, a third of them bad, during requests, changes and resets: no request fails but those
// that wait while their sandbox restarts, every answer is of one version, which all sandboxes get at once, and after a bad change the last good version stays.
func TestReloadsUnderLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	replace := func(content string) {
		require.NoError(t, os.WriteFile(file+".draft", []byte(content), 0o600))
		require.NoError(t, os.Rename(file+".draft", file))
	}
	replace(versioned(0, "2ms"))
	sc, files, err := scenario.LoadFile(file)
	require.NoError(t, err)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	b := simtest.Start(t, server.Config{Sandboxes: sandboxes})
	watcher := watch.Start(t.Context(), watch.Config{
		File: file, Files: files, Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler), Poll: time.Millisecond,
	})
	defer watcher.Close()
	names := []string{"default", "one", "two", "three"}
	for _, name := range names[1:] {
		b.Control(201, "POST /v1/sandboxes", `{"name":"`+name+`"}`)
	}
	for range 60 { // that the list of sandboxes shows, too
		b.Control(201, "POST /v1/sandboxes", "")
	}
	b.Control(201, "POST /v1/sandboxes", `{"name":"fixed","scenarioYaml":"extends: base"}`)
	fixed := b.In("fixed").State()

	var answers atomic.Int64
	done := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := sync.OnceFunc(func() { close(done) })
	defer stop()
	for range 4 {
		o := &observer{Bank: b, t: t, answers: &answers}
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				name := names[i%4]
				o.list(name)
				o.create(name, i)
				o.sandboxes()
				if i%10 == 9 {
					o.In(name).ControlSandbox(204, "POST /reset", "")
				}
			}
		})
	}

	const changes = 200
	await := func(name string, bad bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			origin := sandboxes.Origin()
			return origin.Scenario.Name == name && (origin.Problem != nil) == bad
		}, 30*time.Second, time.Millisecond, "never %s", name)
	}
	good := 0
	for i := 1; i <= changes; i++ {
		if i%3 == 0 {
			replace(versioned(i, "2ms") + "mistake: 1\n")
			await(fmt.Sprintf("v%d", i-1), true)
			continue
		}
		replace(versioned(i, "2ms"))
		await(fmt.Sprintf("v%d", i), false)
		good++
	}
	stop()
	wg.Wait()
	for _, name := range names {
		(&observer{Bank: b, t: t, latest: changes, answers: &answers}).list(name)
	}
	assert.Equal(t, fixed, b.In("fixed").State())
	origin := sandboxes.Origin()
	assert.EqualValues(t, good, origin.Replaced)
	assert.EqualValues(t, changes-good, origin.Refused)
	t.Logf("%d good and %d bad changes, %d answers", good, changes-good, answers.Load())
}

// A request that is delayed while the scenario is replaced is refused, like one that is delayed while its sandbox is reset.
func TestReloadDuringARequest(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, versioned(1, "500ms"))
	began := make(chan simtest.Answer, 2)
	for _, call := range []simtest.Call{simtest.ListGroups, simtest.CreateGroup} {
		go func() {
			res, err := call.Try(b)
			assert.NoError(t, err)
			began <- res
		}()
	}
	require.Eventually(t, func() bool { return b.Sandbox.Faults().Counts()[0].Fired == 2 }, 30*time.Second, time.Millisecond)
	assert.Equal(t, 1, b.Sandboxes.Replace(simtest.Scenario(t, versioned(2, "1ms"))))
	for range 2 {
		res := <-began
		assert.True(t, interrupted(res), res.Body)
		assert.Equal(t, 503, b.ExchangeOf(res).Response.Status)
	}
	assert.NotContains(t, b.State(), "Night owls", "nothing was changed")
}
