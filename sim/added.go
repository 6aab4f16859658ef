package sim

import "time"

// added is what callers have added to a world, beside the rows of its scenario.
type added struct {
	rows, bytes int
	ceiling     int // of bytes, whatever the behaviour says; 0: there is none
}

// rowBytes is what a row counts for, beside its texts: about what it takes in memory with its places in the tables.
const rowBytes = 512

// counted is what a row counts for, of a kind whose rows come to count for more or for less.
type counted struct{ rows, bytes int }

// recount counts a row for what it counts for after a change, in place of what it did before.
func (a *added) recount(before, after counted) {
	a.rows += after.rows - before.rows
	a.bytes += after.bytes - before.bytes
}

// admit counts a row that a caller adds. It refuses with WorldFull.
func (w *World) admit(texts ...*string) error {
	return w.count(counted{}, counted{1, sizeOf(texts...)})
}

// count counts a row that a caller adds or changes. It refuses with WorldFull if it comes to count for more.
func (w *World) count(before, after counted) error {
	limit := w.behavior.Limits
	w.added.recount(before, after)
	switch {
	case after.rows > before.rows && w.added.rows > limit.Rows:
		return Refuse(WorldFull, "callers may add %d rows to this bank, and it has them: reset it, or raise limits.rows in its scenario", limit.Rows)
	case after.bytes > before.bytes && w.added.bytes > limit.Bytes:
		return Refuse(WorldFull, "callers may add %d bytes to this bank, and with this row there are more: reset it, or raise limits.bytes in its scenario", limit.Bytes)
	case after.bytes > before.bytes && w.added.ceiling > 0 && w.added.bytes > w.added.ceiling:
		return Refuse(WorldFull, "the simulator has no memory left for what callers add to its banks: reset or delete sandboxes, or give it more memory")
	}
	return nil
}

// dismiss counts a row less.
func (w *World) dismiss(texts ...*string) {
	w.added.rows--
	w.added.bytes -= sizeOf(texts...)
}

// sizeOf returns what a row with these texts counts for. A text that is nil is none.
func sizeOf(texts ...*string) int {
	size := rowBytes
	for _, text := range texts {
		if text != nil {
			size += len(*text)
		}
	}
	return size
}

// Added returns how many rows callers have added, and for how many bytes they count.
func (w *World) Added() (rows, bytes int) { return w.added.rows, w.added.bytes }

// LimitBytes limits the bytes that the world can have of what callers add, whatever the behaviour allows; 0: it decides alone.
func (w *World) LimitBytes(ceiling int) { w.added.ceiling = ceiling }

// What no longer works is remembered for a while, so that its callers are told why it doesn't (choice). The rows of the
// scenario are always kept.
const (
	// forgetAfter is how long an expired token is remembered.
	forgetAfter = 24 * time.Hour
	// tokensKept is how many tokens a bank remembers without forgetting any, and how many revoked grants.
	tokensKept = 1000
	// purgedAtOnce bounds the work of one call.
	purgedAtOnce = 4
)

// purge forgets some tokens that expired long ago and some of the grants that were revoked before many others.
func (w *World) purge(now time.Time) {
	for range purgedAtOnce {
		if oldest, ok := w.expiring.at(0); ok && w.expiring.len() > tokensKept && oldest.expired(now.Add(-forgetAfter)) {
			w.forget(oldest)
		}
		if w.revoked.len() > tokensKept {
			oldest, _ := w.revoked.at(0)
			for _, text := range []string{oldest.AccessToken, oldest.RefreshToken} {
				if token, ok := w.Token(text); ok {
					w.forget(token)
				}
			}
		}
	}
}

// forget removes a token that a caller has asked for and, where its newest tokens are gone, the grant.
func (w *World) forget(t *Token) {
	if !t.added {
		return
	}
	w.tokens.delete(t)
	w.expiring.delete(t)
	w.dismiss()
	grant, ok := w.grants.get(t.grant)
	if !ok || !grant.added {
		return
	}
	if access, there := w.Token(grant.AccessToken); there {
		w.expiring.put(access) // which it was not while the grant had a refresh token
		return
	}
	if _, there := w.Token(grant.RefreshToken); there {
		return
	}
	w.grants.delete(grant)
	w.revoked.delete(grant)
	w.dismiss(&grant.Scopes)
}
