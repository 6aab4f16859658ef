package testkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// verdict returns what a check of the bank reports, and what its test logs. The bank had three requests.
func verdict(t testing.TB, call func(bank *testkit.Bank) bool) (verified bool, text string) {
	text, failed := outcome(t, func(t testing.TB) {
		bank := testkit.Start(t)
		createGroup(bank, "Night owls")
		listGroups(bank, bank.Token())
		createGroup(bank, "Early birds")
		verified = call(bank)
	})
	assert.Equal(t, verified, !failed, text)
	return verified, text
}

func TestVerify(t *testing.T) {
	const create = testkit.GroupsCreate
	for want, expectations := range map[bool][]testkit.Expect{
		true: {
			{Operation: create},
			{Operation: create, Times: testkit.Exactly(2)},
			{Operation: create, Body: []byte(`{"groupName":"~^Night"}`)},
			{Operation: "groups.*", Query: map[string]string{"page": testkit.Absent}, Times: testkit.AtMost(3)},
			{Method: "GET", Path: groupsPath, Status: 200, Header: map[string]string{"authorization": "~"}},
		},
		false: {
			{Operation: create, Times: testkit.AtLeast(3)},
			{Operation: create, Times: testkit.AtMost(1)},
			{Operation: create, Header: map[string]string{"transactionId": testkit.Absent}},
			{Operation: create, Body: map[string]any{"groupName": testkit.Absent}},
		},
	} {
		for _, e := range expectations {
			verified, text := verdict(t, func(bank *testkit.Bank) bool { return bank.Verify(e) })
			assert.Equal(t, want, verified, text)
		}
	}
	// A passing check that there was nothing says what it rests on.
	_, text := verdict(t, func(bank *testkit.Bank) bool {
		return bank.Verify(testkit.Expect{Operation: testkit.JobsGet, Times: testkit.Exactly(0)})
	})
	assert.Contains(t, text, `expected requests (operation "jobs.get", exactly 0): the bank had 0 such requests`)
}

// Each expectation in order is about a request after that for the expectation before.
func TestVerifyInOrder(t *testing.T) {
	create := func(name string) testkit.Expect {
		return testkit.Expect{Operation: testkit.GroupsCreate, Body: map[string]any{"groupName": name}}
	}
	verified, text := verdict(t, func(bank *testkit.Bank) bool {
		list := testkit.Expect{Operation: testkit.GroupsList}
		return bank.VerifyInOrder(create("Night owls"), list, create("Early birds")) &&
			bank.VerifyInOrder(create("Night owls"), create("Early birds"))
	})
	assert.True(t, verified, text)
	verified, text = verdict(t, func(bank *testkit.Bank) bool {
		return bank.VerifyInOrder(create("Early birds"), create("Night owls"))
	})
	assert.False(t, verified)
	assert.Contains(t, text, `body.groupName "Night owls"`)
	verified, _ = verdict(t, func(bank *testkit.Bank) bool {
		return bank.VerifyInOrder(create("Night owls"), create("Night owls"))
	})
	assert.False(t, verified, "one request doesn't count twice")
}

// Eventually sees what came before it, and what comes in time. It fails as Verify does.
func TestEventually(t *testing.T) {
	list := testkit.Expect{Operation: testkit.GroupsList, Times: testkit.AtLeast(2)}
	verified, text := verdict(t, func(bank *testkit.Bank) bool {
		go func() {
			createGroup(bank, "Late risers")
			listGroups(bank, "")
		}()
		return bank.Eventually(time.Minute, list) &&
			bank.Eventually(time.Minute, testkit.Expect{Operation: testkit.GroupsCreate})
	})
	assert.True(t, verified, text)
	verified, text = verdict(t, func(bank *testkit.Bank) bool { return bank.Eventually(1, list) })
	assert.False(t, verified)
	assert.Contains(t, text, `within 1ns: expected requests (operation "groups.list", at least 2): the bank had 1`)
	_, text = verdict(t, func(bank *testkit.Bank) bool {
		return bank.Eventually(time.Minute, testkit.Expect{Times: testkit.Exactly(0)})
	})
	assert.Contains(t, text, "Eventually waits for requests: to check that there are no more, use Verify")
}
