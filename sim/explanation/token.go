package explanation

import (
	"cmp"
	"encoding/json"
	"fmt"
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
func inBody(body string) string { return anyFingerprint().FindString(tokenInBody().FindString(body)) }

// sentToken is a token that a request has sent: as a bearer token, or in its body. The row and the grant are nil if the
// bank has no such token.
type sentToken struct {
	fingerprint string
	isBearer    bool
	token       *sim.Token
	grant       *sim.Grant
}

// past is what exchanges before a request did to its token. A missing exchange is nil.
type past struct {
	revoked, used *journal.Exchange // the newest that named the token: at most one of the two
	revokedAlone  *journal.Exchange // the oldest that named the token and changed no row
	revokedGrant  *journal.Exchange // the newest that named another token of the grant
	revokedAll    *journal.Exchange // the newest that named no token, but a user or a client
	expired       time.Time         // as the newest exchange that issued it says, or zero if it had not expired by then
}

// token says what became of a token, given its fingerprint, and how to get a valid one.
func (b Bank) token(x journal.Exchange, fingerprint string, isBearer bool, remedy string) string {
	if fingerprint == "" {
		return ""
	}
	t := sentToken{fingerprint: fingerprint, isBearer: isBearer}
	t.token, t.grant = b.issued(fingerprint)
	fate, needsOther := t.fate(x, b.pastOf(x, t), b.Began)
	if needsOther {
		fate += "; " + remedy
	}
	return fate
}

// pastOf returns what the exchanges before one did to its token.
func (b Bank) pastOf(x journal.Exchange, t sentToken) (p past) {
	var ofGrant []string
	if t.grant != nil {
		ofGrant = []string{redact.Fingerprint(t.grant.AccessToken), redact.Fingerprint(t.grant.RefreshToken)}
	}
	for earlier := range b.Journal.Before(x.ID) {
		// What came later by the bank's clock was undone: a snapshot has been restored.
		if earlier.At.After(x.At) || earlier.Decision.Outcome != journal.Accepted {
			continue
		}
		switch earlier.Operation {
		case contract.TokensRevoke.Name:
			// A token that has expired was not revoked, or the restore of a snapshot has undone that.
			isNamed := mentions(earlier, t.fingerprint) && !hasRule(x, sim.TokenExpired)
			switch {
			case isNamed && earlier.Changed:
				p.revoked = earlier
				return p
			case isNamed:
				p.revokedAlone = earlier
			case !earlier.Changed: // it has revoked another access token alone, or nothing
			case slices.ContainsFunc(ofGrant, func(token string) bool { return mentions(earlier, token) }):
				p.revokedGrant = cmp.Or(p.revokedGrant, earlier)
			case inBody(earlier.Request.Body) == "":
				p.revokedAll = cmp.Or(p.revokedAll, earlier)
			}
		case contract.TokensIssue.Name:
			if !t.isBearer && inBody(earlier.Request.Body) == t.fingerprint {
				p.used = earlier
				return p
			}
			if at, ok := expiryIn(earlier, t.fingerprint); ok && !at.After(x.At) && p.expired.IsZero() {
				p.expired = at
			}
		}
	}
	return p
}

// fate says what became of a token before a request sent it, and whether the client needs another token. The journal
// is believed before the rows of the bank: a restore of a snapshot changes the rows.
func (t sentToken) fate(x journal.Exchange, p past, began time.Time) (fate string, needsOther bool) {
	hasRow := t.token != nil
	isRevoked := hasRow && (t.grant.Revoked || t.token.Revoked)
	wasUnknown := hasRule(x, sim.TokenUnknown)
	mayExpire := !hasRow || !isRevoked && !wasUnknown
	switch {
	case hasRow && t.isBearer && t.token.Refresh:
		return "it is a refresh token; send the access token of its grant", false
	case t.isBearer && x.Fault != nil && x.Fault.ExpiredBy != "":
		return fmt.Sprintf("the fault %s let it expire, for good", x.Fault.ExpiredBy), true
	case hasRow && mayExpire && !t.token.ExpiresAt.After(x.At):
		return hasExpired(t.token.ExpiresAt, x), true
	case p.revoked != nil:
		return "it was revoked by " + nameOf(p.revoked), true
	case p.used != nil:
		return "it was used by exchange " + p.used.ID, true
	case t.isBearer && p.revokedAlone != nil:
		return "it was revoked by " + nameOf(p.revokedAlone), true
	case mayExpire && !p.expired.IsZero():
		return hasExpired(p.expired, x), true
	case isRevoked && p.revokedGrant != nil:
		return "it was revoked by " + nameOf(p.revokedGrant), true
	case isRevoked && p.revokedAll != nil:
		return fmt.Sprintf("it was revoked, maybe by %s, which revoked all tokens of a user or a client",
			nameOf(p.revokedAll)), true
	case isRevoked:
		return "it was revoked by the scenario, or longer ago than the journal reaches", true
	case hasRow && wasUnknown:
		return "the bank knows it by now: a snapshot was restored since", false
	case hasRule(x, sim.TokenExpired):
		return "the bank has forgotten it since", true
	case !hasRow:
		return fmt.Sprintf("this bank, which started at %s, has never issued it, or forgot it long after it stopped "+
			"working", rfc3339(began)), true
	case !t.isBearer && !t.token.Refresh && !t.token.Code && x.Operation == contract.TokensIssue.Name:
		return "it is an access token; send the refresh token of its grant", false
	}
	return "it was issued to the client " + t.grant.SharedKey + " of institution " + t.grant.InstitutionID, false
}

func hasRule(x journal.Exchange, rule sim.Code) bool { return sim.Code(x.Decision.Rule) == rule }

func hasExpired(at time.Time, x journal.Exchange) string {
	return fmt.Sprintf("it expired at %s, and the bank's clock showed %s", rfc3339(at), rfc3339(x.At))
}

// issued returns the token with a fingerprint, and its grant. Both are nil if the bank has no such token.
func (b Bank) issued(fingerprint string) (*sim.Token, *sim.Grant) {
	for t, g := range b.World.Tokens() {
		if redact.Fingerprint(t.Text) == fingerprint {
			return t, g
		}
	}
	return nil, nil
}

// mentions reports whether an exchange has the fingerprint of a token in its request or in its answer.
func mentions(x *journal.Exchange, token string) bool {
	return token != "" && strings.Contains(x.Request.Body+x.Response.Body, token)
}

func nameOf(x *journal.Exchange) string { return fmt.Sprintf("exchange %s, %s", x.ID, x.Operation) }

// expiryIn returns when a token expires that an exchange has issued.
func expiryIn(x *journal.Exchange, fingerprint string) (at time.Time, ok bool) {
	var issued struct {
		Access    string      `json:"access_token"`
		ExpiresIn json.Number `json:"expires_in"`
		Refresh   string      `json:"refresh_token"`
		RefreshIn json.Number `json:"refresh_token_expires_in"`
	}
	_ = json.Unmarshal([]byte(x.Response.Body), &issued) // what it can't read has issued nothing
	in := map[string]json.Number{issued.Refresh: issued.RefreshIn, issued.Access: issued.ExpiresIn}[fingerprint]
	seconds, err := in.Int64()
	return x.At.Add(time.Duration(seconds) * time.Second), err == nil
}
