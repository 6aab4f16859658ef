package testkit

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// The statuses of tokens, see [Bank.TokenStatus].
const (
	TokenActive  = "active"
	TokenExpired = "expired" // by the bank's clock
	TokenRevoked = "revoked"
	TokenUnknown = "unknown" // never issued, or a refresh token that was used
)

// TokenOption configures the token that [Bank.Token] or [Bank.Login] mints.
type TokenOption func(*tokenRequest)

// tokenRequest is a token to mint.
type tokenRequest struct {
	api.NewToken
	bound bool // whether it is for one user
}

// ForUser binds the token to a user: requests about another one are refused.
func ForUser(hostUserID string) TokenOption {
	return func(r *tokenRequest) { r.HostUserID, r.bound = hostUserID, true }
}

// ForClient mints the token for another client than the first of the institution.
func ForClient(sharedKey string) TokenOption { return func(r *tokenRequest) { r.Client = sharedKey } }

// AtInstitution mints the token at another institution than the first.
func AtInstitution(institutionID string) TokenOption {
	return func(r *tokenRequest) { r.InstitutionID = institutionID }
}

// ExpiresIn sets how long the token is valid by the bank's clock.
func ExpiresIn(d time.Duration) TokenOption {
	text := d.String()
	return func(r *tokenRequest) { r.ExpiresIn = &text }
}

// Grant is what a client was granted for a user.
type Grant struct {
	AccessToken  string    `json:"accessToken"`
	RefreshToken string    `json:"refreshToken"`
	ExpiresAt    time.Time `json:"expiresAt"` // of the access token, by the bank's clock
	Client       string    `json:"client"`    // its shared key
	HostUserID   string    `json:"hostUserId"`
}

// Token mints an access token: by default for the first client of the first institution, for all its users, and valid
// for as long as an issued one.
func (b *Bank) Token(opts ...TokenOption) string {
	b.t.Helper()
	return b.mint("Token", opts).AccessToken
}

// Login grants a client access for a user, as with the user's password.
func (b *Bank) Login(hostUserID string, opts ...TokenOption) Grant {
	b.t.Helper()
	return b.mint(
		"Login", slices.Concat(opts, []TokenOption{ForUser(hostUserID), func(r *tokenRequest) { r.Refresh = true }}),
	)
}

func (b *Bank) mint(of string, opts []TokenOption) (minted Grant) {
	b.t.Helper()
	var request tokenRequest
	for _, opt := range opts {
		if opt == nil {
			b.fatalf("%s: an option is nil", of)
		}
		opt(&request)
	}
	if request.bound && request.HostUserID == "" {
		b.fatalf("%s: the hostUserID is empty", of)
	}
	b.must(of, http.MethodPost, "/tokens", request.NewToken, &minted)
	return minted
}

// TokenStatus returns what became of an access or refresh token, such as [TokenRevoked].
func (b *Bank) TokenStatus(token string) string {
	b.t.Helper()
	if token == "" || strings.Contains(token, " ") {
		b.fatalf("TokenStatus: %q is no token: give it without \"Bearer\"", token)
	}
	var status api.TokenStatus
	b.must("TokenStatus", http.MethodPost, "/token-status", api.TokenQuestion{Token: token}, &status)
	return status.Status
}

func institutionPath(id string) string { return "/institutions/" + url.PathEscape(id) }
