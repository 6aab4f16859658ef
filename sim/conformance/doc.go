// Package conformance replays the golden exchanges at a service and reports drifts: where it answers differently from the
// simulator, each with the entry of the ledger that it concerns.
//
// What it knows of the interface comes from sim/contract. What is expected of an answer comes from a simulator in the same
// process, with the switches that the service is said to have (expect.go).
//
// The service may be a bank with users. So a check only reads, unless it may write. Then it creates groups, alert
// preferences and tokens, changes and deletes only what it has created (created.go), and revokes and uses up only tokens
// that were issued to it (tokens.go), whatever answers are expected. What a request could change otherwise is left alone
// (writes.go): the exchange is skipped, with the reason.
package conformance
