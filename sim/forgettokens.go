package sim

import (
	"cmp"
	"slices"
	"time"
)

// The bank remembers tokens that no longer work for a while. So it can tell callers why a token doesn't work (choice).
const (
	forgetAfter = 24 * time.Hour // how long an expired token is remembered
	tokensKept  = 1000           // how many tokens that no longer work are remembered at least
)

// forgetTokens forgets old tokens that no longer work, and the grants without other tokens. It remembers the newest
// tokens, and all tokens of the scenario. Only one in many calls has an effect.
func (w *World) forgetTokens(now time.Time) {
	tokens, grants := &tablesOf(w).tokens, &tablesOf(w).grants
	// Half as many again: else many live tokens would be walked again and again.
	if tokens.len() < w.tokensLeft+max(tokensKept, w.tokensLeft/2) {
		return
	}
	var dead []*Token
	for t := range tokens.all() {
		g, ok := grants.get(t.grant)
		// The newest access token of a grant is remembered as long as its refresh token.
		refreshable := ok && t.Text == g.AccessToken && tokens.has(&Token{Text: g.RefreshToken})
		if t.added && (!ok || g.Revoked || t.Used != nil || t.expired(now.Add(-forgetAfter)) && !refreshable) {
			dead = append(dead, t)
		}
	}
	slices.SortFunc(dead, func(a, b *Token) int {
		return cmp.Or(a.IssuedAt.Compare(b.IssuedAt), cmp.Compare(a.grant.Sequence, b.grant.Sequence))
	})
	for _, t := range dead[:max(0, len(dead)-tokensKept)] {
		tokens.delete(t)
		g, ok := grants.get(t.grant)
		if ok && g.Added && !tokens.has(&Token{Text: g.AccessToken}) && !tokens.has(&Token{Text: g.RefreshToken}) {
			grants.delete(g)
		}
	}
	w.tokensLeft = tokens.len()
}
