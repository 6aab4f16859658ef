package testkit_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// A bank without a test is for TestMain. A call that fails panics, or fails the test that the bank is used for.
func TestStarted(t *testing.T) {
	bank, err := testkit.Started(t.Context(), testkit.Scenario("empty"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, createGroup(t, bank, "Night owls"))
	bank.Verify(testkit.Expect{Operation: "groups.create", Body: []byte(`{"groupName":"Night owls"}`), Exactly: testkit.Times(1)})
	assert.PanicsWithError(t,
		"testkit: POST /v1/sandboxes"+sandboxPath(bank)+"/snapshots/nope/restore: 404 there is no snapshot of this name",
		func() { bank.Restore("nope") })
	assert.Panics(t, func() { bank.Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(2)}) })

	f := &failing{ended: ended{TB: t}}
	bank.For(f).Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(2)})
	f.end()
	assert.True(t, f.failed)
	assert.Contains(t, f.text.String(), `expected requests (operation "groups.create", exactly 2)`)
	assert.Contains(t, f.text.String(), "the bank's last exchanges")
	assert.Equal(t, []string{"Night owls"}, groupNames(bank), "it doesn't end with the test")

	require.NoError(t, bank.Close())
	require.NoError(t, bank.Close(), "once is enough")
	assert.PanicsWithError(t,
		"testkit: GET /v1/sandboxes"+sandboxPath(bank)+"/state: 404 there is no sandbox \""+sandboxPath(bank)[1:]+
			"\": POST /v1/sandboxes creates one",
		func() { bank.State() })
}

// sandboxPath returns "/" and the name of a bank's sandbox.
func sandboxPath(bank *testkit.Bank) string {
	url := bank.ControlURL()
	for i := len(url) - 1; ; i-- {
		if url[i] == '/' {
			return url[i:]
		}
	}
}

func TestStartedFails(t *testing.T) {
	_, err := testkit.Started(t.Context(), testkit.Scenario("retial"))
	assert.ErrorContains(t, err, `did you mean "retail"?`)
	t.Setenv("BANKSIM_TESTKIT", "container")
	_, err = testkit.Started(t.Context())
	assert.ErrorContains(t, err,
		`BANKSIM_TESTKIT is container, but this test binary can't run containers: import _ `+
			`"github.com/digitalbanking-sim/banksim/testkit/container"`)
	t.Setenv("BANKSIM_TESTKIT", "contaner")
	_, err = testkit.Started(t.Context())
	assert.ErrorContains(t, err, `BANKSIM_TESTKIT is "contaner": it must be container or inprocess`)
}

// A bank of a test ends with it, and can't be reached from other containers where it runs in process.
func TestBanksInProcessAreOnNoNetwork(t *testing.T) {
	text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) {
		require.NoError(t, bank.Close())
		bank.NetworkURL()
	})
	assert.True(t, failed)
	assert.Contains(t, text, "no container reaches the bank: run the simulator with container.WithNetwork")
}
