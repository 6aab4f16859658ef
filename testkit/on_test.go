package testkit_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// elsewhere is a simulator of a test's own, whose URLs are written with a slash at the end.
type elsewhere struct{ service, control string }

func (e elsewhere) BaseURL(context.Context) (string, error)    { return e.service + "/", nil }
func (e elsewhere) ControlURL(context.Context) (string, error) { return e.control + "/", nil }
func (e elsewhere) NetworkURL(context.Context) (string, error) { return "http://bank:8080/", nil }
func (e elsewhere) ControlToken() string                       { return "" }

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
