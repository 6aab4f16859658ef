package testkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// What would pass by a slip ends the test, and says what is wrong.
func TestRefusedArguments(t *testing.T) {
	for want, call := range map[string]func(*testkit.Bank){
		`PatchUser: an argument is empty: ["02688" ""]`: func(b *testkit.Bank) {
			b.PatchUser("02688", "", testkit.UserPatch{Active: testkit.Bool(false)})
		},
		`NewUser: an argument is empty`:    func(b *testkit.Bank) { b.NewUser("", "7001") },
		`Login: the hostUserID is empty`:   func(b *testkit.Bank) { b.Login("") },
		`Token: the hostUserID is empty`:   func(b *testkit.Bank) { b.Token(testkit.ForUser("")) },
		`Token: an option is nil`:          func(b *testkit.Bank) { b.Token(nil) },
		`TokenStatus: "Bearer x" is no`:    func(b *testkit.Bank) { b.TokenStatus("Bearer x") },
		`VerifyInOrder: it takes at least`: func(b *testkit.Bank) { b.VerifyInOrder() },
		`the expectation 2 has Times`: func(b *testkit.Bank) {
			b.VerifyInOrder(testkit.Expect{Status: 200}, testkit.Expect{Status: 200, Times: testkit.Exactly(2)})
		},
		`does a struct export its fields?`: func(b *testkit.Bank) {
			b.Verify(testkit.Expect{Body: struct{ groupName string }{"Day birds"}})
		},
		`Eventually waits for requests`: func(b *testkit.Bank) {
			b.Eventually(time.Second, testkit.Expect{Times: testkit.AtMost(1)})
		},
		`PatchUser: the patch is empty`: func(b *testkit.Bank) { b.PatchUser("02688", "1001", testkit.UserPatch{}) },
	} {
		text := failure(t, func(t testing.TB) {
			call(testkit.Start(t))
			panic("it went on")
		})
		assert.Contains(t, text, "testkit: ")
		assert.Contains(t, text, want)
		assert.NotContains(t, text, "http://")
		assert.NotContains(t, text, "/v1/")
	}
}

func TestInsideLateArrangement(t *testing.T) {
	skipOutside(t)
	testkit.Explore(t, func(_ *testing.T, run *testkit.Run) {
		listGroups(run.Bank, "")
		run.NewGroup("02688", "Night owls")
	}, testkit.RequireAllOrNothing())
}

// A change past the bank's rules would count as the app's if it came after the app's requests.
func TestLateArrangement(t *testing.T) {
	out, passed := inside("^TestInsideLateArrangement$")
	assert.False(t, passed)
	assert.Contains(t, out, "a change of the bank comes after the app's first request")
}
