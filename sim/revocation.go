package sim

import (
	"cmp"
	"slices"
	"time"
)

// Revoke carries out a revocation (interface section 4.4) for a client that AuthorizeClient has accepted. The request
// names the grant. RefreshToken or Token names the grant of a token. Without them, GrantType password with the name
// and the password of a user names all grants of the client for this user, and client_credentials names the client's
// own grants.
//
// The revocation of an access token revokes its whole grant, unless the policy lets the rest of the grant alone.
//
// Revoke returns the newest grant that it has revoked, or a grant without tokens if there was nothing to revoke. It
// refuses with GrantUnnamed, with UserCredentialsWrong, with RefreshTokenInvalid for a token of another client that
// works, and with RevocationOfNothing for an unknown token if the policy says so. A token of another client that no
// longer works counts as unknown.
func (w *World) Revoke(p *Policy, institutionID, sharedKey string, r TokenRequest, now time.Time) (*Grant, error) {
	switch text := cmp.Or(r.RefreshToken, r.Token); {
	case text != "":
		return w.revokeToken(p, institutionID, sharedKey, text, now)
	case r.GrantType == GrantPassword && r.Username != "" && r.Password != "":
		user, err := w.login(p, institutionID, r.Username, r.Password)
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

func (w *World) revokeToken(p *Policy, institutionID, sharedKey, text string, now time.Time) (*Grant, error) {
	token, grant, known := w.Issued(text)
	if known && !grant.heldBy(institutionID, sharedKey) {
		if w.TokenStatus(text, now) == TokenActive {
			return nil, refuseOn(grant, RefreshTokenInvalid, "the token is another client's")
		}
		known = false
	}
	if known && token.Used != nil { // a used refresh token is remembered, but it holds no tokens any more
		known = false
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

// revokeAccess revokes one access token of a grant. The other tokens of the grant go on working. It returns a
// description of the grant with the revoked token only.
func (w *World) revokeAccess(token *Token, grant *Grant) *Grant {
	alone := *token
	alone.Revoked = true
	tablesOf(w).tokens.put(&alone)
	if grant.AccessToken == token.Text {
		changed := *grant
		changed.AccessRevoked = true
		tablesOf(w).grants.put(&changed)
	}
	described := *grant
	described.AccessToken, described.RefreshToken, described.Revoked = token.Text, "", true
	return &described
}

// revokeHeld revokes all grants that a client holds for a user. An empty hostUserID stands for the grants of the
// client itself.
func (w *World) revokeHeld(institutionID, sharedKey, hostUserID string) *Grant {
	newest := &Grant{InstitutionID: institutionID, SharedKey: sharedKey, HostUserID: hostUserID}
	high := &Grant{InstitutionID: institutionID, SharedKey: sharedKey, HostUserID: after(hostUserID)}
	held := slices.Collect(tablesOf(w).grants.between(newest, high)) // the loop below writes to the table
	for _, grant := range held {
		if !grant.Revoked {
			newest = w.revokeGrant(grant)
		}
	}
	return newest
}

func (w *World) revokeGrant(grant *Grant) *Grant {
	revoked := *grant
	revoked.Revoked = true
	tablesOf(w).grants.put(&revoked)
	return &revoked
}
