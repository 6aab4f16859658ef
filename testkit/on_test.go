package testkit_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// elsewhere is a simulator of a test's own, whose URLs are written with a slash at the end.
type elsewhere struct{ service, control string }

func (e elsewhere) BaseURL(context.Context) (string, error)    { return e.service + "/", nil }
func (e elsewhere) ControlURL(context.Context) (string, error) { return e.control + "/", nil }
func (e elsewhere) NetworkURL(context.Context) (string, error) { return "http://bank:8080/", nil }
func (e elsewhere) ControlToken() string                       { return "" }

// securedElsewhere is a simulator of a test's own that speaks https.
type securedElsewhere struct {
	elsewhere
	https string
}

func (s securedElsewhere) HTTPSURL(context.Context) (string, error) { return s.https, nil }

// startElsewhere starts a simulator that a test gives to testkit, with certificates for some hosts.
func startElsewhere(t *testing.T, hosts ...string) *server.Server {
	t.Helper()
	sc, err := scenario.Load("retail")
	require.NoError(t, err)
	certificates, err := tlsca.Open(tlsca.Config{Hosts: hosts})
	require.NoError(t, err)
	srv, err := server.Start(t.Context(), server.Config{
		Listen: []string{"127.0.0.1:0", "https://127.0.0.1:0"}, Control: "127.0.0.1:0", Certificates: certificates,
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}), Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	return srv
}

// A bank is on any simulator that has the methods of testkit.Simulator, however its URLs are written.
func TestOnSimulatorOfOnesOwn(t *testing.T) {
	there := testkit.Start(t, testkit.InProcess())
	control, _, _ := strings.Cut(there.ControlURL(), "/v1/")
	bank := testkit.Start(t, testkit.On(elsewhere{serviceURL(t, there), control}))
	assert.Equal(t, serviceURL(t, there)+"/sandboxes"+sandboxPath(bank), bank.BaseURL())
	assert.Equal(t, "http://bank:8080/sandboxes"+sandboxPath(bank), bank.NetworkURL())
	assert.Equal(t, http.StatusOK, createGroup(t, bank, "Night owls"))
	bank.Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(1)})
	there.Verify(testkit.Expect{Exactly: testkit.Times(0)})
}

// On a simulator whose default sandbox answers, a request that drops the path of the base URL is noticed at least in the report.
func TestDroppedPathOnSimulatorOfOnesOwn(t *testing.T) {
	srv := startElsewhere(t)
	on := testkit.On(elsewhere{srv.ServiceURL(), srv.ControlURL()})
	text, _ := fails(t, func(t testing.TB, _ *testkit.Bank) { t.Errorf("it failed") }, on)
	assert.Contains(t, text, "the bank had no request: does the app use its BaseURL?\n")
	text, _ = fails(t, func(t testing.TB, bank *testkit.Bank) {
		res, _ := send(t, bank.Client(), http.MethodGet, srv.ServiceURL()+groupsPath, "")
		assert.Equal(t, http.StatusOK, res.StatusCode)
		t.Errorf("it failed")
	}, on)
	assert.Contains(t, text,
		"The default sandbox of the simulator had a request: GET "+srv.ServiceURL()+groupsPath+": if it was meant for this bank, the "+
			"app drops the path of BaseURL.")
}
