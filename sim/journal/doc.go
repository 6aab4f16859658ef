// Package journal is the bounded record of what happened in a sandbox: every [Exchange], with the decision behind
// its answer.
//
// A [Journal] holds the newest exchanges within its [Limits], and all journals together hold no more than their
// [Budget]. What is pushed out is counted, so that nothing is claimed about exchanges that are gone: see
// [Journal.Verify] and [ErrEvicted].
//
// Secrets are redacted on the way in, by what is known to be harmless rather than by what is known to be secret: a
// value that the interface doesn't document as plain data is kept only as its [Fingerprint]. Nothing that leaves
// the package (an exchange, a page, a stream, a verdict, a HAR document) can therefore hold one.
package journal
