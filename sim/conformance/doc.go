// Package conformance replays the golden exchanges at a service and reports drifts: where it answers differently from the
// simulator, each with the entry of the ledger that it concerns.
//
// What it knows of the interface comes from sim/contract. How an exchange is prepared and undone stands in the exchange
// (see [fixtures.Replay]).
package conformance
