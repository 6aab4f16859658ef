package sim

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// codeLifetime is how long an authorization code works (choice: the public description says that it is short-lived).
const codeLifetime = time.Minute

// CodePolicy is the registration of a client for the grant authorization_code (published).
type CodePolicy struct {
	Scopes                  []string `json:"scopes,omitzero"` // the scopes that its codes may have
	RedirectURI             string   `json:"redirectUri,omitzero"`
	AppID                   string   `json:"appId,omitzero"`
	SecondaryAuthentication bool     `json:"secondaryAuthentication,omitzero"`
	Consent                 bool     `json:"consent,omitzero"`
	DeviceRegistration      bool     `json:"deviceRegistration,omitzero"`
}

// CodeRequest asks for an authorization code for a client and a user (published).
type CodeRequest struct {
	ClientID          string // the client's shared key
	Scopes            string // with commas between them
	Username          string
	InstitutionUserID string
	OpenIDRequest
}

// OpenIDRequest is the part of a code request about the id_token. The zero value asks for no id_token.
type OpenIDRequest struct {
	// RequestedScopes are scopes with commas between them. They are not checked (published).
	RequestedScopes string `json:"requestedScopes,omitzero"`
	// Nonce becomes a claim.
	Nonce string `json:"nonce,omitzero"`
	// Audience becomes the claim aud.
	Audience string `json:"audience,omitzero"`
	// AuthTime becomes a claim: seconds since 1970, or 0 for no claim.
	AuthTime int64 `json:"authTime,omitzero"`
}

// offlineAccess is the requested scope that asks for a refresh token.
const offlineAccess = "offline_access"

// ClientForCodes returns the client that a caller wants codes for. The clientID is its shared key. ClientForCodes
// refuses with ClientAuthorizesItself, CodeClientUnknown or ClientWithoutCodes.
func (w *World) ClientForCodes(caller Caller, clientID string) (*Client, error) {
	if clientID == caller.SharedKey {
		return nil, Refuse(ClientAuthorizesItself, "client_id must be another client than that of the access token")
	}
	client, ok := tablesOf(w).clients.get(&Client{InstitutionID: caller.InstitutionID, SharedKey: clientID})
	if !ok {
		return nil, Refuse(CodeClientUnknown, "institution %s has no client with this client_id", caller.InstitutionID)
	}
	if client.Codes == nil {
		return nil, refuseOn(client, ClientWithoutCodes, "the client doesn't have the grant %s", GrantAuthorizationCode)
	}
	return client, nil
}

// CreateCode creates an authorization code for a client and a user of the caller's institution. It returns a grant
// without tokens: the use of the code issues them. CreateCode refuses as ClientForCodes does, and with TextTooLong,
// ScopesNotAllowed, CodeUserUnknown, CodeUserIDWrong or TokenOfAnotherUser.
func (w *World) CreateCode(caller Caller, r CodeRequest, now time.Time) (*Grant, *Client, error) {
	client, err := w.ClientForCodes(caller, r.ClientID)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range []string{r.Scopes, r.RequestedScopes, r.Nonce, r.Audience} {
		if utf8.RuneCountInString(text) > MaxText {
			return nil, nil, Refuse(TextTooLong, "a member of the body is longer than %d characters", MaxText)
		}
	}
	for _, scope := range splitScopes(r.Scopes) {
		if !slices.Contains(client.Codes.Scopes, scope) {
			return nil, nil, refuseOn(client, ScopesNotAllowed,
				"scopes must be some of the client's, separated by commas")
		}
	}
	user, ok := w.userNamed(caller.InstitutionID, r.Username)
	switch {
	case !ok || !user.Active:
		return nil, nil, Refuse(CodeUserUnknown, "no active user has this username")
	case !strings.EqualFold(user.InstitutionUserID(), r.InstitutionUserID):
		return nil, nil, refuseOn(user, CodeUserIDWrong,
			"institution_user_id must be that of the user with the username")
	case caller.HostUserID != "" && caller.HostUserID != user.HostUserID:
		return nil, nil, Refuse(TokenOfAnotherUser, "the access token is bound to another user")
	}
	w.forgetTokens(now)
	g := &Grant{
		InstitutionID: caller.InstitutionID,
		SharedKey:     r.ClientID,
		HostUserID:    user.HostUserID,
		Sequence:      w.next(),
		GrantType:     GrantAuthorizationCode,
		Scopes:        r.Scopes,
		Code:          w.drawToken(codeLength),
		Added:         true,
	}
	if r.OpenIDRequest.RequestedScopes != "" || r.Nonce != "" || r.Audience != "" {
		g.OpenID = &r.OpenIDRequest
	}
	tablesOf(w).grants.put(g)
	w.putToken(g, Token{Text: g.Code, Code: true, IssuedAt: now, ExpiresAt: now.Add(codeLifetime), added: true})
	return g, client, nil
}

// splitScopes returns the scopes in the list of a request for a code: only commas separate them. An empty list has one
// empty scope, so that no client may ask for it.
func splitScopes(list string) []string {
	scopes := strings.Split(list, ",")
	for i, scope := range scopes {
		scopes[i] = strings.TrimSpace(scope)
	}
	return scopes
}

// asksForRefresh reports whether the request for the grant's code asked for a refresh token.
func (g *Grant) asksForRefresh() bool {
	return g.OpenID != nil && slices.Contains(splitScopes(g.OpenID.RequestedScopes), offlineAccess)
}

// redeem issues the tokens of an authorization code. A code works once. redeem refuses with AuthorizationCodeInvalid or
// ScopesNotAllowed.
func (w *World) redeem(p *Policy, client *Client, r TokenRequest, now time.Time) (*Grant, error) {
	if r.Code == "" {
		return nil, Refuse(AuthorizationCodeInvalid, "code is missing")
	}
	code, grant, ok := w.Issued(r.Code)
	isHeld := ok && grant.heldBy(client.InstitutionID, client.SharedKey)
	if !isHeld || !code.Code || grant.Revoked || code.expired(now) {
		return nil, Refuse(AuthorizationCodeInvalid,
			"the authorization code is unknown, used, expired or another client's")
	}
	scopes, err := client.grantedScopes(r.Scopes, grant.Scopes)
	if err != nil {
		return nil, err
	}
	return w.renew(p, code, grant, scopes, now), nil
}
