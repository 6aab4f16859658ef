// Package explanation gives the reason for the answer of an exchange in words, for the control API, the console and the
// command why. It also copies the exchange and names the calls to go on with. It decides nothing: the reasons are the
// journal's and the contract's, and a copy has fingerprints where the journal has no secret. Start at explanation.go.
package explanation
