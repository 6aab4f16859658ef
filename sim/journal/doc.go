// Package journal is the bounded record of what happened in a sandbox: every [Exchange], with the decision behind its
// answer. It decides nothing and holds no secret: exchanges are redacted when they are added. Start at journal.go.
//
// A [Journal] holds the newest exchanges, and all journals together hold no more than their [Budget]. An exchange
// that has changed the world keeps the world before it, for as long as the journal keeps the exchange. Evicted
// exchanges are counted, so that no verdict is given that they could change: see [Journal.Verify] and [ErrEvicted].
package journal
