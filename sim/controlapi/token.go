package controlapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// tokenCalls returns the calls about tokens.
func (c control) tokenCalls() []Call {
	return []Call{
		inSandbox(c, "POST", institutionPath+"/tokens", "mintToken", "Mint an access token.", c.mintToken).created(),
		inSandbox(c, "POST", "/token-status", "getTokenStatus", "What became of an access or refresh token.",
			c.getTokenStatus),
	}
}

type mintTokenInput struct {
	InstitutionPath
	Body body[api.NewToken]
}

// secretAnswer is an answer in JSON that caches may not store, because it may have a token.
type secretAnswer[T any] struct{ body T }

func (secretAnswer[T]) header() (name, value string) { return "Cache-Control", "no-store" }

func (a secretAnswer[T]) content() any { return a.body }

// mintToken refuses a client or a user that the institution doesn't have (400), and an institution that doesn't exist
// (404).
func (c control) mintToken(ctx context.Context, b bank, in *mintTokenInput) (secretAnswer[api.MintedToken], error) {
	minted, err := change(ctx, b, in.Body.decode, func(
		tx *sandbox.Tx, wanted api.NewToken,
	) (minted api.MintedToken, err error) {
		if wanted.Client == "" {
			return minted, refuse(http.StatusBadRequest,
				"client is missing: give the shared key of one of the institution's clients")
		}
		policy := tx.World.Policies().Document
		lifetime := policy.Tokens.AccessLifetime
		if wanted.ExpiresIn != nil {
			if lifetime, err = duration("expiresIn", *wanted.ExpiresIn); err != nil {
				return minted, err
			}
		}
		return mint(tx, policy, in.Institution, wanted, lifetime)
	})
	return secretAnswer[api.MintedToken]{minted}, err
}

func mint(
	tx *sandbox.Tx, policy *sim.Policy, institution string, wanted api.NewToken, lifetime time.Duration,
) (api.MintedToken, error) {
	grant, err := tx.World.MintToken(
		policy, institution, wanted.Client, wanted.HostUserID, tx.Now, lifetime, wanted.Refresh)
	switch {
	case errors.Is(err, sim.ClientUnknown):
		return api.MintedToken{}, refuse(http.StatusBadRequest,
			"client is not one of the institution's clients: GET …/state lists them")
	case errors.Is(err, sim.UserUnknown):
		return api.MintedToken{}, refuse(http.StatusBadRequest,
			"hostUserId is not one of the institution's users: GET …/state lists them")
	case err != nil:
		return api.MintedToken{}, err
	}
	return api.MintedToken{
		AccessToken: grant.AccessToken, RefreshToken: grant.RefreshToken, ExpiresAt: tx.Now.Add(lifetime),
		Client: grant.SharedKey, HostUserID: grant.HostUserID,
	}, nil
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
	return api.TokenStatus{Status: b.now.World.TokenStatus(question.Token, b.now.Now)}, nil
}
