package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// A check that there was no such request doesn't pass by a slip: it ends the test, with what was meant.
func TestNoVacuousPasses(t *testing.T) {
	header := func(name string) map[string]*string { return map[string]*string{name: testkit.Text("~")} }
	for want, expect := range map[string]testkit.Expect{
		`unknown operation "groups.crate": did you mean "groups.create"?`: {Operation: "groups.crate"},
		`did you mean "groups.*"?`:                                        {Operation: "group.*"},
		"status is 418, which groups.create never answers with": {Operation: "groups.create",
			Status: 418},
		"status is 299, which no operation":                        {Status: 299},
		`the header "transacionId": did you mean "transactionId"?`: {Header: header("transacionId")},
		`the query parameter "sise": did you mean "size"?`: {Operation: "groups.list",
			Query: header("sise")},
		`the member "groupNmae": did you mean "groupName"?`: {Operation: "groups.create",
			Body: map[string]any{"groupNmae": "Night owls"}},
		`the members are "groupId", "groupName", "groupDescription", "groupType", "groupPlatform"; to look`: {Operation: "groups.create",
			Body: `{"name":"Night owls"}`},
	} {
		for _, count := range []testkit.Expect{{Exactly: testkit.Times(0)}, {AtMost: testkit.Times(0)}, {AtMost: testkit.Times(5)}, {}} {
			text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
				createGroup(t, bank, "Night owls")
				expect := expect
				expect.Exactly, expect.AtMost = count.Exactly, count.AtMost
				bank.Verify(expect)
				panic("it went on")
			})
			assert.True(t, failed)
			assert.Contains(t, text, want)
		}
	}
	text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
		assert.Empty(t, bank.Journal("groups.lst"))
		panic("it went on")
	})
	assert.True(t, failed)
	assert.Contains(t, text, `did you mean "groups.list"?`)
}
