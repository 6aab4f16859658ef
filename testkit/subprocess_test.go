package testkit_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func TestInsidePanics(t *testing.T) {
	skipOutside(t)
	createGroup(testkit.Start(t), "Night owls")
	var app *App
	app.sent++ // as an app with a bug does
}

// The log of a test that panics has the exchanges, too, before the panic.
func TestPanicsReport(t *testing.T) {
	out, passed := inside("^TestInsidePanics$")
	assert.False(t, passed)
	assert.Regexp(t, `(?s)the bank's last exchanges.*\{"groupName":"Night owls"\}.*panic: runtime error: `, out)
}

// refusing is a transport that sends nothing.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nothing is sent")
}

func TestInsideReplacedTransport(t *testing.T) {
	skipOutside(t)
	http.DefaultTransport = refusing{}
	for _, opts := range [][]testkit.Option{nil, {testkit.HTTPS()}, {testkit.InMemory()}} {
		bank := testkit.Start(t, opts...)
		require.Equal(t, http.StatusOK, createGroup(bank, "Night owls"))
		bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(1)})
	}
}

// A test may replace http.DefaultTransport, as tools for tracing and mocks do.
func TestReplacedTransport(t *testing.T) {
	out, passed := inside("^TestInsideReplacedTransport$")
	assert.True(t, passed, out)
}

func TestInsideLeavesNothing(t *testing.T) {
	skipOutside(t)
	t.Cleanup(func() {
		const listener = "github.com/digitalbanking-sim/banksim/sim/server.(*Server).serve"
		goleak.VerifyNone(t, goleak.IgnoreAnyFunction(listener))
		assert.Error(t, goleak.Find(), "there is nothing to ignore")
	})
	for n := range 20 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, testkit.AsHost(fixedHost))
			require.Equal(t, 200, createGroup(bank, "Night owls"))
			require.Equal(t, 200, createGroup(bank.Fork(), "Early birds"))
			get(t, bank.Client(), "https://"+fixedHost+groupsPath)
			_, err := testkit.StartSuite(t.Context(), testkit.Scenario("retial"))
			require.Error(t, err)
			suite, err := testkit.StartSuite(t.Context())
			require.NoError(t, err)
			require.NoError(t, suite.Close())
		})
	}
}

// Once the banks have ended, a leak detector has to ignore the goroutines of the simulator's listeners alone.
func TestLeavesNothing(t *testing.T) {
	out, passed := inside("^TestInsideLeavesNothing$")
	assert.True(t, passed, out)
}
