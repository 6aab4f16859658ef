package testkit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// The test kits of node, python and java have the same tests: they show what each promises.
func TestPromises(t *testing.T) {
	list := func(t testing.TB, bank *testkit.Bank, token string) int {
		status, _ := ask(t, bank, "GET", groupsPath, token, "")
		return status
	}
	for name, test := range map[string]func(*testing.T, *testkit.Bank){
		"a lost answer": func(t *testing.T, bank *testkit.Bank) {
			bank.Inject(testkit.Fault{Operation: "groups.create", When: testkit.When{First: 1}, Phase: testkit.AfterOperation,
				Then: testkit.Then{Connection: testkit.Connection{Kind: testkit.ConnectionReset}}})
			_, _, err := try(bank, "POST", groupsPath, "demo-token", `{"groupName": "Night owls"}`)
			assert.Error(t, err)
			bank.Group("Night owls")
			assert.Equal(t, 400, createGroup(t, bank, "Night owls"))
		},
		"a token expires by the clock": func(t *testing.T, bank *testkit.Bank) {
			token := bank.Token(testkit.ExpiresIn(15 * time.Minute))
			assert.Equal(t, 200, list(t, bank, token))
			bank.Advance(16 * time.Minute)
			assert.Equal(t, 401, list(t, bank, token))
		},
		"a fault fires as often as it says": func(t *testing.T, bank *testkit.Bank) {
			bank.Inject(testkit.Fault{Operation: "groups.list", When: testkit.When{First: 2}, Then: testkit.Then{Status: 503}})
			for _, want := range []int{503, 503, 200, 200} {
				assert.Equal(t, want, list(t, bank, "demo-token"))
			}
			bank.Verify(testkit.Expect{Operation: "groups.list", Status: 503, Exactly: testkit.Times(2)})
			assert.Equal(t, []testkit.FaultCount{{Name: "fault-1", Matched: 4, Fired: 2}}, bank.Faults())
			bank.ClearFaults()
			assert.Empty(t, bank.Faults())
		},
		"a verification that fails says why": func(t *testing.T, _ *testkit.Bank) {
			text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
				createGroup(t, bank, "Night owls")
				bank.Verify(testkit.Expect{Operation: "groups.create", Body: `{"groupName": "Night owls"}`, Exactly: testkit.Times(1)})
				bank.Verify(testkit.Expect{Operation: "groups.create", Body: `{"groupName": "Day birds"}`})
			})
			assert.True(t, failed)
			assert.Contains(t, text, `expected requests (operation "groups.create", body.groupName "Day birds", at least 1): `+
				"the bank had 0 such requests\n\tnear miss: exchange 1, groups.create\n"+
				"\t\tbody.groupName is \"Night owls\", not \"Day birds\"")
		},
		"a change of the state": func(t *testing.T, bank *testkit.Bank) {
			off := false
			bank.PatchUser("02688", "1001", testkit.UserPatch{Active: &off})
			assert.False(t, bank.User("1001").Active)
		},
		"a reset returns to the start": func(t *testing.T, bank *testkit.Bank) {
			before := len(groupNames(bank))
			createGroup(t, bank, "Night owls")
			bank.Reset()
			assert.Len(t, groupNames(bank), before)
			assert.Empty(t, bank.Journal(""))
		},
		"why a request was refused": func(t *testing.T, bank *testkit.Bank) {
			assert.Equal(t, 401, list(t, bank, "nobody-s"))
			assert.Equal(t, "the access token is unknown or revoked", bank.Journal("")[0].Decision.Message)
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, testkit.Start(t, testkit.InProcess())) })
	}
	t.Run("twenty tests at a time keep apart", func(t *testing.T) {
		for count := range 20 {
			t.Run(fmt.Sprint(count), func(t *testing.T) {
				t.Parallel()
				bank := testkit.Start(t, testkit.InProcess(), testkit.Seed(7))
				for n := range count {
					assert.Equal(t, 200, createGroup(t, bank, fmt.Sprintf("Group %d", n)))
				}
				bank.Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(count)})
			})
		}
	})
	// What no request can fulfil: TestNoVacuousPasses. A fault that never fires: TestFaultsHaveToFire.
}
