package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// list lists the groups so many times, each time with the same transactionId.
func list(t testing.TB, bank *testkit.Bank, times int) {
	t.Helper()
	for range times {
		status, _ := ask(t, bank, "GET", groupsPath+"?size=1", bank.Token(), "")
		require.Equal(t, 200, status)
	}
}

// The requirements look at all exchanges, also at those that are more than a page ago.
func TestRequirementsLookAtAll(t *testing.T) {
	few := func(t testing.TB, bank *testkit.Bank) {
		ask(t, bank, "GET", groupsPath, "", "") // rests on a choice: it has no token
		token := bank.Token()
		for range 1001 {
			ask(t, bank, "GET", groupsPath+"?size=1", token, "")
		}
	}
	text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) { few(t, bank); bank.RequireDocumented() })
	assert.True(t, failed)
	assert.Contains(t, text, "exchange 1, groups.list: 200 rests on choice (groups.auth)")
	text, failed = fails(t, func(t testing.TB, bank *testkit.Bank) { few(t, bank); bank.RequireNoLints() })
	assert.True(t, failed)
	assert.Contains(t, text, "\n\texchange 2, groups.list: request-id-reused: ")
	assert.Contains(t, text, "\n\texchange 1002, groups.list: request-id-reused: ")
}

// Where exchanges are gone that a requirement is about, it says so and doesn't pass.
func TestRequirementsRefuseToGuess(t *testing.T) {
	cleared := func(t testing.TB, bank *testkit.Bank) {
		list(t, bank, 2) // the second one has a lint
		bank.ClearJournal()
		assert.Empty(t, bank.Journal(""))
	}
	requirements := map[string]func(*testkit.Bank){"RequireNoLints": (*testkit.Bank).RequireNoLints,
		"RequireDocumented": (*testkit.Bank).RequireDocumented}
	for name, requirement := range requirements {
		text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) { cleared(t, bank); requirement(bank); panic("it went on") })
		assert.True(t, failed)
		assert.Contains(t, text, "testkit: "+name+" can't look at all exchanges: the journal had no room for 0, and 2 were cleared: call it earlier, before ClearJournal for example")
	}
	bank := testkit.Start(t, testkit.InProcess())
	cleared(t, bank)
	bank.Reset()
	list(t, bank, 1)
	bank.RequireNoLints() // a reset begins anew
	bank.RequireDocumented()
}
