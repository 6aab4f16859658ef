// Package fault injects failures on purpose, exactly when they are wanted and repeatably.
//
// A [Rule] says what fails, when, and what happens then. A [Set] holds the rules of one sandbox and counts: for each
// request it decides, once and before anything else, which of them fire. What a rule does to the connection is a
// [Connection], with a file for each kind.
package fault
