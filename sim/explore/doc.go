// Package explore plans the runs of an app's test in which one call of the bank fails after the other, in each way that the
// contract lists for it, and judges by the bank's own journal and rows what the app did then and what it left behind. It runs
// nothing itself: package testkit and the command banksim explore do.
//
// An exploration begins with two undisturbed runs. If they differ, the test is called not deterministic. Each call of the first is
// then made to fail in each of the ways that [Failures] returns. What a failed run does that the undisturbed one doesn't, such as
// a retry, fails in turn, in a few ways. Where the same calls with the same changes came before, that is done once: an app that
// retries after each of ten failures isn't asked ten times what it does if that fails, too.
//
// Two ends are compared as multisets of rows that differ from the start, in which ids, tokens and times don't count: ids and
// tokens depend on how often the bank drew.
package explore
