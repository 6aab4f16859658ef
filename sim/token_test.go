package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

var (
	byPassword = sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "demo"}
	byClient   = sim.TokenRequest{GrantType: sim.GrantClientCredentials}
)

func issue(t *testing.T, w *sim.World, sharedKey string, r sim.TokenRequest) *sim.Grant {
	t.Helper()
	grant, err := w.IssueTokens(document(w), "02688", sharedKey, r, start)
	require.NoError(t, err)
	return grant
}

func works(w *sim.World, accessToken string) bool {
	_, err := w.Authenticate(accessToken, start)
	return err == nil
}

// A refresh token belongs to the institution that it was issued for, and only the keys of that institution's client use
// it.
func TestHolderInstitution(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "05523"}))
	require.NoError(t, w.AddClient(sim.Client{InstitutionID: "05523", SharedKey: "app", SecretKey: "another secret"}))
	grant := issue(t, w, "app", byPassword)

	assert.Equal(t, "02688", w.HolderInstitution("app", "secret", grant.RefreshToken))
	for name, test := range map[string][3]string{
		"another institution's keys": {"app", "another secret", grant.RefreshToken},
		"another client":             {"other", "secret", grant.RefreshToken},
		"an unknown token":           {"app", "secret", "nope"},
		"no token":                   {"app", "secret", ""},
	} {
		assert.Empty(t, w.HolderInstitution(test[0], test[1], test[2]), name)
	}
}

// Nobody logs in as a user that is not active, and nobody revokes another client's tokens.
func TestTokensOfOthers(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: "1003", Username: "blake",
		Password: "demo"}))
	inactive := sim.TokenRequest{GrantType: sim.GrantPassword, Username: "blake", Password: "demo"}
	_, err := w.IssueTokens(document(w), "02688", "app", inactive, start)
	assert.ErrorIs(t, err, sim.UserCredentialsWrong)

	foreign := issue(t, w, "another", byPassword)
	for _, request := range []sim.TokenRequest{{RefreshToken: foreign.RefreshToken}, {Token: foreign.AccessToken}} {
		_, err = w.Revoke(document(w), "02688", "app", request, start)
		assert.ErrorIs(t, err, sim.RefreshTokenInvalid)
	}
	assert.True(t, works(w, foreign.AccessToken))
}
