package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// A check that there was no such request doesn't pass by a slip: it ends the test, with what was meant.
func TestNoVacuousPasses(t *testing.T) {
	for want, expect := range map[string]testkit.Expect{
		`unknown operation "groups.crate": did you mean "groups.create"?`: {Operation: "groups.crate"},
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
