// Package testkit gives Go tests a bank of their own: a sandbox of a simulator that runs in a container, one for all tests
// of a test binary, or in the test's own process.
//
//	func TestSignOut(t *testing.T) {
//		bank := testkit.Start(t)
//		app := NewApp(bank.BaseURL(), bank.Client(), bank.Token())
//		require.NoError(t, app.SignOut())
//		bank.Verify(testkit.Expect{Operation: "tokens.revoke", Exactly: testkit.Times(1)})
//	}
//
// [Start] makes a [Bank], and removes it when the test ends. Where the test failed, it prints what the bank was asked and
// why it answered so. [Run] starts a container as the modules of testcontainers-go do.
//
// The variable BANKSIM_TESTKIT, container or inprocess, decides for all tests where their banks are.
package testkit
