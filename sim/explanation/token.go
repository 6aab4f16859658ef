package explanation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// tokenInBody finds the fingerprint of a token in a masked form or JSON.
var tokenInBody = lazy.Regexp(`(?:token|code)"?\s*[=:]\s*"?` + fingerprintForm)

// inBody returns the fingerprint of the token that a body names, or "".
func inBody(body string) string { return fingerprint().FindString(tokenInBody().FindString(body)) }

// token says what became of a token, given its fingerprint, and how to get a valid one. The token came as a bearer
// token or in a body. The records of the journal come before the rows of the bank: a restore of a snapshot changes the
// rows.
func (b Bank) token(x journal.Exchange, sent string, bearer bool, remedy string) string {
	if sent == "" {
		return ""
	}
	t, g := b.issued(sent)
	isRevoked := t != nil && (g.Revoked || t.Revoked)
	isExpired := t != nil && !t.ExpiresAt.After(x.At)
	wasUnknown := hasRule(x, sim.TokenUnknown)
	switch {
	case t != nil && bearer && t.Refresh:
		return "it is a refresh token; send the access token of its grant"
	case bearer && x.Fault != nil && x.Fault.ExpiredBy != "":
		return fmt.Sprintf("the fault %s let it expire, for good; %s", x.Fault.ExpiredBy, remedy)
	case isExpired && !isRevoked && !wasUnknown:
		return hasExpired(t.ExpiresAt, x) + "; " + remedy
	}
	mayExpire := t == nil || !isRevoked && !wasUnknown
	if fate := b.recorded(x, sent, bearer, mayExpire); fate != "" {
		return fate + "; " + remedy
	}
	switch {
	case isRevoked:
		return b.revocation(x, g) + "; " + remedy
	case t != nil && wasUnknown:
		return "the bank knows it by now: a snapshot was restored since"
	case hasRule(x, sim.TokenExpired):
		return "the bank has forgotten it since; " + remedy
	case t == nil:
		return fmt.Sprintf("this bank, which started at %s, has never issued it, or forgot it long after it stopped "+
			"working; %s", moment(b.Began), remedy)
	case !bearer && !t.Refresh && !t.Code && x.Operation == contract.TokensIssue.Name:
		return "it is an access token; send the refresh token of its grant"
	}
	return fmt.Sprintf("it was issued to the client %s of institution %s", g.SharedKey, g.InstitutionID)
}

func hasRule(x journal.Exchange, rule sim.Code) bool { return sim.Code(x.Decision.Rule) == rule }

func hasExpired(at time.Time, x journal.Exchange) string {
	return fmt.Sprintf("it expired at %s, and the bank's clock showed %s", moment(at), moment(x.At))
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

// recorded says what the exchanges before one did to a token: the newest that revoked its grant or used it up, or else
// the oldest that revoked the access token alone, or else the one that issued it, if it may have expired and had by
// then. It returns "" without such an exchange. A token that has expired was not revoked, or a snapshot has undone that.
func (b Bank) recorded(x journal.Exchange, sent string, bearer, mayExpire bool) (fate string) {
	alone := ""
	for earlier := range b.past(x) {
		isIssue := earlier.Operation == contract.TokensIssue.Name && earlier.Decision.Outcome == journal.Accepted
		switch {
		case isRevocation(earlier) && names(earlier, sent) && !hasRule(x, sim.TokenExpired):
			if earlier.Changed {
				return "it was revoked by " + named(earlier)
			}
			if bearer {
				alone = "it was revoked by " + named(earlier)
			}
		case isIssue && !bearer && inBody(earlier.Request.Body) == sent:
			return "it was used by exchange " + earlier.ID
		case isIssue && mayExpire && fate == "":
			if at, ok := expiryIn(earlier, sent); ok && !at.After(x.At) {
				fate = hasExpired(at, x)
			}
		}
	}
	return cmp.Or(alone, fate)
}

// past yields the exchanges before one, the newest first. It leaves out those that came later by the bank's clock: a
// restore of a snapshot has undone them.
func (b Bank) past(x journal.Exchange) iter.Seq[*journal.Exchange] {
	return func(yield func(*journal.Exchange) bool) {
		for earlier := range b.Journal.Before(x.ID) {
			if !earlier.At.After(x.At) && !yield(earlier) {
				return
			}
		}
	}
}

// isRevocation reports whether the bank has accepted a revocation. It has changed a row if it revoked a grant, and not
// if it revoked an access token alone, or nothing.
func isRevocation(x *journal.Exchange) bool {
	return x.Operation == contract.TokensRevoke.Name && x.Decision.Outcome == journal.Accepted
}

// names reports whether an exchange names a token, in its request or in its answer.
func names(x *journal.Exchange, token string) bool {
	return token != "" && strings.Contains(x.Request.Body+x.Response.Body, token)
}

func named(x *journal.Exchange) string { return fmt.Sprintf("exchange %s, %s", x.ID, x.Operation) }

// revocation says how a token was revoked that no revocation names: with another token of its grant, maybe with all of
// a user or a client, or by no exchange.
func (b Bank) revocation(x journal.Exchange, g *sim.Grant) string {
	ofGrant := []string{redact.Fingerprint(g.AccessToken), redact.Fingerprint(g.RefreshToken)}
	unnamed := ""
	for earlier := range b.past(x) {
		switch {
		case !isRevocation(earlier) || !earlier.Changed:
		case slices.ContainsFunc(ofGrant, func(token string) bool { return names(earlier, token) }):
			return "it was revoked by " + named(earlier)
		case unnamed == "" && inBody(earlier.Request.Body) == "":
			unnamed = ", maybe by " + named(earlier) + ", which revoked all tokens of a user or a client"
		}
	}
	if unnamed != "" {
		return "it was revoked" + unnamed
	}
	return "it was revoked by the scenario, or longer ago than the journal reaches"
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
