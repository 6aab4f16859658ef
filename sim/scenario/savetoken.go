package scenario

import (
	"cmp"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// givenGrant is an access token that a scenario gave, with its grant.
type givenGrant struct {
	token   *sim.Token
	grant   *sim.Grant
	refresh *sim.Token // of the grant, if a scenario gave it; nil: none
}

// givenGrants returns the access tokens that scenarios gave, by institution, in their order.
func (b Bank) givenGrants() map[string][]givenGrant {
	all := map[string][]givenGrant{}
	for t, g := range b.World.Tokens() {
		if !t.Given() || t.Refresh {
			continue
		}
		given := givenGrant{token: t, grant: g}
		if refresh, ok := b.World.Token(g.RefreshToken); ok && refresh.Given() && g.AccessToken == t.Text {
			given.refresh = refresh
		}
		all[g.InstitutionID] = append(all[g.InstitutionID], given)
	}
	for _, grants := range all {
		slices.SortFunc(grants, func(a, b givenGrant) int { return cmp.Compare(a.grant.Sequence, b.grant.Sequence) })
	}
	return all
}

// tokens returns the tokens that a scenario gave, and names those that were issued meanwhile.
func (s *saver) tokens(institutionID string) (written []token) {
	for _, g := range s.given[institutionID] {
		w := token{
			AccessToken: g.token.Text,
			Client:      g.grant.SharedKey,
			HostUserID:  g.grant.HostUserID,
			ExpiresAt:   moment(g.token.ExpiresAt),
			Revoked:     g.grant.Revoked || g.token.Revoked && g.refresh == nil,
		}
		if g.refresh != nil {
			w.RefreshToken, w.RefreshExpiresAt = g.refresh.Text, moment(g.refresh.ExpiresAt)
			w.AccessTokenRevoked = g.token.Revoked
		}
		written = append(written, w)
	}
	for g := range s.World.Grants(institutionID) {
		t, ok := s.World.Token(g.AccessToken)
		if !ok || t.Given() {
			continue
		}
		bound, state := "", "expires "+string(moment(t.ExpiresAt))
		if g.HostUserID != "" {
			bound = " for user " + g.HostUserID
		}
		if g.Revoked || t.Revoked {
			state = "revoked"
		}
		s.note("%s, of %s%s, %s, issued meanwhile: not kept", redact.Fingerprint(t.Text), g.SharedKey, bound, state)
	}
	return written
}
