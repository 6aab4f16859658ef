package explanation

import (
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

// Past is the bank before an exchange.
type Past struct {
	World   *sim.World // before it
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
func (p Past) credentials(x journal.Exchange) string {
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
		return p.scope(x)
	case sim.TokenUnknown, sim.TokenExpired:
		return p.token(x, fingerprint.FindString(x.Request.Headers.Get("Authorization")), true, validToken)
	case sim.RefreshTokenInvalid, sim.RevocationOfNothing:
		return p.token(x, inBody(x.Request.Body), false, validRefresh)
	case sim.AuthorizationCodeInvalid:
		return p.token(x, inBody(x.Request.Body), false, validCode)
	}
	return ""
}

// scope says how to get a token with the scope that the token of a refused request lacks.
func (p Past) scope(x journal.Exchange) string {
	client, scope := strings.Split(x.Decision.Row, "/"), contract.Document().Operation(x.Operation).Scope
	if len(client) < 3 {
		return ""
	}
	for c := range p.World.Clients(client[1]) {
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
// token or in a body.
func (p Past) token(x journal.Exchange, sent string, bearer bool, remedy string) string {
	if sent == "" {
		return ""
	}
	if t, g := p.issued(sent); t != nil {
		switch {
		case bearer && t.Refresh:
			return "it is a refresh token; send the access token of its grant"
		case g.Revoked || t.Revoked:
			return fmt.Sprintf("it was revoked by %s; %s", p.revoker(x.ID, t.Text), remedy)
		case bearer && x.Fault != nil && x.Fault.ExpiredBy != "":
			return fmt.Sprintf("the fault %s let it expire, for good; %s", x.Fault.ExpiredBy, remedy)
		case !t.ExpiresAt.After(x.At):
			return fmt.Sprintf("it expired at %s, and the bank's clock showed %s; %s",
				moment(t.ExpiresAt), moment(x.At), remedy)
		case !bearer && !t.Refresh && !t.Code && x.Operation == contract.TokensIssue.Name:
			return "it is an access token; send the refresh token of its grant"
		}
		return fmt.Sprintf("it was issued to the client %s of institution %s", g.SharedKey, g.InstitutionID)
	}
	for earlier := range p.Journal.Before(x.ID) {
		if !bearer && earlier.Operation == contract.TokensIssue.Name && earlier.Decision.Outcome == journal.Accepted &&
			inBody(earlier.Request.Body) == sent {
			return fmt.Sprintf("it was used by exchange %s; %s", earlier.ID, remedy)
		}
	}
	return fmt.Sprintf("this bank, which started at %s, has never issued it, or forgot it long after it stopped "+
		"working; %s", moment(p.Began), remedy)
}

// issued returns the token with a fingerprint, and its grant. Both are nil if the bank has no such token.
func (p Past) issued(sent string) (*sim.Token, *sim.Grant) {
	for t, g := range p.World.Tokens() {
		if redact.Fingerprint(t.Text) == sent {
			return t, g
		}
	}
	return nil, nil
}

// revoker returns the exchange before another one that revoked a token.
func (p Past) revoker(before, text string) string {
	isRevoked := func(w *sim.World) bool {
		t, g, ok := w.Issued(text)
		return ok && (t.Revoked || g.Revoked)
	}
	for earlier, step := range p.Journal.Before(before) {
		switch {
		case !earlier.Changed:
		case step.Before == nil:
			return "exchange " + earlier.ID + " or an earlier one, of which this process has only the record"
		case !isRevoked(step.Before) && isRevoked(step.After):
			return "exchange " + earlier.ID + ", " + earlier.Operation
		}
	}
	return "the scenario, or longer ago than the journal reaches"
}

func moment(t time.Time) string {
	return t.UTC().Format(time.RFC3339)
}
