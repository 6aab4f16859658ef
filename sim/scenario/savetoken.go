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

// tokens writes the tokens that a scenario gave, and names those that were issued meanwhile.
func (s *saver) tokens(institutionID string) {
	s.list("tokens:", func(item func(members)) {
		for _, g := range s.given[institutionID] {
			m := members{{"accessToken", g.token.Text}, {"client", g.grant.SharedKey}}
			if g.grant.HostUserID != "" {
				m = append(m, member{"hostUserId", g.grant.HostUserID})
			}
			m = append(m, member{"expiresAt", literal(moment(g.token.ExpiresAt))})
			if g.refresh != nil {
				m = append(m, member{"refreshToken", g.refresh.Text}, member{"refreshExpiresAt", literal(moment(g.refresh.ExpiresAt))})
			}
			alone := g.token.Revoked && !g.grant.Revoked
			switch {
			case g.grant.Revoked, alone && g.refresh == nil:
				m = append(m, member{"revoked", true})
			}
			if g.refresh != nil && g.token.Revoked {
				m = append(m, member{"accessTokenRevoked", true})
			}
			item(m)
		}
	})
	issued := 0
	for g := range s.World.Grants(institutionID) {
		t, ok := s.World.Token(g.AccessToken)
		if !ok || t.Given() {
			continue
		}
		if issued++; issued > maxIssued {
			continue
		}
		of := g.SharedKey
		if g.HostUserID != "" {
			of += " for user " + g.HostUserID
		}
		state := "expires " + moment(t.ExpiresAt)
		if g.Revoked || t.Revoked {
			state = "revoked"
		}
		s.line(2, "# %s, of %s, %s, issued meanwhile: not kept", redact.Fingerprint(t.Text), oneLine(of), state)
	}
	if issued > maxIssued {
		s.line(2, "# and %d more", issued-maxIssued)
	}
}
