// Package explore plans the runs of an app's test in which one call of the bank fails after the other, in each way that the
// contract lists for it, and judges by the bank's own journal and rows what the app did then and what it left behind. It runs
// nothing itself: package testkit and the command banksim explore do.
//
// An exploration begins with two undisturbed runs. What differs between them isn't deterministic: it is named, and doesn't count
// from then on. Each call of the first is then made to fail in each of the ways that [Failures] returns. What a failed run shows
// that the undisturbed one doesn't, such as a retry, fails in turn, in a few ways. A run begins in a bank that is as it was at the
// start of all others, so what can't differ is known before: the same calls with the same answers and changes came before the
// same failure. It is run once.
//
// Two ends are compared as multisets of rows that differ from the start, in which ids, tokens and times don't count: ids and
// tokens depend on how often the bank drew.
package explore
