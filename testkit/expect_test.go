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

// A verification that fails says why, and one that no request can fulfil is refused.
func TestVerifySaysWhy(t *testing.T) {
	for want, e := range map[string]testkit.Expect{
		`expected requests (operation "groups.create", body.groupName "Day birds", at least 1): ` +
			"the bank had 0 such requests\n\tnear miss: exchange 3, groups.create\n\t\tbody.groupName is \"Early birds\", not \"Day birds\"": {
			Operation: testkit.GroupsCreate, Body: `{"groupName": "Day birds"}`,
		},
		`unknown operation "groups.crate": did you mean "groups.create"?`: {
			Operation: "groups.crate", Times: testkit.Exactly(0),
		},
		`"groupId", "groupName"`: {
			Operation: testkit.GroupsCreate, Body: `{"name":"Night owls"}`, Times: testkit.Exactly(0),
		},
		"an Expect is not valid JSON": {Body: `{"groupName"`, Times: testkit.AtMost(5)},
	} {
		verified, text := verdict(t, func(bank *testkit.Bank) bool { return bank.Verify(e) })
		assert.False(t, verified)
		assert.Contains(t, text, want)
	}
}

// Each expectation in order is about a request after that for the expectation before.
func TestVerifyInOrder(t *testing.T) {
	create := func(name string) testkit.Expect {
		return testkit.Expect{Operation: testkit.GroupsCreate, Body: map[string]any{"groupName": name}}
	}
	list := testkit.Expect{Operation: testkit.GroupsList}
	for _, order := range [][]testkit.Expect{
		{create("Night owls"), list, create("Early birds")},
		{create("Early birds"), create("Night owls")},
		{create("Night owls"), create("Night owls")}, // one request doesn't count twice
	} {
		verified, text := verdict(t, func(bank *testkit.Bank) bool { return bank.VerifyInOrder(order...) })
		assert.Equal(t, len(order) == 3, verified, text)
	}
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
}
