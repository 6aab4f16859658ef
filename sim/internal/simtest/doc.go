// Package simtest is how tests start a simulator and call it. It isn't testkit: that is for apps. Start at [NewBank].
//
// [NewBank] gives a test a bank of its own: a sandbox of the one simulator that all tests of the binary share, made
// from a scenario's YAML and deleted when the test ends. That is cheap and isolated, so such tests run in parallel. A
// test of the server itself (its listeners, log or limits) starts a simulator with [Start]; its [Bank] is the default
// sandbox of that simulator.
//
// A [Call] is a request of the interface as a value. The package has one that succeeds for each operation, such as
// [CreateGroup]; a test derives its own from it and sends it to a bank.
//
// Whatever a bank's client sends to the bank API is checked against the OpenAPI document, and so is the answer; a
// test fails with any exchange that it does not describe. The control API is called with [Bank.Control] and
// [Bank.ControlSandbox], and checked against its own document. Scenarios are parsed once per binary.
//
// A test binary calls [Main] in its TestMain. Main closes the shared simulator and finds leaked goroutines.
package simtest
