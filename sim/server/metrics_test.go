package server_test

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/logqueue"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// The metrics count what an operator watches, and have every name that the alert rules of the docs use.
func TestMetricsOfRequests(t *testing.T) {
	t.Parallel()
	lines := logqueue.New(io.Discard)
	defer lines.Close(simtest.Patience)
	scenario := simtest.WithFaults("- {operation: groups.create, then: {status: 503}}\n")
	b := simtest.Start(t, server.Config{LogQueue: lines, Sandboxes: sandbox.NewRegistry(sandbox.Config{
		Scenario: simtest.Scenario(t, scenario), Entries: 2,
	})})
	for range 5 {
		simtest.ListGroups.Send(b)
	}
	simtest.CreateGroup.Send(b)
	simtest.ListGroups.WithQuery("sort=nope").Expect(b, 500)
	metrics := b.Control(200, "GET /metrics", "").Body
	for _, line := range []string{
		`banksim_requests_total{operation="groups.list",status="200"} 5`,
		`banksim_requests_total{operation="groups.list",status="500"} 1`,
		`banksim_request_duration_seconds_count{operation="groups.list"} 6`,
		`banksim_unexplained_errors_total{operation="groups.list"} 0`,
		`banksim_unexplained_errors_total{operation="groups.create"} 0`,
		`banksim_faults_fired_total{operation="groups.create"} 1`,
		"banksim_evicted_exchanges_total 5",
	} {
		assert.Contains(t, strings.Split(metrics, "\n"), line)
	}
	rules, err := os.ReadFile("../../docs/prometheus-alerts.yaml")
	require.NoError(t, err)
	names := regexp.MustCompile(`banksim_\w+`).FindAllString(string(rules), -1)
	assert.NotEmpty(t, names)
	for _, name := range names {
		assert.True(t, strings.Contains(metrics, "# TYPE "+name+" "), name)
	}
}
