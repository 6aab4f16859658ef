// Package conformance replays the golden exchanges at a service and reports differences between its answers and the
// simulator's. Each has the entry of the ledger that it concerns.
//
// A replay only reads, unless it may write. Then it changes and deletes only its own creations, and it revokes only
// tokens that were issued to it (plan.go, writes.go). It changes the e-statement preferences of users for tests, and
// puts them back (users.go). It is no load test.
//
// A journey is a random sequence of requests about rows that it creates (journey.go). The simulator gets the same
// requests. Start at run.go.
package conformance
