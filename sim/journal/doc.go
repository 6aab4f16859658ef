// Package journal is the bounded record of what happened in a sandbox: every [Exchange], with the decision behind its
// answer. It decides nothing and holds no secret: [Messages.Redacted] redacts what was sent. Start at
// journal.go.
//
// A [Journal] holds the newest exchanges, and all journals together hold no more than their [Budget]. Beside an
// exchange it keeps the worlds around it ([Step]), and counts what they keep alone. Evicted exchanges are counted, so
// that no verdict is given that they could change: see [Journal.Verify] and [ErrEvicted].
package journal
