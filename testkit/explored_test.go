package testkit_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func TestInsideExplored(t *testing.T) {
	skipOutside(t)
	t.Run("one", func(t *testing.T) {
		bank := testkit.Start(t)
		require.Equal(t, http.StatusOK, createGroup(bank, "Night owls"))
		bank.Reset()
		require.Equal(t, http.StatusInternalServerError, createGroup(bank, "Night owls"), "the exploration's fault")
		bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(1)})
	})
	t.Run("other", func(t *testing.T) {
		bank := testkit.Start(t, testkit.Scenario("empty"))
		assert.Empty(t, bank.State().Institutions[0].Users)
		assert.Empty(t, bank.Journal(""))
		bank.Inject(testkit.Fault{Operation: testkit.GroupsList, Then: testkit.Status(503), Optional: true})
		t.Run("at the same time", func(t *testing.T) { testkit.Start(t) })
	})
}

// While banksim explore runs the tests, all banks are the explored one: its journal and its faults stay, its rows begin
// anew for each test.
func TestExplored(t *testing.T) {
	t.Parallel()
	bank := testkit.Start(t)
	bank.Inject(testkit.Fault{Operation: testkit.GroupsCreate, When: testkit.Nth(2), Then: testkit.Status(500)})
	out, passed := inside("^TestInsideExplored$", "BANKSIM_EXPLORE=1", "BANKSIM_BASE_URL="+bank.BaseURL(),
		"BANKSIM_CONTROL_URL="+bank.ControlURL())
	assert.False(t, passed, "the third test has no bank")
	assert.Contains(t, out, "--- PASS: TestInsideExplored/one", out)
	assert.Contains(t, out, "another test's is open: use go test -p 1 -parallel 1")
	assert.Len(t, bank.Journal(testkit.GroupsCreate), 2)
	assert.Empty(t, bank.State().Institutions[0].Users, "as the last test began")
	bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Status: 500, Times: testkit.Exactly(1)})
}
