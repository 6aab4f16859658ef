package controlapi_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// readiness is the body of GET /readyz.
type readiness struct {
	Status   string       `json:"status"`
	Detail   string       `json:"detail"`
	Problems []api.Defect `json:"problems"`
}

// info is the body of GET /v1/info.
type info struct {
	Version    string    `json:"version"`
	GoVersion  string    `json:"goVersion"`
	StartedAt  time.Time `json:"startedAt"`
	BaseURL    string    `json:"baseUrl"`
	ConsoleURL string    `json:"consoleUrl"`
	Scenario   struct {
		Name     string       `json:"name"`
		File     string       `json:"file"`
		Version  string       `json:"version"`
		LoadedAt time.Time    `json:"loadedAt"`
		Problems []api.Defect `json:"problems"`
	} `json:"scenario"`
	Sandboxes    int  `json:"sandboxes"`
	Strict       bool `json:"strict"`
	FirstRequest struct {
		Operation string            `json:"operation"`
		Method    string            `json:"method"`
		Path      string            `json:"path"`
		Headers   map[string]string `json:"headers"`
	} `json:"firstRequest"`
}

// The first request is accepted as it is, with any access token and without one, also where the sandbox is strict. It
// changes nothing.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		b := simtest.StartScenario(t, fmt.Sprintf("%sbehavior: {strict: %v}\n", simtest.FrozenRetail, strict))
		got := simtest.Decode[info](t, b.Control(200, "GET /v1/info", ""))
		first := got.FirstRequest
		var headers []string
		for name, value := range first.Headers {
			headers = append(headers, name+": "+value)
		}
		assert.Equal(t, 200, b.Send(first.Method, first.Path, "", append(headers, "Authorization: Bearer demo-token")...).StatusCode)
		if !strict {
			assert.Equal(t, 200, b.Send(first.Method, first.Path, "", headers...).StatusCode)
		}
		assert.Contains(t, get(b, "/journal"), `"operation":"`+first.Operation+`"`)
		assert.Contains(t, get(b, "/diff"), `"changes":[]`)
	}
}

// reloads returns the metrics of reloads.
func reloads(b *simtest.Bank) string {
	var lines []string
	for line := range strings.Lines(b.Control(200, "GET /metrics", "").Body) {
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

// Info, readiness and metrics show whether the content of the scenario's files is in use, and why not.
func TestReloads(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	origin := func() info { return simtest.Decode[info](t, b.Control(200, "GET /v1/info", "")) }
	ready := func() string { return b.Control(200, "GET /readyz", "").Body }
	first := origin()
	assert.Equal(t, "test", first.Scenario.Name)
	assert.Equal(t, "test.yaml", first.Scenario.File)
	assert.Len(t, first.Scenario.Version, 16)
	assert.NotNil(t, first.Scenario.Problems)
	assert.Equal(t, []any{"test", b.BaseURL(), 1}, []any{first.Version, first.BaseURL, first.Sandboxes})
	assert.Equal(t, b.Server.ConsoleURL(), first.ConsoleURL)
	assert.Equal(t, `{"status":"ready"}`, ready())
	assert.Equal(t, reloadCounts(1, 0, 0, 0), reloads(b))

	for _, test := range []struct {
		problem error
		want    []api.Defect
	}{
		{scenario.Problems{{File: "bank.yaml", Line: 1, Column: 15, Message: "no"}, {File: "base.yaml", Line: 2, Column: 1, Message: "neither"}},
			[]api.Defect{{File: "bank.yaml", Line: 1, Column: 15, Message: "no"}, {File: "base.yaml", Line: 2, Column: 1, Message: "neither"}}},
		{errors.New("bank.yaml is gone"), []api.Defect{{File: "test.yaml", Message: "bank.yaml is gone"}}},
	} {
		b.Sandboxes.Refuse(test.problem)
		got := origin().Scenario
		assert.Equal(t, first.Scenario.LoadedAt, got.LoadedAt)
		assert.Equal(t, test.want, got.Problems)
		r := simtest.Decode[readiness](t, b.Control(200, "GET /readyz", ""))
		assert.Equal(t, "ready", r.Status)
		assert.Regexp(t, `^the scenario's files have changed and were refused: the version of \S+Z stays in use; GET /v1/info has the problems$`, r.Detail)
		assert.Equal(t, test.want, r.Problems)
	}
	assert.Equal(t, reloadCounts(0, 2, 0, 0), reloads(b))

	b.Sandboxes.Replace(simtest.Scenario(t, simtest.FrozenRetail))
	assert.Equal(t, `{"status":"ready"}`, ready())
	b.Sandboxes.Replace(simtest.Scenario(t, "name: two\nextends: base\n"))
	second := origin().Scenario
	assert.Equal(t, "two", second.Name)
	assert.NotEqual(t, first.Scenario.Version, second.Version)
	assert.True(t, second.LoadedAt.After(first.Scenario.LoadedAt))
	assert.Equal(t, reloadCounts(1, 2, 1, 1), reloads(b))
}

// A log that is stuck doesn't stop the service: readiness says so, and metrics count what is lost.
func TestStuckLog(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	queue := logqueue.New(w)
	defer func() {
		assert.True(t, queue.Close(simtest.Patience))
		_ = w.Close()
	}()
	b := simtest.Start(t, server.Config{LogQueue: queue, ControlToken: "token"})
	ready := func() readiness { return simtest.Decode[readiness](t, b.Control(200, "GET /readyz", "")) }
	dropped := func() string { return b.Control(200, "GET /metrics", "", "Authorization: Bearer token").Body }
	assert.Equal(t, readiness{Status: "ready"}, ready())
	assert.Contains(t, dropped(), "\nbanksim_log_lines_dropped_total 0\n")

	_, err = queue.Write([]byte("lost\n"))
	require.NoError(t, err)
	require.Eventually(t, queue.Stuck, simtest.Patience, time.Millisecond)
	assert.Contains(t, ready().Detail, "the log is stuck: ")
	assert.Contains(t, dropped(), "\nbanksim_log_lines_dropped_total 1\n")
	b.Sandboxes.Refuse(errors.New("gone"))
	assert.Regexp(t, `refused: .*; the log is stuck: `, ready().Detail)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", "")
	res := b.Control(200, "GET /metrics", "")
	assert.True(t, strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain"), res.Header)
	assert.Contains(t, res.Body, "\nbanksim_sandboxes 2\n")
	assert.Regexp(t, `banksim_build_info\{goversion="go[^"]*",version="test"\} 1`, res.Body)
	assert.Contains(t, res.Body, "\ngo_goroutines ")
}
