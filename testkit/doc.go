// Package testkit gives each Go test a simulated bank of its own. The bank has rules of its own, so a test need not
// tell it its answers.
//
//	func TestSignOut(t *testing.T) {
//		bank := testkit.Start(t)
//		app := NewApp(bank.BaseURL(), bank.Client(), bank.Token())
//		require.NoError(t, app.SignOut())
//		bank.Verify(testkit.Expect{Operation: testkit.TokensRevoke, Times: testkit.Exactly(1)})
//	}
//
// [Start] returns a [Bank], and removes it when the test ends. A failed test logs the requests to its bank, and the
// decision behind each answer. Banks are sandboxes of one simulator in the test's own process. [On] and package
// testkit/container put them on a simulator that runs elsewhere.
//
// A bank starts from the scenario retail, unless an option says otherwise. Its institution is 02688. Of its users, 1001
// has accepted electronic statements, 1002 is not active, and 1003 has not accepted.
//
// If the environment variable BANKSIM_COVERAGE names a directory, each test binary writes a file there that says which
// of the bank's answers its tests covered. The command banksim coverage reads it.
package testkit

//go:generate go run ./internal/types
