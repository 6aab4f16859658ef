package testkit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func ExampleBank_Journal() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	fmt.Println(app.GoPaperless("1003") != nil)

	for _, x := range bank.Journal("estatements.*") {
		fmt.Println(x.ID, x.Operation, x.Response.Status, x.Decision.Message)
	}
	// Output:
	// true
	// 1 estatements.updateUser 400 the user-level disclosure of user "1003" is not in status ACCEPTED
}

func ExampleBank_ClearJournal() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	fmt.Println(app.CreateGroup("Night owls")) // prepares the test
	bank.RequireNoLints()                      // it looks at all exchanges, so it comes before ClearJournal
	bank.ClearJournal()

	fmt.Println(app.CreateGroup("Early birds"))
	fmt.Println(bank.Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(1)}))
	// Output:
	// <nil>
	// <nil>
	// true
}

func ExampleBank_Await() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}

	done := make(chan error)
	go func() { done <- app.CreateGroup("Night owls") }() // as an app does in the background

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	x := bank.Await(ctx, func(x testkit.Exchange) bool { return x.Operation == "groups.create" })
	fmt.Println(x.Request.Body, x.Response.Status)
	fmt.Println(<-done)
	// Output:
	// {"groupName":"Night owls"} 200
	// <nil>
}

func ExampleBank_Fork() {
	bank := testkit.Start(t, testkit.InProcess(), testkit.Scenario("base"))
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}
	fmt.Println(app.CreateGroup("Night owls"))

	fork := bank.Fork() // has the group, too
	other := &App{BaseURL: fork.BaseURL(), HTTP: fork.Client(), Token: fork.Token()}
	fmt.Println(other.CreateGroup("Early birds"))

	fmt.Println(len(bank.State().Institutions[0].Groups), len(fork.State().Institutions[0].Groups))
	// Output:
	// <nil>
	// <nil>
	// 1 2
}

// The values of an expectation are texts, regular expressions after "~", and nil for what must be absent. Its body is any
// value that stands for an object.
func ExampleExpect() {
	bank := testkit.Start(t, testkit.InProcess())
	app := &App{BaseURL: bank.BaseURL(), HTTP: bank.Client(), Token: bank.Token()}
	fmt.Println(app.CreateGroup("Night owls"))

	type group struct {
		Name        string  `json:"groupName"`
		Description *string `json:"groupDescription"`
	}
	for _, expected := range []testkit.Expect{
		{Operation: "groups.create", Body: group{Name: "Night owls"}},
		{Operation: "groups.create", Body: map[string]any{"groupName": "~^Night"}},
		{Operation: "groups.*", Status: 200, Header: map[string]*string{"transactionId": testkit.Text("~^6f1f2d1e-"), "X-Debug": nil}},
		{Operation: "groups.list", Exactly: testkit.Times(0)},
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

func ExampleIgnoreGoroutines() {
	for _, function := range testkit.IgnoreGoroutines() {
		fmt.Println(function) // options = append(options, goleak.IgnoreAnyFunction(function))
	}
	// Output: github.com/digitalbanking-sim/banksim/sim/server.(*Server).serve
}
