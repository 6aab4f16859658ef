package explanation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// Bank is the bank of an exchange, as each process knows it: how its rows were before the exchange, only some do.
type Bank struct {
	World   *sim.World // as it is now
	Journal *journal.Journal
	Began   time.Time // when the bank was created or reset last, in real time
	Guarded bool      // whether the control API needs a token
}

// How to get valid tokens.
var (
	validToken   = contract.TokensIssue.Name + " gives a valid one, and the scenario may have others"
	validRefresh = "ask for new tokens with the user's password, or refresh with the newest refresh token"
	validCode    = contract.TokensCreateCode.Name + " gives another"
)

// credentials says why the credentials of a refused request were not accepted, and how to get valid ones. It returns ""
// if they were accepted.
func (b Bank) credentials(x journal.Exchange) string {
	switch sim.Code(x.Decision.Rule) {
	case sim.ClientUnknown:
		if !strings.HasPrefix(x.Request.Headers.Get("Authorization"), "Basic ") {
			return ""
		}
		if x.Decision.Row == "" {
			return "no client of the scenario has this shared key"
		}
		return "the shared key is that of " + x.Decision.Row + ", but the secret key is not its own"
	case sim.ScopeMissing:
		return b.scope(x)
	case sim.TokenUnknown, sim.TokenExpired:
		return b.token(x, fingerprint.FindString(x.Request.Headers.Get("Authorization")), true, validToken)
	case sim.RefreshTokenInvalid, sim.RevocationOfNothing:
		return b.token(x, inBody(x.Request.Body), false, validRefresh)
	case sim.AuthorizationCodeInvalid:
		return b.token(x, inBody(x.Request.Body), false, validCode)
	}
	return ""
}

// scope says how to get a token with the scope that the token of a refused request lacks.
func (b Bank) scope(x journal.Exchange) string {
	client, scope := strings.Split(x.Decision.Row, "/"), contract.Document().Operation(x.Operation).Scope
	if len(client) < 3 {
		return ""
	}
	for c := range b.World.Clients(client[1]) {
		if c.Row() == x.Decision.Row && slices.Contains(c.Scopes, scope) {
			return "the client may have it; ask " + contract.TokensIssue.Name +
				" for it, or leave scopes out to get all"
		}
	}
	return "the client may not have it; add it to the client's scopes in the scenario"
}

// namedToken finds the fingerprint of a token in a masked form or JSON.
var namedToken = regexp.MustCompile(`(?:token|code)"?\s*[=:]\s*"?` + fingerprint.String())

// inBody returns the fingerprint of the token that a body names, or "".
func inBody(body string) string { return fingerprint.FindString(namedToken.FindString(body)) }

// token says what became of a token, given its fingerprint, and how to get a valid one. The token came as a bearer
// token or in a body. What other processes know of the bank's past may differ, so the journal's records come first.
func (b Bank) token(x journal.Exchange, sent string, bearer bool, remedy string) string {
	if sent == "" {
		return ""
	}
	t, g := b.issued(sent)
	isRevoked := t != nil && (g.Revoked || t.Revoked)
	isExpired := t != nil && !t.ExpiresAt.After(x.At)
	wasExpired, wasUnknown := hasRule(x, sim.TokenExpired), hasRule(x, sim.TokenUnknown)
	switch {
	case t != nil && bearer && t.Refresh:
		return "it is a refresh token; send the access token of its grant"
	case bearer && x.Fault != nil && x.Fault.ExpiredBy != "":
		return fmt.Sprintf("the fault %s let it expire, for good; %s", x.Fault.ExpiredBy, remedy)
	case isExpired && !isRevoked && !wasUnknown:
		return hasExpired(t.ExpiresAt, x, remedy)
	}
	if by := b.revoker(x, sent, g, isRevoked); by != "" && !wasExpired { // a snapshot may have undone a revocation
		return fmt.Sprintf("it was revoked by %s; %s", by, remedy)
	}
	switch {
	case t == nil || wasExpired:
		return b.forgotten(x, sent, bearer, remedy)
	case wasUnknown && !isRevoked:
		return "the bank knows it by now: a snapshot was restored since"
	case isExpired:
		return hasExpired(t.ExpiresAt, x, remedy)
	case isRevoked:
		return "it was revoked by the scenario, or longer ago than the journal reaches; " + remedy
	case !bearer && !t.Refresh && !t.Code && x.Operation == contract.TokensIssue.Name:
		return "it is an access token; send the refresh token of its grant"
	}
	return fmt.Sprintf("it was issued to the client %s of institution %s", g.SharedKey, g.InstitutionID)
}

