package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// Verify returns what it has told the test. A passing check that there was nothing says what it rests on. TestCases has
// what is told.
func TestVerify(t *testing.T) {
	text := failure(t, func(inner testing.TB) {
		bank := testkit.Start(inner)
		createGroup(bank, "Night owls")
		assert.True(t, bank.Verify(testkit.Expect{Body: []byte(`{"groupName":"~^Night"}`)}))
		assert.True(t, bank.Verify(testkit.Expect{Operation: testkit.JobsGet, Times: testkit.Exactly(0)}))
		const large = `{"alertPreferenceDetails":{"alertPrefId":9007199254740993}}` // 2 to the 53, and 1
		const alerts = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
		assert.Equal(t, 401, status(request(bank.Client(), "POST", bank.BaseURL()+alerts, "", large)))
		assert.True(t, bank.Verify(testkit.Expect{Body: large}))
		assert.False(t, bank.Verify(testkit.Expect{Header: map[string]string{"transactionId": testkit.Absent}}))
	})
	assert.Contains(t, text, `expected requests (operation "jobs.get", exactly 0): the bank had 0 such requests`)
}
