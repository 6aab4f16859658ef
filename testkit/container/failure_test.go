package container_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apicontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// keep makes the engine keep a container that has ended.
func keep(host *apicontainer.HostConfig) { host.AutoRemove = false }

// dangling returns the names of the volumes that no container has.
func dangling(t testing.TB, docker *testcontainers.DockerClient) (names []string) {
	t.Helper()
	list, err := docker.VolumeList(t.Context(), client.VolumeListOptions{Filters: client.Filters{}.Add("dangling", "true")})
	require.NoError(t, err)
	for _, volume := range list.Items {
		names = append(names, volume.Name)
	}
	slices.Sort(names)
	return names
}

// A start that fails leaves neither a container nor a volume behind: not even one that was only created, or that the engine
// was told to keep.
func TestFailedStartsLeaveNothing(t *testing.T) {
	docker := engine(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	require.NoError(t, err)
	for name, option := range map[string]testcontainers.CustomizeRequestOption{
		"created": testcontainers.WithHostConfigModifier(func(host *apicontainer.HostConfig) {
			host.PortBindings = network.PortMap{
				network.MustParsePort("8080/tcp"): {{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: port}},
			}
		}),
		"ended":           container.WithScenario("retial"),
		"no such network": container.WithNetwork("banksim-no-such-network"),
		"never ready":     testcontainers.WithEnv(map[string]string{"BANKSIM_CONTROL": "127.0.0.1:8081"}),
	} {
		t.Run(name, func(t *testing.T) {
			label := fmt.Sprintf("banksim-failed-%d", os.Getpid())
			before := dangling(t, docker)
			opts := []testcontainers.ContainerCustomizer{testcontainers.WithHostConfigModifier(keep), option, testcontainers.WithLabels(map[string]string{label: "1"})}
			if name == "never ready" {
				opts = append(opts, testcontainers.WithWaitStrategyAndDeadline(time.Second, wait.ForLog("it never says this")))
			}
			ctr, err := container.Run(t.Context(), "", opts...)
			require.Error(t, err)
			assert.Nil(t, ctr)
			assert.Empty(t, containers(t, docker, label))
			assert.Subset(t, before, dangling(t, docker)) // those of earlier containers may be gone by now
		})
	}
}

// fakeEngine is a Docker engine that answers what it is asked until it hangs. It returns the value of DOCKER_HOST.
func fakeEngine(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "banksim") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "docker.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	srv := &http.Server{Handler: handler}
	go func() { _ = srv.Serve(listener) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "DOCKER_HOST=unix://" + socket
}

// hang answers nothing until the client gives up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// An engine that accepts calls and answers none doesn't hold a test: it is asked once, for a bounded time.
func TestHungEngine(t *testing.T) {
	t.Parallel()
	began := time.Now()
	cmd := child(t, "hung", fakeEngine(t, hang), "BANKSIM_TESTKIT=container", "BANKSIM_REQUIRE_DOCKER=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, string(out))
	assert.Regexp(t, `error after 1s: starting banksim in a container: no Docker engine answers: it doesn't answer within 1s`, string(out))
	assert.Regexp(t, `(?s)error after 0s: testkit: starting the simulator: no Docker engine answers \(it doesn't answer within 1s.*\): start one, or set BANKSIM_TESTKIT=inprocess to run without`, string(out))
	assert.Contains(t, string(out), "testkit: BANKSIM_REQUIRE_DOCKER is 1, but no Docker engine answers (it doesn't answer within 1s")
	assert.Less(t, time.Since(began), 15*time.Second)
}

// An engine that hangs while a container is created doesn't hold Run after the end of its context. What it may have
// created is looked for, by the label of the start.
func TestEngineHangsLater(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var calls []string
	engine := fakeEngine(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		calls = append(calls, r.Method+" "+r.URL.String())
		mu.Unlock()
		answer := any(map[string]any{"Id": "sha256:0"})
		switch {
		case strings.HasSuffix(r.URL.Path, "/containers/create"):
			hang(w, r)
			return
		case strings.HasSuffix(r.URL.Path, "/containers/json"):
			answer = []any{}
		case strings.HasSuffix(r.URL.Path, "/networks"):
			answer = []any{map[string]string{"Name": "bridge"}}
		}
		w.Header().Set("Api-Version", "1.51")
		_ = json.NewEncoder(w).Encode(answer)
	})
	out, err := child(t, "runsImage banksim:mine", engine, "TESTCONTAINERS_RYUK_DISABLED=true").CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Regexp(t, `error after [1-9]s: .*context deadline exceeded`, string(out))
	mu.Lock()
	defer mu.Unlock()
	last := calls[len(calls)-1]
	assert.Contains(t, last, "/containers/json")
	assert.Contains(t, last, "banksim.testkit.run%3D")
}
