package sim

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"
)

// The grants of the token operation.
const (
	GrantClientCredentials = "client_credentials"
	GrantPassword          = "password"
	GrantRefreshToken      = "refresh_token"
	// GrantAuthorizationCode has a grant that begins with a code, see [World.CreateCode].
	GrantAuthorizationCode = "authorization_code"
)

// Lengths of drawn tokens, in alphanumeric characters (published).
const (
	accessTokenLength  = 28
	refreshTokenLength = 32
	codeLength         = 8
)

// Grant is an access for a client itself or for a user. The revocation of its refresh token revokes the grant with all
// its tokens. So does that of an access token, unless the policy has AccessTokenAlone.
type Grant struct {
	InstitutionID string `json:"institutionId,omitzero"`
	SharedKey     string `json:"sharedKey,omitzero"`  // the client
	HostUserID    string `json:"hostUserId,omitzero"` // the user that its tokens are bound to, or empty
	Sequence      uint64 `json:"sequence,omitzero"`

	GrantType string         `json:"grantType,omitzero"`
	Scopes    string         `json:"scopes,omitzero"` // see [ScopesIn] and [Client]
	Code      string         `json:"code,omitzero"`   // the authorization code that it began with, or empty
	OpenID    *OpenIDRequest `json:"openId,omitzero"`
	// AccessToken is the newest access token, or empty while the grant's code isn't used.
	AccessToken  string `json:"accessToken,omitzero"`
	RefreshToken string `json:"refreshToken,omitzero"` // the refresh token that works, or empty
	Revoked      bool   `json:"revoked,omitzero"`
	// AccessRevoked says that the newest access token was revoked and the refresh token was not.
	AccessRevoked bool `json:"accessRevoked,omitzero"`
	// Added says that a caller has asked for the grant. All other grants are from the scenario.
	Added bool `json:"added,omitzero"`
}

// grantTable has the grants of all clients.
var grantTable = &tableSpec[Grant]{
	name:    "grants",
	in:      func(w *World) *table[Grant] { return &tablesOf(w).grants },
	key:     func(g *Grant) rowKey { return rowKey{&g.InstitutionID, &g.SharedKey, &g.HostUserID, &g.Sequence} },
	before:  (*Grant).before,
	addable: true,
	weigh:   weigher[Grant](1),
}

func (g *Grant) Row() string {
	return fmt.Sprintf("grants/%s/%s/%d", g.InstitutionID, g.SharedKey, g.Sequence)
}

func (g *Grant) before(other *Grant) bool {
	return cmp.Or(cmp.Compare(g.InstitutionID, other.InstitutionID), cmp.Compare(g.SharedKey, other.SharedKey),
		cmp.Compare(g.HostUserID, other.HostUserID), cmp.Compare(g.Sequence, other.Sequence)) < 0
}

