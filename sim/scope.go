package sim

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// ScopesIn returns the scopes in a text, or nil for a text without scopes. Commas, spaces or both separate them
// (published).
func ScopesIn(text string) []string {
	scopes := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(scopes) == 0 {
		return nil
	}
	return scopes
}

// scopesAmong returns the scopes of the client that a grant or a token lists.
func (c *Client) scopesAmong(listed string) []string {
	named := ScopesIn(listed)
	if len(named) == 0 {
		return c.Scopes
	}
	return slices.DeleteFunc(slices.Clone(c.Scopes), func(scope string) bool { return !slices.Contains(named, scope) })
}

// grantedScopes returns the scopes that a client asks for, with a space between them. It may ask for those that allowed
// lists. A client without a list of its own may ask for anything, and gets an empty text. grantedScopes refuses with
// ScopesNotAllowed.
func (c *Client) grantedScopes(asked, allowed string) (string, error) {
	if c.Scopes == nil {
		return "", nil
	}
	scopes, may := ScopesIn(asked), c.scopesAmong(allowed)
	for _, scope := range scopes {
		if !slices.Contains(may, scope) {
			return "", refuseOn(c, ScopesNotAllowed, "scopes has %q, and the tokens may only have %s", scope,
				strings.Join(may, ", "))
		}
	}
	return strings.Join(scopes, " "), nil
}

// ListsScopes reports whether a client lists the scopes that its tokens may have.
func (w *World) ListsScopes(institutionID, sharedKey string) bool {
	return w.client(institutionID, sharedKey).Scopes != nil
}

// Authorize returns the caller that an access token stands for, if the token has one of the scopes, or the list is
// nil. Authorize refuses as Authenticate does, and with ScopeMissing.
func (w *World) Authorize(accessToken string, scopes []string, now time.Time) (Caller, error) {
	token, grant, err := w.working(accessToken, now)
	if err != nil {
		return Caller{}, err
	}
	client := w.client(grant.InstitutionID, grant.SharedKey)
	if scopes == nil || client.Scopes == nil {
		return grant.caller(), nil
	}
	isNeeded := func(scope string) bool { return slices.Contains(scopes, scope) }
	if !slices.ContainsFunc(client.scopesAmong(grant.scopesOf(token)), isNeeded) {
		return Caller{}, refuseOn(client, ScopeMissing, "the access token lacks the scope %s",
			strings.Join(scopes, " or "))
	}
	return grant.caller(), nil
}
