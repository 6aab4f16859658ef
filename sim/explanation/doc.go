// Package explanation says in words why an exchange was answered as it was, for people: the control API answers with it, and
// the console and the command why show it. So there is one wording of each reason.
//
// An [Explanation] also has copies of the exchange to go on with: a command line, and a fault that makes the next request like it
// fail. The journal has no secrets. Where a request had one, the command names a variable, and what else it lacks is in the notes.
package explanation