func hasRule(x journal.Exchange, rule sim.Code) bool { return sim.Code(x.Decision.Rule) == rule }

func hasExpired(at time.Time, x journal.Exchange, remedy string) string {
	return fmt.Sprintf("it expired at %s, and the bank's clock showed %s; %s", moment(at), moment(x.At), remedy)
}

// forgotten says what the journal has of a token that the bank doesn't know.
func (b Bank) forgotten(x journal.Exchange, sent string, bearer bool, remedy string) string {
	for earlier := range b.Journal.Before(x.ID) {
		if earlier.Operation != contract.TokensIssue.Name || earlier.Decision.Outcome != journal.Accepted {
			continue
		}
		if !bearer && inBody(earlier.Request.Body) == sent {
			return fmt.Sprintf("it was used by exchange %s; %s", earlier.ID, remedy)
		}
		if at, ok := expiryIn(earlier, sent); ok && !at.After(x.At) {
			return hasExpired(at, x, remedy)
		}
	}
	if hasRule(x, sim.TokenExpired) {
		return "the bank has forgotten it since; " + remedy
	}
	return fmt.Sprintf("this bank, which started at %s, has never issued it, or forgot it long after it stopped "+
		"working; %s", moment(b.Began), remedy)
}

// expiryIn returns when a token expires that an exchange has issued.
func expiryIn(x *journal.Exchange, sent string) (at time.Time, ok bool) {
	var issued struct {
		Access    string      `json:"access_token"`
		ExpiresIn json.Number `json:"expires_in"`
		Refresh   string      `json:"refresh_token"`
		RefreshIn json.Number `json:"refresh_token_expires_in"`
	}
	_ = json.Unmarshal([]byte(x.Response.Body), &issued) // what it can't read has issued nothing
	in := map[string]json.Number{issued.Refresh: issued.RefreshIn, issued.Access: issued.ExpiresIn}[sent]
	seconds, err := in.Int64()
	return x.At.Add(time.Duration(seconds) * time.Second), err == nil
}

// issued returns the token with a fingerprint, and its grant. Both are nil if the bank has no such token.
func (b Bank) issued(sent string) (*sim.Token, *sim.Grant) {
	for t, g := range b.World.Tokens() {
		if redact.Fingerprint(t.Text) == sent {
			return t, g
		}
	}
	return nil, nil
}

// revoker returns the exchange before another one that revoked a token of a grant, or "". It names the token. If the
// token is known to be revoked, the exchange may also name another token of its grant, or a user or a client instead.
func (b Bank) revoker(x journal.Exchange, sent string, g *sim.Grant, isRevoked bool) string {
	names := []string{sent}
	if isRevoked {
		names = append(names, redact.Fingerprint(g.AccessToken), redact.Fingerprint(g.RefreshToken))
	}
	var unnamed []string
	for earlier := range b.Journal.Before(x.ID) {
		if earlier.Operation != contract.TokensRevoke.Name || !earlier.Changed {
			continue
		}
		if isNamed := func(name string) bool {
			return name != "" && strings.Contains(earlier.Request.Body+earlier.Response.Body, name)
		}; slices.ContainsFunc(names, isNamed) {
			return fmt.Sprintf("exchange %s, %s", earlier.ID, earlier.Operation)
		}
		if inBody(earlier.Request.Body) == "" {
			unnamed = append(unnamed, earlier.ID)
		}
	}
	switch {
	case !isRevoked || len(unnamed) == 0:
		return ""
	case len(unnamed) == 1:
		return fmt.Sprintf("exchange %s, %s", unnamed[0], contract.TokensRevoke.Name)
	}
	return fmt.Sprintf("exchange %s, %s, or by an earlier one that names no token either", unnamed[0],
		contract.TokensRevoke.Name)
}

func moment(t time.Time) string {
	return t.UTC().Format(time.RFC3339)
}
