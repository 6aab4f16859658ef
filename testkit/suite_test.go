package testkit_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// The bank of a suite doesn't end with a test. The faults that the test has injected do.
func TestSuiteOutlivesTests(t *testing.T) {
	suite, err := testkit.StartSuite(t.Context(), testkit.Scenario("empty"))
	require.NoError(t, err)
	text := failure(t, func(t testing.TB) {
		bank := suite.Bank(t)
		assert.Equal(t, 200, createGroup(bank, "Night owls"))
		bank.Inject(testkit.Fault{Operation: testkit.GroupsList, Then: testkit.Status(503)})
		assert.Equal(t, 503, listGroups(bank, ""))
		bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(2)})
	})
	assert.Contains(t, text, `expected requests (operation "groups.create", exactly 2)`)
	t.Run("another test", func(t *testing.T) {
		bank := suite.Bank(t)
		assert.Equal(t, 200, listGroups(bank, ""))
		assert.Len(t, bank.Journal(""), 1, "it sees its own request alone")
		assert.Equal(t, []string{"Night owls"}, groupNames(bank))
	})
	synctest.Test(t, func(t *testing.T) {
		text := failure(t, func(t testing.TB) { suite.Bank(t) })
		assert.Contains(t, text, "use testkit.Start(t, testkit.InMemory())")
	})
	require.NoError(t, suite.Close())
	assert.ErrorContains(t, suite.Close(), "testkit: removing the bank: the bank has ended")
}

// A test of a suite sees its own requests alone, also after the bank has gone back.
func TestSuiteBank(t *testing.T) {
	suite, err := testkit.StartSuite(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, suite.Close()) })
	listGroups(suite.Bank(t), "")
	text := failure(t, func(t testing.TB) { suite.Bank(t); t.Errorf("it failed") })
	assert.Contains(t, text, "the bank had no request", "those of other tests are not its own")
	bank := suite.Bank(t)
	before := bank.Snapshot()
	createGroup(bank, "Night owls")
	before.Restore()
	createGroup(bank, "Night owls")
	bank.Verify(testkit.Expect{Status: 200, Times: testkit.Exactly(2)})
	bank.Reset()
	createGroup(bank, "Night owls")
	bank.RequireNoLints()
	assert.Len(t, bank.Journal(""), 1)
}

// Eventually works in a cleanup, too, where the context of the test has ended.
func TestEventuallyInCleanup(t *testing.T) {
	bank := testkit.Start(t)
	t.Cleanup(func() {
		go createGroup(bank, "Night owls")
		bank.Eventually(10*time.Second, testkit.Expect{Operation: testkit.GroupsCreate})
		listGroups(testkit.Start(t), "")
	})
}

// renamed is another test.
type renamed struct{ testing.TB }

func (renamed) Name() string { return "TestOther" }

// A check that fails says that another test uses the bank at the same time. A missing suite is named.
func TestSuiteSaysWhatIsWrong(t *testing.T) {
	suite, err := testkit.StartSuite(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, suite.Close()) })
	never := testkit.Expect{Operation: testkit.GroupsList}
	suite.Bank(t)
	t.Run("subtest", func(t *testing.T) {
		text := failure(t, func(t testing.TB) { suite.Bank(t).Verify(never) })
		assert.NotContains(t, text, "at the same time", "the test waits for this one")
	})
	text := failure(t, func(t testing.TB) { suite.Bank(renamed{t}).Verify(never) })
	assert.Contains(t, text, "TestSuiteSaysWhatIsWrong used the bank of the suite at the same time: its requests count, too")
	var none *testkit.Suite
	assert.Contains(t, failure(t, func(t testing.TB) { none.Bank(t) }), "the Suite is nil: start it in TestMain")
	assert.ErrorContains(t, none.Close(), "the Suite is nil")
}

// Tests of a suite that run at the same time each report the faults that they have injected themselves.
func TestParallelFaults(t *testing.T) {
	suite, err := testkit.StartSuite(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, suite.Close()) })
	t.Run("tests", func(t *testing.T) {
		for n := range 20 {
			name := fmt.Sprint("fault-of-", n)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fault := testkit.Fault{Name: name, Operation: testkit.JobsGet, Then: testkit.Close, Optional: n%2 == 0}
				text, failed := outcome(t, func(t testing.TB) { suite.Bank(t).Inject(fault) })
				assert.Equal(t, !fault.Optional, failed, text)
				if failed {
					assert.Contains(t, text, "the fault "+name+" (")
				}
				assert.LessOrEqual(t, strings.Count(text, "never fired"), 1, text)
			})
		}
	})
	bank := suite.Bank(t)
	_, body := get(t, bank.Client(), bank.ControlURL()+"/faults")
	assert.Contains(t, body, `{"faults":[]}`)
}
