package testkit_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/digitalbanking-sim/banksim/testkit"
)

// t is what a test function gets as its parameter: func TestGoPaperless(t *testing.T).
var t testing.TB = exampleTest{}

// exampleTest lets examples run the body of a test. An example doesn't end its bank: that ends with the test binary.
type exampleTest struct{ testing.TB }

func (exampleTest) Helper()                      {}
func (exampleTest) Cleanup(func())               {}
func (exampleTest) Errorf(s string, args ...any) { fmt.Printf(s+"\n", args...) }
func (exampleTest) Fatalf(s string, args ...any) { panic(fmt.Sprintf(s, args...)) }
func (exampleTest) Skipf(s string, args ...any)  { panic(fmt.Sprintf(s, args...)) }

func ExampleStart() {
	bank := testkit.Start(t)
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	fmt.Println(app.GoPaperless("1001"))
	fmt.Println(app.GoPaperless("1002"))

	for _, account := range bank.State().Institutions[0].Users[0].Accounts {
		fmt.Println(account.AccountID, account.ActivateEstatement)
	}
	// Output:
	// <nil>
	// 400: {"status":400,"code":"UXESTMT_88889","message":"user \"1002\" is not active"}
	// acc-1001-checking true
	// acc-1001-savings true
}

func ExampleAsHost() {
	bank := testkit.Start(t, testkit.InProcess(), testkit.AsHost("api.bank.example"))
	app := &App{BaseURL: "https://api.bank.example", HTTP: bank.Client(), Token: bank.Token()} // which it has built in

	fmt.Println(app.CreateGroup("Night owls"))
	fmt.Println(bank.Journal("groups.create")[0].Request.URL)
	// Output:
	// <nil>
	// https://api.bank.example/digitalbanking/groups/v3/groups
}

// An app that retries for an hour takes no time in a bubble of testing/synctest. The function is the body of a test.
func ExampleInMemory() {
	_ = func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			bank := testkit.Start(t, testkit.InMemory())
			bank.Inject(testkit.Fault{
				Operation: "groups.create",
				When:      testkit.When{During: testkit.During{For: time.Hour}},
				Then:      testkit.Then{Status: 500},
			})
			app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}
			for app.CreateGroup("Night owls") != nil {
				time.Sleep(5 * time.Minute)
			}
			bank.Group("Night owls") // after an hour by the bank's clock
		})
	}
}

func ExampleScenarioYAML() {
	bank := testkit.Start(t, testkit.InProcess(), testkit.ScenarioYAML(`
extends: base
institutions:
  - institutionId: "02688"
    groups: [{groupName: Night owls}]
`))
	for _, group := range bank.State().Institutions[0].Groups {
		fmt.Println(group.GroupName)
	}
	// Output: Night owls
}

func ExampleBank_Inject() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	// The first answer is lost after the group is created.
	bank.Inject(testkit.Fault{
		Operation: "groups.create",
		When:      testkit.When{First: 1},
		Phase:     testkit.AfterOperation,
		Then:      testkit.Then{Connection: testkit.Connection{Kind: testkit.ConnectionClose}},
	})

	fmt.Println(app.CreateGroup("Night owls"))
	for _, x := range bank.Journal("groups.create") {
		fmt.Println(x.Response.Status, x.Decision.Outcome, x.Decision.Rule)
	}
	// Output:
	// <nil>
	// 0 accepted groups.create
	// 400 refused group-exists
}

func ExampleBank_Advance() {
	bank := testkit.Start(t, testkit.InProcess())
	token := bank.Token(testkit.ExpiresIn(15 * time.Minute))
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: token}

	fmt.Println(app.GoPaperless("1001"))
	bank.Advance(15 * time.Minute)
	fmt.Println(errors.Is(app.GoPaperless("1001"), errSignedOut))
	// Output:
	// <nil>
	// true
}

func ExampleBank_Verify() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	fmt.Println(app.CreateGroup("Night owls"))

	bank.Verify(testkit.Expect{
		Operation: "groups.create",
		Body:      map[string]any{"groupName": "Night owls"},
		Exactly:   testkit.Times(1),
	})
	bank.Verify(testkit.Expect{ // fails the test, and shows the near miss
		Operation: "groups.create",
		Body:      map[string]any{"groupName": "Early birds"},
	})
	// Output:
	// <nil>
	// testkit: expected requests (operation "groups.create", body.groupName "Early birds", at least 1): the bank had 0 such requests
	// 	near miss: exchange 1, groups.create
	// 		body.groupName is "Night owls", not "Early birds"
}

func ExampleBank_Snapshot() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	bank.Snapshot("before")
	fmt.Println(app.CreateGroup("Night owls"))
	for _, change := range bank.Diff("before") {
		fmt.Println(change.Before["groupName"], "->", change.After["groupName"])
	}

	bank.Restore("before")
	fmt.Println(len(bank.Diff("before")))
	// Output:
	// <nil>
	// <nil> -> Night owls
	// 0
}

func ExampleBank_Token() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token(testkit.ForUser("1003"))}

	fmt.Println(app.GoPaperless("1001"))
	// Output: 403: {"status":403,"code":"UXESTMT_10003","message":"the access token is bound to another user than hostUserId \"1001\""}
}
