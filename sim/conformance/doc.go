// Package conformance replays the golden exchanges at a service and reports drifts: where it answers differently from the
// simulator, each with the entry of the ledger that it concerns. It is no load test and restores no settings: it only reads unless
// it may write, and then changes and deletes only what it has created, and revokes only tokens that were issued to it (writes.go).
// Start at run.go.
package conformance
