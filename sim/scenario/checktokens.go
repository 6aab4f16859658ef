package scenario

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// tokens checks the tokens of an institution.
func (c *checker) tokens(at *yaml.Node, i institution) {
	clients, users := c.known(at, "clients", "sharedKey"), c.users[i.InstitutionID]
	for n, t := range i.Tokens {
		here := lookup(at, "tokens").Content[n]
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
	}
}

// clientScopes reports scopes of a client that are unknown.
func (c *checker) clientScopes(at *yaml.Node, of client) {
	for n, scope := range of.Scopes {
		if scope != "" && !slices.Contains(contract.Scopes(), scope) {
			c.add(lookup(at, "scopes").Content[n], "unknown scope %s%s", wording.Quote(scope),
				c.didYouMean(scope, contract.Scopes(), "the scopes are"))
		}
	}
}

// tokenScopes reports scopes of a token that its client doesn't list.
func (c *checker) tokenScopes(at *yaml.Node, i institution, t token) {
	holder := slices.IndexFunc(i.Clients, func(client client) bool { return client.SharedKey == t.Client })
	if holder < 0 || c.partial {
		return
	}
	for n, scope := range t.Scopes {
		if scope != "" && !slices.Contains(i.Clients[holder].Scopes, scope) {
			c.add(lookup(at, "scopes").Content[n], "the client %s doesn't list the scope %s: add it to the client's "+
				"scopes, or remove it here", wording.Quote(t.Client), wording.Quote(scope))
		}
	}
}

// expiry reports a token that has both keys, or one of them without the token that expires.
func (c *checker) expiry(token *yaml.Node, in, at, of string) {
	for _, key := range []string{in, at} {
		if of != "" && !c.partial && valueOf(token, key) != nil && valueOf(token, of) == nil {
			c.add(lookup(token, key), "%s without a %s: add %s, or remove it", key, of, of)
		}
	}
	if valueOf(token, in) != nil && valueOf(token, at) != nil {
		inherited := ""
		if from := lookup(token, in); fileOf(from) != fileOf(lookup(token, at)) {
			file := c.files[fileOf(from)].file
			inherited = fmt.Sprintf(" (%s is inherited from %s:%d; %s: null removes it)", in, file, lineOf(from), in)
		}
		c.add(lookup(token, at), "%s and %s both say when the token expires: remove one of them%s", in, at, inherited)
	}
}
