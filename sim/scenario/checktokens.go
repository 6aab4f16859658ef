package scenario

import (
	"fmt"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// clients checks the client applications of an institution.
func (c *checker) clients(at *yaml.Node, ids seenIDs, i institution) {
	c.alike(at, "clients", "sharedKey")
	for here, app := range items(at, "clients", i.Clients) {
		c.unique(ids, "sharedKey", app.SharedKey, here)
		for scopeAt, scope := range items(here, "scopes", app.Scopes) {
			if scope != "" && !slices.Contains(contract.Scopes(), scope) {
				c.add(scopeAt, "unknown scope %s%s", wording.Quote(scope),
					c.didYouMean(scope, contract.Scopes(), "the scopes are"))
			}
		}
	}
}

// tokens checks the tokens of an institution.
func (c *checker) tokens(at *yaml.Node, i institution) {
	clients, users := c.known(at, "clients", "sharedKey"), c.userIDs[i.InstitutionID]
	for here, t := range items(at, "tokens", i.Tokens) {
		c.unique(c.ids, "accessToken", t.AccessToken, here)
		c.unique(c.ids, "refreshToken", t.RefreshToken, here)
		if t.Client != "" && !clients.has[t.Client] {
			c.refersToNothing(lookup(here, "client"), i, "clients", t.Client, clients)
		}
		if t.HostUserID != "" && !users.has[t.HostUserID] && !i.Generate.generatesUser(t.HostUserID) {
			c.refersToNothing(lookup(here, "hostUserId"), i, "users", t.HostUserID, users)
		}
		c.tokenScopes(here, i, t)
		c.expiry(here, "expiresIn", "expiresAt", "")
		c.expiry(here, "refreshExpiresIn", "refreshExpiresAt", "refreshToken")
		if t.AccessTokenRevoked && !c.partial && valueOf(here, "refreshToken") == nil {
			c.add(lookup(here, "accessTokenRevoked"),
				"accessTokenRevoked without a refreshToken: write revoked, or add refreshToken")
		}
		c.afterStart(here, "expiresAt", t.ExpiresAt.or(DefaultStart))
		c.afterStart(here, "refreshExpiresAt", t.RefreshExpiresAt.or(DefaultStart))
		access, refresh := t.ExpiresAt.or(time.Time{}), t.RefreshExpiresAt.or(time.Time{})
		if refresh.Before(access) && !refresh.IsZero() {
			c.warn(lookup(here, "refreshExpiresAt"), "the refresh token expires before its access token")
		}
	}
}

// tokenScopes reports scopes of a token that its client doesn't list.
func (c *checker) tokenScopes(at *yaml.Node, i institution, t token) {
	holder := slices.IndexFunc(i.Clients, func(app client) bool { return app.SharedKey == t.Client })
	if holder < 0 || c.partial {
		return
	}
	for here, scope := range items(at, "scopes", t.Scopes) {
		if scope != "" && !slices.Contains(i.Clients[holder].Scopes, scope) {
			c.add(here, "the client %s doesn't list the scope %s: add it to the client's "+
				"scopes, or remove it here", wording.Quote(t.Client), wording.Quote(scope))
		}
	}
}

// expiry reports a token that has both keys, or one of them without the token that expires.
func (c *checker) expiry(row *yaml.Node, in, at, of string) {
	for _, key := range []string{in, at} {
		if of != "" && !c.partial && valueOf(row, key) != nil && valueOf(row, of) == nil {
			c.add(lookup(row, key), "%s without a %s: add %s, or remove it", key, of, of)
		}
	}
	if valueOf(row, in) != nil && valueOf(row, at) != nil {
		inherited := ""
		if from := lookup(row, in); fileOf(from) != fileOf(lookup(row, at)) {
			file := c.files[fileOf(from)].file
			inherited = fmt.Sprintf(" (%s is inherited from %s:%d; %s: null removes it)", in, file, lineOf(from), in)
		}
		c.add(lookup(row, at), "%s and %s both say when the token expires: remove one of them%s", in, at, inherited)
	}
}
