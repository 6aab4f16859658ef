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
	grant, err := w.IssueTokens("02688", sharedKey, r, start)
	require.NoError(t, err)
	return grant
}

func works(w *sim.World, accessToken string) bool {
	_, err := w.Authenticate(accessToken, start)
	return err == nil
}

func TestGrants(t *testing.T) {
	w := newBank(t)

	own := issue(t, w, "app", byClient)
	assert.Empty(t, own.RefreshToken)
	caller, err := w.Authenticate(own.AccessToken, start)
	require.NoError(t, err)
	assert.Equal(t, sim.Caller{InstitutionID: "02688", SharedKey: "app"}, caller)

	users := issue(t, w, "app", byPassword)
	caller, err = w.Authenticate(users.AccessToken, start)
	require.NoError(t, err)
	assert.Equal(t, sim.Caller{InstitutionID: "02688", SharedKey: "app", HostUserID: "1001"}, caller)
	_, err = w.Authenticate(users.RefreshToken, start)
	assert.ErrorIs(t, err, sim.TokenUnknown, "a refresh token gives no access")
}

func TestTokenRequestsRefused(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.AddUser(sim.User{InstitutionID: "02688", HostUserID: "1003", Username: "blake", Password: "demo"}))
	tests := map[string]struct {
		request sim.TokenRequest
		code    sim.Code
	}{
		"no grant type":      {sim.TokenRequest{}, sim.GrantTypeUnknown},
		"another grant type": {sim.TokenRequest{GrantType: "authorization_code"}, sim.GrantTypeUnknown},
		"no username":        {sim.TokenRequest{GrantType: sim.GrantPassword, Password: "demo"}, sim.UsernameMissing},
		"no password":        {sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery"}, sim.PasswordMissing},
		"unknown user": {sim.TokenRequest{GrantType: sim.GrantPassword, Username: "nobody", Password: "demo"},
			sim.UserCredentialsWrong},
		"wrong password": {sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "Demo"},
			sim.UserCredentialsWrong},
		"inactive user": {sim.TokenRequest{GrantType: sim.GrantPassword, Username: "blake", Password: "demo"},
			sim.UserCredentialsWrong},
		"no refresh token":  {sim.TokenRequest{GrantType: sim.GrantRefreshToken}, sim.RefreshTokenInvalid},
		"another's refresh": {sim.TokenRequest{GrantType: sim.GrantRefreshToken, RefreshToken: "x"}, sim.RefreshTokenInvalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := w.Fork().IssueTokens("02688", "app", test.request, start)
			assert.ErrorIs(t, err, test.code)
		})
	}
}

// An access token that is revoked alone takes nothing along, and what the answer describes doesn't work.
func TestRevokeAccessTokenAlone(t *testing.T) {
	w := newBank(t, func(b *sim.Behavior) {
		b.Tokens.AccessTokenAlone, b.Tokens.UnknownToken = true, sim.UnknownTokenError
	})
	first := issue(t, w, "app", byPassword)
	second := issue(t, w, "app", sim.TokenRequest{GrantType: sim.GrantRefreshToken, RefreshToken: first.RefreshToken})
	own := issue(t, w, "app", byClient)
	newest := func() *sim.Grant {
		for g := range w.Grants("02688") {
			if g.HostUserID == "1001" {
				return g
			}
		}
		return nil
	}

	described, err := w.Revoke("02688", "app", sim.TokenRequest{Token: first.AccessToken})
	require.NoError(t, err)
	assert.Equal(t, first.AccessToken, described.AccessToken)
	assert.Empty(t, described.RefreshToken, "it still works")
	assert.False(t, works(w, first.AccessToken))
	assert.True(t, works(w, second.AccessToken))
	assert.False(t, newest().AccessRevoked)
	_, err = w.Revoke("02688", "app", sim.TokenRequest{Token: first.AccessToken})
	assert.ErrorIs(t, err, sim.RevocationOfNothing, "it was revoked")

	_, err = w.Revoke("02688", "app", sim.TokenRequest{RefreshToken: second.AccessToken})
	require.NoError(t, err)
	assert.False(t, works(w, second.AccessToken))
	assert.True(t, newest().AccessRevoked)
	third := issue(t, w, "app", sim.TokenRequest{GrantType: sim.GrantRefreshToken, RefreshToken: second.RefreshToken})
	assert.True(t, works(w, third.AccessToken))
	assert.False(t, newest().AccessRevoked || newest().Revoked)

	_, err = w.Revoke("02688", "app", sim.TokenRequest{Token: own.AccessToken})
	require.NoError(t, err)
	assert.False(t, works(w, own.AccessToken), "without a refresh token, the grant ends")
	_, err = w.Revoke("02688", "app", sim.TokenRequest{Token: third.RefreshToken})
	require.NoError(t, err)
	assert.False(t, works(w, third.AccessToken), "a refresh token takes its grant along")
}

