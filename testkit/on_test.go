package testkit_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// startElsewhere starts a simulator of a test's own, with listeners, and with certificates for some hosts.
func startElsewhere(t *testing.T, cfg server.Config, hosts ...string) *server.Server {
	t.Helper()
	sc, err := scenario.Load("retail")
	require.NoError(t, err)
	cfg.Certificates, err = tlsca.Open(tlsca.Config{Hosts: hosts})
	require.NoError(t, err)
	cfg.Control, cfg.Log = "127.0.0.1:0", slog.New(slog.DiscardHandler)
	cfg.Sandboxes = sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	srv, err := server.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	return srv
}

var (
	plain = server.Config{Listen: []string{"127.0.0.1:0"}}
	both  = server.Config{Listen: []string{"127.0.0.1:0", "https://127.0.0.1:0"}}
)

// A bank is on any simulator that runs, however its URL is written, until the test ends.
func TestOn(t *testing.T) {
	srv := startElsewhere(t, plain)
	on := testkit.On(strings.TrimPrefix(srv.ControlURL(), "http://") + "/")
	t.Run("a test", func(t *testing.T) {
		bank := testkit.Start(t, on)
		assert.Regexp(t, `^`+srv.ServiceURL()+`/sandboxes/[^/]+$`, bank.BaseURL())
		assert.Equal(t, http.StatusOK, createGroup(bank, "Night owls"))
		bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(1)})
		bank.Fork()
	})
	bank := testkit.Start(t, on)
	_, list := get(t, bank.Client(), srv.ControlURL()+"/v1/sandboxes")
	assert.Contains(t, list, `"total":2`, "nothing is left of the test before")
	_, err := testkit.StartSuite(t.Context(), testkit.On("127.0.0.1:1"))
	assert.ErrorContains(t, err, "testkit: StartSuite: asking the simulator where it is: no simulator answers")
}

// The environment has the token of the control API, and says where the tests reach the bank API.
func TestOnByEnvironment(t *testing.T) {
	cfg := plain
	cfg.ControlToken = "s3cret"
	srv := startElsewhere(t, cfg)
	text := failure(t, func(t testing.TB) { testkit.Start(t, testkit.On(srv.ControlURL())) })
	assert.Contains(t, text, "wants another control token: see BANKSIM_CONTROL_TOKEN")
	t.Setenv("BANKSIM_CONTROL_TOKEN", "s3cret")
	t.Setenv("BANKSIM_SERVICE", "http://forwarded.example:18080/")
	bank := testkit.Start(t, testkit.On(srv.ControlURL()))
	assert.Regexp(t, `^http://forwarded\.example:18080/sandboxes/[^/]+$`, bank.BaseURL())
}

// A bank lives for an hour on a simulator that outlives the test. The calls of the test renew that now and then.
func TestTimeToLive(t *testing.T) {
	bank := testkit.Start(t, testkit.On(startElsewhere(t, plain).ControlURL()))
	expires := func(b *testkit.Bank) time.Time {
		var sandbox struct{ ExpiresAt time.Time }
		_, text := get(t, b.Client(), b.ControlURL())
		require.NoError(t, json.Unmarshal([]byte(text), &sandbox))
		return sandbox.ExpiresAt
	}
	first := expires(bank)
	assert.WithinDuration(t, time.Now().Add(time.Hour), first, time.Minute)
	assert.WithinDuration(t, first, expires(bank.Fork()), time.Minute)
	for _, renews := range []bool{false, true, false} {
		before := expires(bank)
		bank.Age(map[bool]time.Duration{false: 9 * time.Minute, true: time.Minute}[renews])
		bank.Now()
		assert.Equal(t, renews, expires(bank).After(before))
	}
}
