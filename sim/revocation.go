package sim

import "cmp"

// Revoke carries out a revocation (interface section 4.4) for a client that AuthorizeClient has accepted.
// The request names the grant: RefreshToken (or Token) that token's; without one, GrantType password with a
// user's name and password all grants of that user held by the client; client_credentials the client's own.
//
// An access token takes its grant along, unless the behaviour leaves the rest of it alone.
//
// It returns the newest grant that was revoked, or one without tokens where there was nothing to revoke. It
// refuses with GrantUnnamed, UserCredentialsWrong, RefreshTokenInvalid for another client's token or, where the
// behaviour says so, RevocationOfNothing for an unknown one.
func (w *World) Revoke(p *Policy, institutionID, sharedKey string, r TokenRequest) (*Grant, error) {
	switch text := cmp.Or(r.RefreshToken, r.Token); {
	case text != "":
		return w.revokeToken(p, institutionID, sharedKey, text)
	case r.GrantType == GrantPassword && r.Username != "" && r.Password != "":
		user, err := w.login(institutionID, r.Username, r.Password)
		if err != nil {
			return nil, err
		}
		return w.revokeHeld(institutionID, sharedKey, user.HostUserID), nil
	case r.GrantType == GrantClientCredentials:
		return w.revokeHeld(institutionID, sharedKey, ""), nil
	}
	if p.Dialect == DialectPublic {
		return nil, Refuse(GrantUnnamed, "the body names nothing to revoke: give token")
	}
	return nil, Refuse(GrantUnnamed, "the body names nothing to revoke: give refresh_token, "+
		"or grant_type %s with username and password, or grant_type %s", GrantPassword, GrantClientCredentials)
}

func (w *World) revokeToken(p *Policy, institutionID, sharedKey, text string) (*Grant, error) {
	token, grant, known := w.Issued(text)
	if known && !grant.heldBy(institutionID, sharedKey) {
		return nil, refuseOn(grant, RefreshTokenInvalid, "the token is another client's")
	}
	if (!known || grant.Revoked || token.Revoked) && p.Tokens.UnknownToken == UnknownTokenError {
		return nil, Refuse(RevocationOfNothing, "the token is unknown or was revoked before")
	}
	if !known {
		return &Grant{InstitutionID: institutionID, SharedKey: sharedKey}, nil
	}
	if !token.Refresh && !grant.Revoked && grant.RefreshToken != "" && p.Tokens.AccessTokenAlone {
		return w.revokeAccess(token, grant), nil
	}
	return w.revokeGrant(grant), nil
}

// revokeAccess revokes one access token of a grant, whose other tokens go on working. The grant that it returns has no
// other token.
func (w *World) revokeAccess(token *Token, grant *Grant) *Grant {
	alone := *token
	alone.Revoked = true
	w.tokens.put(&alone)
	if grant.AccessToken == token.Text {
		changed := *grant
		changed.AccessRevoked = true
		w.grants.put(&changed)
	}
	described := *grant
	described.AccessToken, described.RefreshToken, described.Revoked = token.Text, "", true
	return &described
}

// revokeHeld revokes all grants that a client holds for a user, or for itself where hostUserID is empty.
func (w *World) revokeHeld(institutionID, sharedKey, hostUserID string) *Grant {
	newest := &Grant{InstitutionID: institutionID, SharedKey: sharedKey, HostUserID: hostUserID}
	var held []*Grant // gathered first: a table is not written to while it is walked
	high := &Grant{InstitutionID: institutionID, SharedKey: sharedKey, HostUserID: after(hostUserID)}
	for grant := range w.grants.between(newest, high) {
		if !grant.Revoked {
			held = append(held, grant)
		}
	}
	for _, grant := range held {
		newest = w.revokeGrant(grant)
	}
	return newest
}

func (w *World) revokeGrant(grant *Grant) *Grant {
	revoked := *grant
	revoked.Revoked = true
	w.grants.put(&revoked)
	return &revoked
}
