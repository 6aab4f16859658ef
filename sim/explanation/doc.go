// Package explanation says in words why an exchange was answered as it was, for the control API, the console and the command why,
// and copies the exchange to go on with. It decides nothing: the reasons are the journal's and the contract's, and a copy has
// fingerprints where the journal has no secret. Start at explanation.go.
package explanation
