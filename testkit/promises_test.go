package testkit_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// The test kits of node, python and java have the same tests: they show what each promises.
func TestPromises(t *testing.T) {
	for name, test := range map[string]func(*testing.T, *testkit.Bank){
		"a lost answer": func(t *testing.T, bank *testkit.Bank) {
			bank.Inject(testkit.Fault{
				Operation: testkit.GroupsCreate, When: testkit.First(1), Then: testkit.Reset, AfterCommit: true,
			})
			assert.Equal(t, 0, createGroup(bank, "Night owls"))
			bank.Group("Night owls")
			assert.Equal(t, 400, createGroup(bank, "Night owls"))
		},
		"a token expires by the clock": func(t *testing.T, bank *testkit.Bank) {
			token := bank.Token(testkit.ExpiresIn(15 * time.Minute))
			assert.Equal(t, 200, listGroups(bank, token))
			bank.Advance(16 * time.Minute)
			assert.Equal(t, 401, listGroups(bank, token))
		},
		"a fault fires as often as it says": func(t *testing.T, bank *testkit.Bank) {
			bank.Inject(testkit.Fault{Operation: testkit.GroupsList, When: testkit.First(2), Then: testkit.Status(503)})
			for _, want := range []int{503, 503, 200, 200} {
				assert.Equal(t, want, listGroups(bank, "demo-token"))
			}
			bank.Verify(testkit.Expect{Operation: testkit.GroupsList, Status: 503, Times: testkit.Exactly(2)})
		},
		"a verification that fails says why": func(t *testing.T, _ *testkit.Bank) {
			text := failure(t, func(t testing.TB) {
				bank := testkit.Start(t)
				createGroup(bank, "Night owls")
				bank.Verify(testkit.Expect{
					Operation: testkit.GroupsCreate, Body: `{"groupName": "Night owls"}`, Times: testkit.Exactly(1),
				})
				bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Body: `{"groupName": "Day birds"}`})
			})
			assert.Contains(t, text, `expected requests (operation "groups.create", body.groupName "Day birds", `+
				"at least 1): the bank had 0 such requests\n\tnear miss: exchange 1, groups.create\n"+
				"\t\tbody.groupName is \"Night owls\", not \"Day birds\"")
		},
		"what no request can fulfil is refused": func(t *testing.T, bank *testkit.Bank) {
			for want, expect := range map[string]testkit.Expect{
				`unknown operation "groups.crate": did you mean "groups.create"?`: {Operation: "groups.crate"},
				`"groupId", "groupName"`: {
					Operation: testkit.GroupsCreate, Body: `{"name":"Night owls"}`,
				},
				"an Expect is not valid JSON": {Body: `{"groupName"`},
			} {
				for _, count := range []testkit.Count{testkit.Exactly(0), testkit.AtMost(5), {}} {
					text := failure(t, func(t testing.TB) {
						expect.Times = count
						testkit.Start(t).Verify(expect)
						panic("it went on")
					})
					assert.Contains(t, text, want)
				}
			}
		},
		"a change of the state": func(t *testing.T, bank *testkit.Bank) {
			bank.PatchUser("02688", "1001", testkit.UserPatch{Active: testkit.Bool(false)})
			assert.False(t, bank.User("1001").Active)
		},
		"a reset returns to the start": func(t *testing.T, bank *testkit.Bank) {
			before := groupNames(bank)
			createGroup(bank, "Night owls")
			bank.Reset()
			assert.Equal(t, before, groupNames(bank))
			assert.Empty(t, bank.Journal(""))
		},
		"why a request was refused": func(t *testing.T, bank *testkit.Bank) {
			assert.Equal(t, http.StatusUnauthorized, listGroups(bank, "nobody-s"))
			assert.Equal(t, "the access token is unknown or revoked", bank.Journal("")[0].Reason)
		},
		"a fault that never fires fails the test": func(t *testing.T, _ *testkit.Bank) {
			text := failure(t, func(t testing.TB) {
				testkit.Start(t).Inject(testkit.Fault{Name: "idle", Operation: testkit.GroupsList, Then: testkit.Close})
			})
			assert.Contains(t, text, "the fault idle (groups.list) never fired: 0 requests matched it")
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, testkit.Start(t)) })
	}
	t.Run("twenty tests at a time keep apart", func(t *testing.T) {
		for count := range 20 {
			t.Run(fmt.Sprint(count), func(t *testing.T) {
				t.Parallel()
				bank := testkit.Start(t, testkit.Seed(7))
				for n := range count {
					assert.Equal(t, 200, createGroup(bank, fmt.Sprintf("Group %d", n)))
				}
				bank.Verify(testkit.Expect{Operation: testkit.GroupsCreate, Times: testkit.Exactly(count)})
			})
		}
	})
}
