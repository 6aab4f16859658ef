// Package journal is the bounded record of what happened in a sandbox: every [Exchange], with the decision behind its
// answer. It decides nothing, and holds no secret: see [Messages.Redacted]. Start at journal.go.
//
// A [Journal] holds the newest exchanges, and all journals together hold no more than their [Budget]. With an exchange
// it keeps the worlds before and after it ([Step]), and counts their bytes. Evicted exchanges are counted, so
// that no verdict is given that they could change: see [Journal.Verify] and [ErrEvicted].
package journal