// Of a grant that is revoked, no access token is revoked once more.
func TestRevokeAccessTokenOfARevokedGrant(t *testing.T) {
	w := newBank(t, func(b *sim.Behavior) { b.Tokens.AccessTokenAlone = true })
	grant := issue(t, w, "app", byPassword)
	_, err := w.Revoke("02688", "app", sim.TokenRequest{RefreshToken: grant.RefreshToken})
	require.NoError(t, err)
	before := w.Fork()
	_, err = w.Revoke("02688", "app", sim.TokenRequest{Token: grant.AccessToken})
	require.NoError(t, err)
	assert.True(t, w.Equal(before))
}

// A refresh token belongs to the institution that it was issued for, and only the keys of that institution's client use it.
func TestRefreshInstitution(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "05523"}))
	require.NoError(t, w.AddClient(sim.Client{InstitutionID: "05523", SharedKey: "app", SecretKey: "another secret"}))
	grant := issue(t, w, "app", byPassword)

	institution, err := w.RefreshInstitution("app", "secret", grant.RefreshToken)
	require.NoError(t, err)
	assert.Equal(t, "02688", institution)
	for name, test := range map[string][3]string{
		"another institution's keys": {"app", "another secret", grant.RefreshToken},
		"another client":             {"other", "secret", grant.RefreshToken},
		"an unknown token":           {"app", "secret", "nope"},
		"no token":                   {"app", "secret", ""},
	} {
		_, err := w.RefreshInstitution(test[0], test[1], test[2])
		assert.ErrorIs(t, err, sim.RefreshTokenInvalid, name)
	}
}

func TestRevokeRefused(t *testing.T) {
	w := newBank(t)
	foreign := issue(t, w, "another", byPassword)
	mine := issue(t, w, "app", byPassword)
	strict := newBank(t, func(b *sim.Behavior) { b.Tokens.UnknownToken = sim.UnknownTokenError })
	twice := issue(t, strict, "app", byPassword)
	_, err := strict.Revoke("02688", "app", sim.TokenRequest{RefreshToken: twice.RefreshToken})
	require.NoError(t, err)

	tests := map[string]struct {
		world   *sim.World
		request sim.TokenRequest
		code    sim.Code
	}{
		"nothing named":         {w, sim.TokenRequest{}, sim.GrantUnnamed},
		"password without one":  {w, sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery"}, sim.GrantUnnamed},
		"refresh without token": {w, sim.TokenRequest{GrantType: sim.GrantRefreshToken}, sim.GrantUnnamed},
		"wrong password": {w, sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "x"},
			sim.UserCredentialsWrong},
		"another client's token": {w, sim.TokenRequest{RefreshToken: foreign.RefreshToken}, sim.RefreshTokenInvalid},
		"unknown, strict":        {strict, sim.TokenRequest{RefreshToken: "unknown"}, sim.RevocationOfNothing},
		"revoked, strict":        {strict, sim.TokenRequest{RefreshToken: twice.RefreshToken}, sim.RevocationOfNothing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := test.world.Fork()
			_, err := w.Revoke("02688", "app", test.request)
			assert.ErrorIs(t, err, test.code)
			assert.True(t, w.Equal(test.world), "nothing is revoked")
		})
	}
	assert.True(t, works(w, foreign.AccessToken))
	assert.True(t, works(w, mine.AccessToken))
}

func TestClients(t *testing.T) {
	w := newBank(t)
	require.NoError(t, w.AddInstitution(sim.Institution{InstitutionID: "05523"}))
	require.NoError(t, w.AddClient(sim.Client{InstitutionID: "05523", SharedKey: "app", SecretKey: "another secret"}))

	assert.NoError(t, w.AuthenticateClient("app", "secret"))
	assert.NoError(t, w.AuthenticateClient("app", "another secret"))
	assert.ErrorIs(t, w.AuthenticateClient("app", "wrong"), sim.ClientUnknown)
	assert.ErrorIs(t, w.AuthenticateClient("ap", "secret"), sim.ClientUnknown)
	assert.NoError(t, w.AuthorizeClient("02688", "app", "secret"))
	assert.ErrorIs(t, w.AuthorizeClient("05523", "app", "secret"), sim.ClientNotOfInstitution, "its keys are another institution's")
	assert.ErrorIs(t, w.AuthorizeClient("99999", "app", "secret"), sim.ClientNotOfInstitution)
}
