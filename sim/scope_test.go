package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
)

// newScopedBank returns a bank whose client may read, write and delete. Codes for it are for reading and printing.
func newScopedBank(t *testing.T) *sim.World {
	t.Helper()
	w := newBank(t)
	require.NoError(t, w.AddClient(sim.Client{InstitutionID: "02688", SharedKey: "scoped", SecretKey: "s",
		Scopes: []string{"read", "write", "delete"},
		Codes:  &sim.CodePolicy{Scopes: []string{"read", "print"}, RedirectURI: "https://localhost"}}))
	return w
}

// mayDo returns the scopes among read, write, delete and print that an access token has.
func mayDo(t *testing.T, w *sim.World, accessToken string) (scopes []string) {
	t.Helper()
	for _, scope := range []string{"read", "write", "delete", "print"} {
		if _, err := w.Authorize(accessToken, []string{scope}, start); err == nil {
			scopes = append(scopes, scope)
		} else {
			assert.ErrorIs(t, err, sim.ScopeMissing)
		}
	}
	return scopes
}

// A token has the scopes that it was asked with. A refresh may ask for fewer of them, and the next one for all again.
func TestScopesOfTokens(t *testing.T) {
	w := newScopedBank(t)
	issue := func(r sim.TokenRequest) (*sim.Grant, error) {
		return w.IssueTokens(document(w), "02688", "scoped", r, start)
	}
	for asked, want := range map[string][]string{
		"": {"read", "write", "delete"}, "delete, read": {"read", "delete"},
	} {
		grant, err := issue(sim.TokenRequest{GrantType: sim.GrantClientCredentials, Scopes: asked})
		require.NoError(t, err)
		assert.Equal(t, want, mayDo(t, w, grant.AccessToken), asked)
	}
	first, err := issue(sim.TokenRequest{GrantType: sim.GrantPassword, Username: "avery", Password: "demo",
		Scopes: "read write"})
	require.NoError(t, err)
	refresh := sim.TokenRequest{GrantType: sim.GrantRefreshToken, RefreshToken: first.RefreshToken}
	refresh.Scopes = "delete"
	_, err = issue(refresh)
	assert.ErrorIs(t, err, sim.ScopesNotAllowed, "the client has it, and the refresh token does not")
	refresh.Scopes = "write"
	fewer, err := issue(refresh)
	require.NoError(t, err, "a refused refresh uses nothing up")
	assert.Equal(t, []string{"write"}, mayDo(t, w, fewer.AccessToken))
	assert.Equal(t, []string{"read", "write"}, mayDo(t, w, first.AccessToken))
	all, err := issue(sim.TokenRequest{GrantType: sim.GrantRefreshToken, RefreshToken: fewer.RefreshToken})
	require.NoError(t, err)
	assert.Equal(t, []string{"read", "write"}, mayDo(t, w, all.AccessToken))
}

// A token of a code has the scopes that both the code and the client have, which may be none.
func TestScopesOfCodes(t *testing.T) {
	w := newScopedBank(t)
	user, _ := w.User("02688", "1001")
	for scopes, want := range map[string][]string{"read,print": {"read"}, "print": nil} {
		caller := sim.Caller{InstitutionID: "02688", SharedKey: "other"}
		code, _, err := w.CreateCode(caller, sim.CodeRequest{
			ClientID: "scoped", Scopes: scopes, Username: "avery", InstitutionUserID: user.InstitutionUserID(),
		}, start)
		require.NoError(t, err)
		grant, err := w.IssueTokens(document(w), "02688", "scoped",
			sim.TokenRequest{GrantType: sim.GrantAuthorizationCode, Code: code.Code}, start)
		require.NoError(t, err)
		assert.Equal(t, want, mayDo(t, w, grant.AccessToken), scopes)
	}
}

// If the scenario lists no scopes of a client, its tokens have all. A token of a client that isn't registered has none.
func TestClientWithoutScopes(t *testing.T) {
	w := newBank(t)
	grant := issue(t, w, "app", sim.TokenRequest{GrantType: sim.GrantClientCredentials, Scopes: "x"})
	assert.Len(t, mayDo(t, w, grant.AccessToken), 4)
	assert.Empty(t, mayDo(t, w, issue(t, w, "nobody", byClient).AccessToken))
}
