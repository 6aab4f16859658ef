package testkit_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// A check that there was no such request doesn't pass by a slip: it ends the test, with what was meant.
func TestNoVacuousPasses(t *testing.T) {
	header := func(name string) map[string]*string { return map[string]*string{name: testkit.Text("~")} }
	for want, expect := range map[string]testkit.Expect{
		`unknown operation "groups.crate": did you mean "groups.create"?`:                                   {Operation: "groups.crate"},
		`did you mean "groups.*"?`:                                                                          {Operation: "group.*"},
		"status is 418, which groups.create never answers with":                                             {Operation: "groups.create", Status: 418},
		"status is 299, which no operation":                                                                 {Status: 299},
		`the header "transacionId": did you mean "transactionId"?`:                                          {Header: header("transacionId")},
		`the query parameter "sise": did you mean "size"?`:                                                  {Operation: "groups.list", Query: header("sise")},
		`the member "groupNmae": did you mean "groupName"?`:                                                 {Operation: "groups.create", Body: map[string]any{"groupNmae": "Night owls"}},
		`the members are "groupId", "groupName", "groupDescription", "groupType", "groupPlatform"; to look`: {Operation: "groups.create", Body: `{"name":"Night owls"}`},
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

// What a request can have is checked as ever: what is the app's own, a status that a fault gives, what really came.
func TestPossibleExpectations(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	bank.Inject(testkit.Fault{Operation: "groups.list", When: testkit.When{After: 100}, Then: testkit.Then{Status: 418, Body: testkit.Text("")}})
	bank.ClearFaults()
	ask(t, bank, "POST", groupsPath+"?Size=1", "", `{"groupName":"Night owls","name":"x"}`)
	none := testkit.Times(0)
	for _, expect := range []testkit.Expect{
		{Operation: "groups.create", Status: 201, Exactly: none},
		{Operation: "groups.list", Status: 418, Exactly: none},
		{Header: map[string]*string{"X-Request-Source": testkit.Text("~")}, Exactly: none},
		{Path: groupsPath, Body: map[string]any{"ssn": "~"}, Exactly: none},
		{Operation: "groups.create", Query: map[string]*string{"Size": testkit.Text("2")}, AtMost: none},
		{Operation: "groups.create", Body: map[string]any{"name": "x"}, Exactly: testkit.Times(1)},
	} {
		assert.True(t, bank.Verify(expect), "%+v", expect)
	}
}

// The members of a form are given as the standard library has them.
func TestExpectedForms(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	createGroup(t, bank, "Night owls")
	for count, form := range []url.Values{
		{"groupName": {"Night owls", "Early birds"}},
		{"groupName": {"Night owls"}},
	} {
		assert.True(t, bank.Verify(testkit.Expect{Operation: "groups.create", Body: form, Exactly: testkit.Times(count)}), "%v", form)
	}
}

// What stands for no object is refused, and not compared with anything.
func TestBodiesThatAreNoObject(t *testing.T) {
	for _, body := range []any{[]string{"groupName"}, 5, "[]", map[string]any(nil), (*struct{})(nil), func() {}} {
		text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) {
			bank.Verify(testkit.Expect{Body: body, Exactly: testkit.Times(0)})
		})
		assert.True(t, failed, "%T", body)
		assert.Regexp(t, `body is not a JSON object|unsupported type`, text, "%T", body)
	}
}
