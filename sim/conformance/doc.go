// Package conformance replays the golden exchanges at a service and reports drifts: where it answers differently from the
// simulator, each with the entry of the ledger that it concerns.
//
// What it knows of the interface comes from sim/contract. What is expected of an answer comes from a simulator in the same
// process, with the switches that the service is said to have (expect.go).
//
// The service may be a bank with users. So every request that may change something is prepared and undone, whatever answer
// is expected (aim.go says what a request could change):
//
//   - The settings of accounts are read before and after, and put back where they differ (settings.go).
//   - Only tokens that were issued for the replay are ever revoked or used up (tokens.go).
//   - Groups and alert preferences are deleted if the service has the operations for it, and listed otherwise (residue.go).
//   - What can't be undone is not sent: the exchange is skipped, with the reason.
package conformance