// Token is one access token, refresh token or authorization code.
type Token struct {
	Text      string    `json:"text,omitzero"`
	Refresh   bool      `json:"refresh,omitzero"`
	Code      bool      `json:"code,omitzero"`
	IssuedAt  time.Time `json:"issuedAt,omitzero"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // from this moment on it doesn't work
	Revoked   bool      `json:"revoked,omitzero"`   // alone, without its grant
	Scopes    string    `json:"scopes,omitzero"`    // of an access token for fewer than its grant's
	Used      *TokenUse `json:"used,omitzero"`      // of a refresh token that the bank remembers, or nil

	grant *Grant // the key of its grant
	added bool   // whether a caller has asked for it
}

// TokenUse is the first use of a refresh token: when it was, and which tokens it gave.
type TokenUse struct {
	At           time.Time `json:"at,omitzero"`
	AccessToken  string    `json:"accessToken,omitzero"`
	RefreshToken string    `json:"refreshToken,omitzero"`
}

// tokenTable has the tokens and the authorization codes of all grants.
var tokenTable = &tableSpec[Token]{
	name:       "tokens",
	in:         func(w *World) *table[Token] { return &tablesOf(w).tokens },
	key:        func(t *Token) rowKey { return rowKey{&t.Text} },
	before:     func(a, b *Token) bool { return a.Text < b.Text },
	stored:     storedAs(newStoredToken, storedToken.token),
	isInternal: true,
	addable:    true,
	weigh:      weigher[Token](1),
}

// storedToken is the stored form of a token.
type storedToken struct {
	*Token
	Grant *Grant `json:"grant,omitzero"` // the key of the grant
	Added bool   `json:"added,omitzero"`
}

func newStoredToken(t *Token) storedToken { return storedToken{t, t.grant, t.added} }

func (s storedToken) token() *Token {
	t := cmp.Or(s.Token, &Token{})
	t.grant, t.added = cmp.Or(s.Grant, &Grant{}), s.Added
	return t
}

// key returns a row that only has the members of the grant's key.
func (g *Grant) key() *Grant {
	return &Grant{InstitutionID: g.InstitutionID, SharedKey: g.SharedKey, HostUserID: g.HostUserID,
		Sequence: g.Sequence}
}

// expired reports whether the token's lifetime is over.
func (t *Token) expired(now time.Time) bool { return !now.Before(t.ExpiresAt) }

// Caller is the client and the user of a request, as its access token says. The zero Caller is for a request without a
// token.
type Caller struct {
	InstitutionID string
	SharedKey     string
	HostUserID    string // the user that the token is bound to, or empty
}

// Authenticate returns the caller that an access token stands for. It refuses with TokenUnknown or TokenExpired.
func (w *World) Authenticate(accessToken string, now time.Time) (Caller, error) {
	_, grant, err := w.working(accessToken, now)
	if err != nil {
		return Caller{}, err
	}
	return grant.caller(), nil
}

// working returns an access token that works, with its grant. It refuses as Authenticate does.
func (w *World) working(accessToken string, now time.Time) (*Token, *Grant, error) {
	token, grant, ok := w.Issued(accessToken)
	if !ok || token.Refresh || token.Code || grant.Revoked || token.Revoked {
		return nil, nil, Refuse(TokenUnknown, "the access token is unknown or revoked")
	}
	if token.expired(now) {
		return nil, nil, Refuse(TokenExpired, "the access token has expired")
	}
	return token, grant, nil
}

func (g *Grant) caller() Caller {
	return Caller{InstitutionID: g.InstitutionID, SharedKey: g.SharedKey, HostUserID: g.HostUserID}
}

// ExpireToken lets an access token expire now, and reports whether it was valid.
func (w *World) ExpireToken(text string, now time.Time) bool {
	token, _, err := w.working(text, now)
	if err != nil {
		return false
	}
	expired := *token
	expired.ExpiresAt = now
	tablesOf(w).tokens.put(&expired)
	return true
}

// Issued returns an access token, a refresh token or a code by its text, with its grant.
func (w *World) Issued(text string) (*Token, *Grant, bool) {
	token, ok := tablesOf(w).tokens.get(&Token{Text: text})
	if !ok {
		return nil, nil, false
	}
	grant, ok := tablesOf(w).grants.get(token.grant)
	return token, grant, ok
}

// Token returns an access token, a refresh token or a code by its text.
func (w *World) Token(text string) (*Token, bool) { return tablesOf(w).tokens.get(&Token{Text: text}) }

// IsListed reports whether the scenario lists the token. All other tokens were issued to callers.
func (t *Token) IsListed() bool { return !t.added }

// Tokens yields all tokens and codes with their grants, by their texts.
func (w *World) Tokens() iter.Seq2[*Token, *Grant] {
	tokens, grants := &tablesOf(w).tokens, &tablesOf(w).grants
	return func(yield func(*Token, *Grant) bool) {
		for t := range tokens.all() {
			if g, ok := grants.get(t.grant); ok && !yield(t, g) {
				return
			}
		}
	}
}

// Grants yields the grants of an institution.
func (w *World) Grants(institutionID string) iter.Seq[*Grant] {
	return tablesOf(w).grants.between(&Grant{InstitutionID: institutionID}, &Grant{InstitutionID: after(institutionID)})
}

// scopesOf returns the scopes of an access token of the grant.
func (g *Grant) scopesOf(t *Token) string { return cmp.Or(t.Scopes, g.Scopes) }

// AddGrantUntil adds a grant of a scenario, and its tokens with their texts and the times when they expire. It assigns
// Sequence, and draws an empty AccessToken. AccessRevoked also revokes the access token.
func (w *World) AddGrantUntil(g Grant, now, accessExpires, refreshExpires time.Time) error {
	for _, text := range []string{g.AccessToken, g.RefreshToken} {
		if _, taken := w.Token(text); taken {
			return errors.New("the token is there already")
		}
	}
	w.issue(&g, now, accessExpires, refreshExpires)
	return nil
}

// issueTo stores a new grant that a caller has asked for, and its tokens.
func (w *World) issueTo(g *Grant, now time.Time, accessLifetime, refreshLifetime time.Duration) *Grant {
	w.forgetTokens(now)
	g.Added = true
	w.issue(g, now, now.Add(accessLifetime), now.Add(refreshLifetime))
	return g
}

// issue stores a new grant and its tokens. It draws the access token unless the grant has one.
func (w *World) issue(g *Grant, now, accessExpires, refreshExpires time.Time) {
	g.Sequence = w.next()
	if g.AccessToken == "" {
		g.AccessToken = w.drawToken(accessTokenLength)
	}
	tablesOf(w).grants.put(g)
	w.putToken(g, Token{Text: g.AccessToken, IssuedAt: now, ExpiresAt: accessExpires, Revoked: g.AccessRevoked,
		added: g.Added})
	if g.RefreshToken != "" {
		w.putToken(g, Token{Text: g.RefreshToken, Refresh: true, IssuedAt: now, ExpiresAt: refreshExpires,
			added: g.Added})
	}
}

func (w *World) putToken(g *Grant, t Token) {
	t.grant = g.key()
	tablesOf(w).tokens.put(&t)
}

// drawToken draws a token that the world doesn't have.
func (w *World) drawToken(length int) string {
	for {
		text := w.random.text(length)
		if _, taken := w.Token(text); !taken {
			return text
		}
	}
}

// TokenRequest asks for tokens or for their revocation. It has the members of interface section 2.3, and the member
// token that a revocation has (RFC 7009).
type TokenRequest struct {
	GrantType    string
	Username     string
	Password     string
	Scopes       string
	RefreshToken string
	Token        string
	Code         string // for GrantAuthorizationCode
}

// IssueTokens carries out a token request of a client that AuthorizeClient has accepted. It returns the
// grant with its newest tokens. It refuses with TextTooLong, GrantTypeUnknown, ScopesNotAllowed, UsernameMissing,
// PasswordMissing, UserCredentialsWrong, UserLocked, RefreshTokenInvalid or AuthorizationCodeInvalid.
func (w *World) IssueTokens(p *Policy, institutionID, sharedKey string, r TokenRequest, now time.Time) (*Grant, error) {
	if utf8.RuneCountInString(r.Scopes) > MaxText {
		return nil, Refuse(TextTooLong, "scopes is longer than %d characters", MaxText)
	}
	client := w.client(institutionID, sharedKey)
	switch r.GrantType {
	case GrantClientCredentials, GrantPassword:
	case GrantRefreshToken:
		return w.refresh(p, client, r, now)
	case GrantAuthorizationCode:
		return w.redeem(p, client, r, now)
	case "":
		return nil, Refuse(GrantTypeUnknown, "grant_type is missing")
	default:
		return nil, Refuse(GrantTypeUnknown, "grant_type must be %s, %s, %s or %s",
			GrantClientCredentials, GrantPassword, GrantRefreshToken, GrantAuthorizationCode)
	}
	scopes, err := client.grantedScopes(r.Scopes, "")
	if err != nil {
		return nil, err
	}
	lifetimes := p.Tokens
	grant := &Grant{InstitutionID: institutionID, SharedKey: sharedKey, GrantType: r.GrantType, Scopes: scopes}
	if r.GrantType == GrantPassword {
		user, err := w.login(p, institutionID, r.Username, r.Password)
		if err != nil {
			return nil, err
		}
		if user.status().Locked {
			return nil, refuseOn(user, UserLocked, "user %q is locked", user.HostUserID)
		}
		grant.HostUserID = user.HostUserID
		grant.RefreshToken = w.drawToken(refreshTokenLength)
	}
	return w.issueTo(grant, now, lifetimes.AccessLifetime, lifetimes.RefreshLifetime), nil
}

// HolderInstitution returns the institution of a token or a code for a client's request without an institution. It
// returns "" if the client holds no such token.
func (w *World) HolderInstitution(sharedKey, secretKey, text string) string {
	_, grant, ok := w.Issued(text)
	if !ok || grant.SharedKey != sharedKey || w.AuthorizeClient(grant.InstitutionID, sharedKey, secretKey) != nil {
		return ""
	}
	return grant.InstitutionID
}

// login returns the active user with this username and password. It counts wrong passwords.
func (w *World) login(p *Policy, institutionID, username, password string) (*User, error) {
	if username == "" {
		return nil, Refuse(UsernameMissing, "username is missing")
	}
	if password == "" {
		return nil, Refuse(PasswordMissing, "password is missing")
	}
	user, ok := w.userNamed(institutionID, username)
	wrong := refuse(UserCredentialsWrong, "no active user has this username and password")
	switch {
	case !ok || !user.Active:
		return nil, wrong
	case user.Password != password:
		wrong.Commits = true
		w.countFailedLogin(p, user)
		return nil, wrong
	case user.status().FailedLogins > 0 && !user.status().Locked:
		return w.putStatus(user, func(s *UserStatus) { s.FailedLogins = 0 }), nil
	}
	return user, nil
}

// countFailedLogin counts a wrong password of a user. It locks the user if the policy says so.
func (w *World) countFailedLogin(p *Policy, user *User) {
	w.putStatus(user, func(s *UserStatus) {
		s.FailedLogins++
		s.Locked = s.Locked || p.Tokens.LockAfter > 0 && s.FailedLogins >= p.Tokens.LockAfter
	})
}

// putStatus changes the status of a user.
func (w *World) putStatus(user *User, change func(*UserStatus)) *User {
	changed, status := *user, user.status()
	change(&status)
	changed.Status = &status
	tablesOf(w).users.put(&changed)
	return &changed
}

// refresh replaces the refresh token of a grant, and issues a further access token.
func (w *World) refresh(p *Policy, client *Client, r TokenRequest, now time.Time) (*Grant, error) {
	if r.RefreshToken == "" {
		return nil, Refuse(RefreshTokenInvalid, "refresh_token is missing")
	}
	token, grant, ok := w.Issued(r.RefreshToken)
	isHeld := ok && grant.heldBy(client.InstitutionID, client.SharedKey)
	if isHeld && token.Used != nil && !grant.Revoked {
		return w.useAgain(p, token, grant, now)
	}
	if !isHeld || !token.Refresh || grant.Revoked || token.expired(now) {
		return nil, Refuse(RefreshTokenInvalid,
			"the refresh token is unknown, used, revoked, expired or another client's")
	}
	scopes, err := client.grantedScopes(r.Scopes, grant.Scopes)
	if err != nil {
		return nil, err
	}
	return w.renew(p, token, grant, scopes, now), nil
}

// useAgain returns a grant with the tokens that its refresh token gave the first time. After the time of grace, or once
// these tokens have expired, it refuses the token, and perhaps ends the grant.
func (w *World) useAgain(p *Policy, token *Token, grant *Grant, now time.Time) (*Grant, error) {
	inGrace := now.Before(token.Used.At.Add(p.Tokens.RefreshGrace))
	if inGrace && w.TokenStatus(token.Used.AccessToken, now) == TokenActive {
		again := *grant
		again.AccessToken, again.RefreshToken = token.Used.AccessToken, token.Used.RefreshToken
		return &again, nil
	}
	refused := refuseOn(grant, RefreshTokenInvalid, "the refresh token was used before")
	if p.Tokens.RefreshReuse == RefreshReuseEndGrant {
		w.revokeGrant(grant)
		refused.Commits = true
	}
	return nil, refused
}

// renew issues an access token with scopes of the grant and, if the grant is refreshable, a refresh token. They replace
// the used token. Without scopes, the access token has the scopes of the grant.
func (w *World) renew(p *Policy, used *Token, grant *Grant, scopes string, now time.Time) *Grant {
	w.forgetTokens(now)
	renewed := *grant
	renewed.AccessToken = w.drawToken(accessTokenLength)
	renewed.AccessRevoked = false
	lifetimes := p.Tokens
	accessExpires, refreshExpires := now.Add(lifetimes.AccessLifetime), now.Add(lifetimes.RefreshLifetime)
	w.putToken(&renewed, Token{Text: renewed.AccessToken, IssuedAt: now, ExpiresAt: accessExpires, Scopes: scopes,
		added: true})
	if used.Refresh || grant.asksForRefresh() {
		renewed.RefreshToken = w.drawToken(refreshTokenLength)
		w.putToken(&renewed, Token{Text: renewed.RefreshToken, Refresh: true, IssuedAt: now,
			ExpiresAt: refreshExpires, added: true})
	}
	tablesOf(w).grants.put(&renewed)
	tablesOf(w).tokens.delete(used)
	if used.Refresh && (lifetimes.RefreshGrace > 0 || lifetimes.RefreshReuse == RefreshReuseEndGrant) {
		remembered := *used
		remembered.Revoked, remembered.added = true, true
		remembered.Used = &TokenUse{now, renewed.AccessToken, renewed.RefreshToken}
		tablesOf(w).tokens.put(&remembered)
	}
	return &renewed
}

func (g *Grant) heldBy(institutionID, sharedKey string) bool {
	return g.InstitutionID == institutionID && g.SharedKey == sharedKey
}

// TokenActive is the state of a token that works.
const TokenActive = "active"

// TokenStatus returns the state of a token or a code: TokenActive, expired, revoked, or unknown.
func (w *World) TokenStatus(text string, now time.Time) string {
	switch token, grant, ok := w.Issued(text); {
	case !ok:
		return "unknown"
	case grant.Revoked || token.Revoked:
		return "revoked"
	case token.expired(now):
		return "expired"
	}
	return TokenActive
}
