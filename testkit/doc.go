// Package testkit gives each Go test a simulated bank of its own: a sandbox of one simulator that all tests of a test
// binary share. The simulator runs in the test's own process or, if the test binary imports package testkit/container, in a
// container. It is no mock to be told what to answer: the bank has its rules. Start at [Start].
//
//	func TestSignOut(t *testing.T) {
//		bank := testkit.Start(t)
//		app := NewApp(bank.BaseURL(), bank.Client(), bank.Token())
//		require.NoError(t, app.SignOut())
//		bank.Verify(testkit.Expect{Operation: "tokens.revoke", Exactly: testkit.Times(1)})
//	}
//
// [Start] returns a [Bank], and removes it when the test ends. A failed test logs the requests to its bank, and the
// decision behind each answer.
//
// The environment variable BANKSIM_TESTKIT, container or inprocess, decides for all tests where their banks run. If
// BANKSIM_COVERAGE names a directory, each test binary writes to a file there which of the bank's answers its tests met; the
// command banksim coverage reads it.
package testkit
