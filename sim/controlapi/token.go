package controlapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// tokenCalls returns the calls about tokens.
func (c control) tokenCalls() []Call {
	return []Call{
		inSandbox(c, "POST", "/tokens", "mintToken", "Mint an access token. The bank's rules don't apply.",
			c.mintToken).created().
			example(`{"hostUserId": "1001", "expiresIn": "15m"}`),
		inSandbox(c, "POST", "/token-status", "getTokenStatus", "What became of an access or refresh token.",
			c.getTokenStatus).reads().example(`{"token": "demo-token"}`),
	}
}

type mintTokenInput struct {
	SandboxPath
	Body body[api.NewToken]
}

// secretAnswer is an answer in JSON that caches may not store, because it may have a token.
type secretAnswer[T any] struct{ body T }

func (secretAnswer[T]) header() (name, value string) { return "Cache-Control", "no-store" }

func (a secretAnswer[T]) content() any { return a.body }

// mintToken refuses a client or a user that the institution doesn't have (400), and an institution that doesn't exist
// (404).
func (c control) mintToken(ctx context.Context, b bank, in *mintTokenInput) (secretAnswer[api.MintedToken], error) {
	read := func() (api.NewToken, error) {
		wanted, members, err := in.Body.decodeWithMembers()
		if err == nil && members["hostUserId"] == "" { // it would be a token for all users
			err = refuse(http.StatusBadRequest, "hostUserId is empty: leave it out for a token that is bound to no user")
		}
		return wanted, err
	}
	minted, err := change(ctx, b, read, mint)
	return secretAnswer[api.MintedToken]{minted}, err
}

func mint(tx *sandbox.Tx, wanted api.NewToken) (minted api.MintedToken, err error) {
	policy := tx.World.Policies().Document
	lifetime := policy.Tokens.AccessLifetime
	if wanted.ExpiresIn != nil {
		if lifetime, err = duration("expiresIn", *wanted.ExpiresIn); err != nil {
			return minted, err
		}
	}
	institution, client, err := issuerOf(tx.World, wanted)
	if err != nil {
		return minted, err
	}
	grant, err := tx.World.MintToken(policy, institution, client, wanted.HostUserID, tx.Now, lifetime, wanted.Refresh)
	switch {
	case errors.Is(err, sim.UserUnknown):
		return minted, refuse(http.StatusBadRequest,
			"hostUserId is not one of the institution's users: GET …/state lists them")
	case err != nil:
		return minted, err
	}
	return api.MintedToken{
		AccessToken: grant.AccessToken, RefreshToken: grant.RefreshToken, ExpiresAt: tx.Now.Add(lifetime),
		InstitutionID: institution, Client: client, HostUserID: grant.HostUserID,
	}, nil
}

// issuerOf returns where a token is minted, and for which client. By default it is the first client of the first
// institution that has one.
func issuerOf(w *sim.World, wanted api.NewToken) (institution, client string, err error) {
	if wanted.InstitutionID != "" {
		if _, err := institutionOf(w, wanted.InstitutionID); err != nil {
			return "", "", err
		}
	}
	for i := range w.Institutions() {
		if wanted.InstitutionID != "" && wanted.InstitutionID != i.InstitutionID {
			continue
		}
		for c := range w.Clients(i.InstitutionID) {
			if wanted.Client == "" || wanted.Client == c.SharedKey {
				return i.InstitutionID, c.SharedKey, nil
			}
		}
	}
	of := "the bank"
	if wanted.InstitutionID != "" {
		of = "institution " + wording.Quote(wanted.InstitutionID)
	}
	if wanted.Client == "" {
		return "", "", refuse(http.StatusBadRequest,
			"%s has no client to mint a token for: add one to the scenario", of)
	}
	return "", "", refuse(http.StatusBadRequest, // it may be a secret that was put there by mistake
		"client is not one of the clients of %s: GET …/state lists them", of)
}

type tokenStatusInput struct {
	SandboxPath
	Body body[api.TokenQuestion]
}

func (c control) getTokenStatus(ctx context.Context, b bank, in *tokenStatusInput) (api.TokenStatus, error) {
	question, err := in.Body.decode()
	if err != nil {
		return api.TokenStatus{}, err
	}
	if question.Token == "" {
		return api.TokenStatus{}, refuse(http.StatusBadRequest, "token is missing")
	}
	return api.TokenStatus{Status: b.now.World.TokenStatus(question.Token, b.now.Now)}, nil
}
