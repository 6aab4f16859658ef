package bankapi_test

import (
	"cmp"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The reference's token operations.

// client returns the rule that refuses the keys and headers of a client's request, or its body; empty: none.
func (b *refBank) client(r tokenRequest) sim.Code {
	switch {
	case r.client.kind != "basic" || !b.hasClient("", r.client.shared, r.client.secret):
		return sim.ClientUnknown
	case r.institutionID == "" || r.institutionID == "2688x":
		return contract.InstitutionMissing
	case r.transactionID == "":
		return contract.RequestIDMissing
	case !b.hasClient(r.institutionID, r.client.shared, r.client.secret):
		return sim.ClientNotOfInstitution
	}
	return r.body.fault
}

// issue predicts the answer of tokens.issue.
func (b *refBank) issue(r tokenRequest, now time.Time) verdict {
	if r.institutionID == "" {
		b.nameInstitution(&r)
	}
	if rule := b.client(r); rule != "" {
		return refused(rule)
	}
	is := b.behavior.Tokens
	grant := refGrant{institution: r.institutionID, client: r.client.shared, grantType: r.members["grant_type"]}
	withRefresh := true
	renewed := -1 // the grant that is refreshed
	switch grant.grantType {
	case sim.GrantClientCredentials:
		withRefresh = false
	case sim.GrantPassword:
		user, wrong := b.login(r)
		if wrong != "" {
			return refused(wrong)
		}
		grant.user = user.ID
	case sim.GrantRefreshToken:
		old, token := b.token(r.members["refresh_token"])
		if old == nil || !token.refresh || old.revoked || !now.Before(token.expires) || old.institution != r.institutionID || old.client != r.client.shared {
			return refused(sim.RefreshTokenInvalid)
		}
		for g := range b.grants {
			if &b.grants[g] == old {
				renewed = g
			}
		}
		grant = *old
	default:
		return refused(sim.GrantTypeUnknown)
	}
	return verdict{then: func(l *learner, body string) {
		got := decodeBody[simtest.Tokens](l, body)
		want := simtest.Tokens{TokenType: "Bearer", AccessToken: got.AccessToken, ExpiresIn: seconds(is.AccessLifetime), FIID: grant.institution}
		access := refToken{text: got.AccessToken, expires: now.Add(is.AccessLifetime)}
		l.freshToken(b, got.AccessToken, 28)
		if !withRefresh {
			l.equal(want, got, "tokens")
			l.drew(b, "access", got.AccessToken)
			grant.tokens = []refToken{access}
			b.grants = append(b.grants, grant)
			return
		}
		want.FICustomer, want.RefreshToken, want.RefreshExpiresIn = grant.user, got.RefreshToken, seconds(is.RefreshLifetime)
		l.equal(want, got, "tokens")
		l.freshToken(b, got.RefreshToken, 32)
		refresh := refToken{text: got.RefreshToken, refresh: true, expires: now.Add(is.RefreshLifetime)}
		if renewed < 0 {
			l.drew(b, "refresh", got.RefreshToken)
			l.drew(b, "access", got.AccessToken)
			grant.tokens = []refToken{access, refresh}
			b.grants = append(b.grants, grant)
			return
		}
		l.drew(b, "access", got.AccessToken)
		l.drew(b, "refresh", got.RefreshToken)
		g := &b.grants[renewed]
		for t := range g.tokens {
			g.tokens[t].used = g.tokens[t].used || g.tokens[t].refresh
		}
		g.tokens = append(g.tokens, access, refresh)
	}}
}

// nameInstitution gives a refresh that names no institution that of its refresh token; where the client holds no such
// token, one that it is registered with, so that the token is what is refused.
func (b *refBank) nameInstitution(r *tokenRequest) {
	if r.members["grant_type"] != sim.GrantRefreshToken || r.body.fault != "" {
		return
	}
	if grant, _ := b.token(r.members["refresh_token"]); grant != nil && b.hasClient(grant.institution, r.client.shared, r.client.secret) {
		r.institutionID = grant.institution
		return
	}
	for _, in := range b.Institutions {
		if b.hasClient(in.ID, r.client.shared, r.client.secret) {
			r.institutionID = in.ID
		}
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }

func (b *refBank) login(r tokenRequest) (*refUser, sim.Code) {
	name, password := r.members["username"], r.members["password"]
	switch {
	case name == "":
		return nil, sim.UsernameMissing
	case password == "":
		return nil, sim.PasswordMissing
	}
	in := b.institution(r.institutionID)
	for u := range in.Users {
		if user := &in.Users[u]; user.Username == name && user.Password == password && user.Active {
			return user, ""
		}
	}
	return nil, sim.UserCredentialsWrong
}

// revoke predicts the answer of tokens.revoke.
func (b *refBank) revoke(r tokenRequest) verdict {
	if rule := b.client(r); rule != "" {
		return refused(rule)
	}
	described := refGrant{institution: r.institutionID, client: r.client.shared}
	text := cmp.Or(r.members["refresh_token"], r.members["token"])
	switch grantType := r.members["grant_type"]; {
	case text != "":
		grant, token := b.token(text)
		if grant != nil && (grant.institution != r.institutionID || grant.client != r.client.shared) {
			return refused(sim.RefreshTokenInvalid)
		}
		if (grant == nil || grant.revoked || token.revoked) && b.behavior.Tokens.UnknownToken == sim.UnknownTokenError {
			return refused(sim.RevocationOfNothing)
		}
		switch {
		case grant == nil:
		case b.behavior.Tokens.AccessTokenAlone && !token.refresh && !grant.revoked && grant.newest(true).text != "":
			token.revoked = true
			described.user, described.tokens = grant.user, []refToken{*token}
		default:
			grant.revoked = true
			described = *grant
		}
	case grantType == sim.GrantPassword && r.members["username"] != "" && r.members["password"] != "":
		user, wrong := b.login(r)
		if wrong != "" {
			return refused(wrong)
		}
		described.user = user.ID
		described = b.revokeAll(described)
	case grantType == sim.GrantClientCredentials:
		described = b.revokeAll(described)
	default:
		return refused(sim.GrantUnnamed)
	}
	return b.revocation(described)
}

// revokeAll revokes what a client holds for a user, or for none, and returns the newest of it.
func (b *refBank) revokeAll(held refGrant) refGrant {
	newest := held
	for g := range b.grants {
		grant := &b.grants[g]
		if grant.institution == held.institution && grant.client == held.client && grant.user == held.user && !grant.revoked {
			grant.revoked = true
			newest = *grant
		}
	}
	return newest
}

func (b *refBank) revocation(of refGrant) verdict {
	switch b.behavior.Tokens.RevokeResponse {
	case sim.RevokeNoContent:
		return verdict{then: wantEmptyBody}
	case sim.RevokeAuthenticationResult:
		return verdict{then: func(l *learner, body string) {
			got := decodeSome[struct {
				UserID        string `json:"userId"`
				InstitutionID string `json:"institutionId"`
				ClientID      string `json:"clientId"`
			}](l, body)
			l.equal(refCaller{of.institution, of.client, of.user}, refCaller{got.InstitutionID, got.ClientID, got.UserID}, "what was revoked")
		}}
	}
	return wants(simtest.Tokens{AccessToken: of.newest(false).text, ExpiresIn: "0", FIID: of.institution, FICustomer: of.user,
		RefreshToken: of.newest(true).text, RefreshExpiresIn: "0"})
}
