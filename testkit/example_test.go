package testkit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// t is what a test function gets as its parameter: func TestGoPaperless(t *testing.T).
var t testing.TB = exampleTest{}

// exampleTest lets examples run the body of a test. An example doesn't end its bank: that ends with the test binary.
type exampleTest struct{ testing.TB }

func (exampleTest) Helper()                      {}
func (exampleTest) Cleanup(func())               {}
func (exampleTest) Context() context.Context     { return context.Background() }
func (exampleTest) Logf(string, ...any)          {}
func (exampleTest) Errorf(s string, args ...any) { fmt.Printf(s+"\n", args...) }
func (exampleTest) Fatalf(s string, args ...any) { panic(fmt.Sprintf(s, args...)) }

func ExampleStart() {
	bank := testkit.Start(t)
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token(testkit.ForUser("1001"))}

	fmt.Println(app.GoPaperless("1001"))
	fmt.Println(app.GoPaperless("1003") != nil)
	fmt.Println(bank.Journal("")[1].Reason)

	for _, account := range bank.User("1001").Accounts {
		fmt.Println(account.AccountID, account.ActivateEstatement)
	}
	// Output:
	// <nil>
	// true
	// the access token is bound to another user than hostUserId "1003"
	// acc-1001-checking true
	// acc-1001-savings true
}

func ExampleScenarioYAML() {
	bank := testkit.Start(t, testkit.ScenarioYAML(`
extends: base
institutions:
  - institutionId: "02688"
    groups: [{groupName: Night owls}]
`))
	fmt.Println(bank.Group("Night owls").GroupStatus)
	// Output: ACTIVE
}

// The values of an expectation are texts, regular expressions after "~", or Absent. Its body is any value that
// encodes as an object.
func ExampleExpect() {
	bank := testkit.Start(t)
	fmt.Println(newApp(bank).CreateGroup("Night owls"))

	type group struct {
		Name        string  `json:"groupName"`
		Description *string `json:"groupDescription"`
	}
	for _, expected := range []testkit.Expect{
		{Operation: testkit.GroupsCreate, Body: group{Name: "Night owls"}},
		{Operation: testkit.GroupsCreate, Body: map[string]any{"groupName": "~^Night"}},
		{Operation: "groups.*", Header: map[string]string{"transactionId": "~^6f1f2d1e-", "X-Debug": testkit.Absent}},
		{Operation: testkit.GroupsList, Times: testkit.Exactly(0)},
	} {
		fmt.Println(bank.Verify(expected))
	}
	// Output:
	// <nil>
	// true
	// true
	// true
	// true
}
