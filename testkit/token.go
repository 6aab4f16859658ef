package testkit

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/api"
)

// TokenOption configures the token that [Bank.Token] mints.
type TokenOption func(*tokenRequest)

// tokenRequest is a token to mint, and where.
type tokenRequest struct {
	api.NewToken
	institution string
}

// ForUser binds the token to a user: requests about another one are refused.
func ForUser(hostUserID string) TokenOption {
	return func(r *tokenRequest) { r.HostUserID = hostUserID }
}

// ForClient mints the token for another client than the first of the institution.
func ForClient(sharedKey string) TokenOption { return func(r *tokenRequest) { r.Client = sharedKey } }

// AtInstitution mints the token at another institution than the first.
func AtInstitution(institutionID string) TokenOption {
	return func(r *tokenRequest) { r.institution = institutionID }
}

// ExpiresIn sets how long the token is valid by the bank's clock.
func ExpiresIn(d time.Duration) TokenOption {
	text := d.String()
	return func(r *tokenRequest) { r.ExpiresIn = &text }
}

// Token mints an access token: by default for the first client of the first institution, for all its users, and valid
// for as long as an issued one.
func (b *Bank) Token(opts ...TokenOption) string {
	b.t.Helper()
	var request tokenRequest
	for _, opt := range opts {
		opt(&request)
	}
	if request.institution == "" || request.Client == "" {
		b.fillIn(&request)
	}
	var minted api.MintedToken
	b.in(http.MethodPost, institutionPath(request.institution)+"/tokens", request.NewToken, &minted)
	return minted.AccessToken
}

// fillIn chooses the institution and the client that a request for a token doesn't name.
func (b *Bank) fillIn(request *tokenRequest) {
	b.t.Helper()
	for _, i := range b.State().Institutions {
		if request.institution != "" && request.institution != i.InstitutionID || len(i.Clients) == 0 {
			continue
		}
		request.institution = i.InstitutionID
		if request.Client == "" {
			request.Client = i.Clients[0]
		}
		return
	}
	b.t.Fatalf("testkit: the bank has no institution %s with a client to mint a token for", request.institution)
}
