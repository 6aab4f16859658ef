// Package fault injects failures on purpose: exactly when they are wanted, and the same in every run.
//
// A [Rule] says which operation fails, when, and how. A [Set] holds the rules of one sandbox and counts the requests
// that match each: before a request is carried out, it decides once which rules fire. A [Connection] is the effect of a
// rule on the connection.
package fault
