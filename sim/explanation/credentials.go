package explanation

import (
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Bank is the bank of an exchange, at present. How its rows were before the exchange is not used: only some replicas
// know that.
type Bank struct {
	World   *sim.World
	Journal *journal.Journal
	Began   time.Time // when the bank was created or reset last, in real time
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
		scheme, _, _ := strings.Cut(x.Request.Headers.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Basic") {
			return ""
		}
		if x.Decision.Row == "" {
			return "no client of the scenario has this shared key"
		}
		return "the shared key is that of " + x.Decision.Row + ", but the secret key is not its own"
	case sim.ScopeMissing:
		return b.scope(x)
	case sim.TokenUnknown, sim.TokenExpired:
		return b.token(x, anyFingerprint().FindString(x.Request.Headers.Get("Authorization")), true, validToken)
	case sim.RefreshTokenInvalid, sim.RevocationOfNothing:
		return b.token(x, inBody(x.Request.Body), false, validRefresh)
	case sim.AuthorizationCodeInvalid:
		return b.token(x, inBody(x.Request.Body), false, validCode)
	}
	return ""
}

// scope says how to get a token with the scope that the token of a refused request lacks.
func (b Bank) scope(x journal.Exchange) string {
	client, scopes := strings.Split(x.Decision.Row, "/"), contract.Document().Operation(x.Operation).Scopes()
	isEnough := func(scope string) bool { return slices.Contains(scopes, scope) }
	if len(client) < 3 {
		return ""
	}
	for c := range b.World.Clients(client[1]) {
		if c.Row() == x.Decision.Row && slices.ContainsFunc(c.Scopes, isEnough) {
			return "the client may have it; ask " + contract.TokensIssue.Name +
				" for it, or leave scopes out to get all"
		}
	}
	return "the client may not have it; add it to the client's scopes in the scenario"
}

func rfc3339(t time.Time) string {
	return t.UTC().Format(time.RFC3339)
}
