// Package conformance replays the golden exchanges against a service at any base URL, and reports where it answers
// otherwise than the simulator: each drift with the entry of the ledger that it concerns.
package conformance
