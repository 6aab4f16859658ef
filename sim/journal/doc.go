// Package journal is the bounded record of what happened in a sandbox: every [Exchange], with the decision behind
// its answer.
//
// A [Journal] holds the newest exchanges, and all journals together hold no more than their [Budget]. An exchange that has
// changed the world keeps the world before it, for as long as the journal keeps the exchange. Evicted exchanges are counted, so
// that no verdict is given that they could change: see [Journal.Verify] and [ErrEvicted].
//
// Exchanges are redacted when they are added ([redact]). So nothing that leaves the package (an exchange, a page, a
// stream, a verdict, a HAR document) can hold a secret.
package journal
