package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// issued is what a request has issued: tokens that the replay revokes at its end. They are the service's own texts.
type issued struct {
	access, refresh string
	headers         map[string]string // of the client that they were issued to
}

// ownGrants returns how tokens are issued in the place of those of the bank that an exchange may revoke or use up.
func ownGrants(e fixtures.Exchange) []fixtures.Grant {
	grants := slices.Clone(e.Replay.OwnTokens)
	for _, r := range requests(e) {
		if a, _ := aimOf(r); a.op != contract.TokensIssue && a.op != contract.TokensRevoke {
			continue
		}
		for _, value := range word.FindAllString(r.Content(), -1) {
			if !slices.Contains(fixtures.Tokens, value) || slices.Contains(tokensOf(grants), value) {
				continue
			}
			for _, g := range fixtures.Grants {
				if g.AccessToken == value || g.RefreshToken == value {
					grants = append(grants, g)
					break
				}
			}
		}
	}
	return grants
}

// tokensOf returns the tokens of the exchange that grants replace.
func tokensOf(grants []fixtures.Grant) []string {
	var all []string
	for _, g := range grants {
		all = append(all, g.AccessToken)
		if g.RefreshToken != "" {
			all = append(all, g.RefreshToken)
		}
	}
	return all
}

// issueTokens issues the tokens of the replay's own. Without them, no exchange that needs some is replayed any more.
func (r *replay) issueTokens(ctx context.Context) ([]Drift, error) {
	for _, grant := range r.grants {
		request := r.bank().request(r.issueRequest(grant))
		got, err := r.client.sendThrough(ctx, request)
		if err != nil && !unsent(err) {
			r.lost(aim{op: contract.TokensIssue}, request, "the answer was lost")
		}
		if err != nil {
			return nil, err
		}
		access, refresh := tokensIn(got)
		failure := ""
		switch {
		case !got.accepted():
			failure = fmt.Sprintf("status %d", got.status)
		case r.isOfBank(access) || r.isOfBank(refresh):
			failure = "tokens that the credentials have, so others use them"
		case access == "" || refresh == "" && grant.RefreshToken != "": // revoking "" could revoke all tokens of the client
			failure = "an answer without them"
		}
		if got.accepted() {
			r.noteIssued(request, got)
		}
		if failure != "" {
			r.noTokens = "needs tokens of its own, and the service issues none: see " + r.exchange.Name
			return r.failed(r.issueRequest(grant), "issue tokens", failure), nil
		}
		r.values[grant.AccessToken] = access
		if grant.RefreshToken != "" {
			r.values[grant.RefreshToken] = refresh
		}
	}
	return nil, nil
}

// tokensIn returns the tokens of an answer; empty: it has none.
func tokensIn(got answer) (access, refresh string) {
	var body struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	_ = json.Unmarshal(got.body, &body)
	return body.Access, body.Refresh
}

// isOfBank reports whether a token was there before the check. It must not be revoked.
func (r *replay) isOfBank(token string) bool {
	return token != "" && slices.ContainsFunc(fixtures.Tokens, func(name string) bool { return r.Credentials.value(name) == token })
}

// noteIssued notes tokens that a request was answered with, to revoke them later.
func (r *replay) noteIssued(request fixtures.Request, got answer) {
	access, refresh := tokensIn(got)
	if access == "" || r.isOfBank(access) || r.isOfBank(refresh) {
		return
	}
	headers := maps.Clone(r.bank().request(fixtures.Request{Headers: fixtures.ClientHeaders}).Headers)
	for name := range headers {
		if value := header(request, name); value != "" {
			headers[name] = value
		}
	}
	r.secrets = append(r.secrets, access, refresh)
	r.issued = append(r.issued, issued{access, refresh, headers})
}

// noteGone notes tokens that an accepted request has revoked or used up.
func (r *replay) noteGone(a aim, sent fixtures.Request) {
	members := membersOf(sent.Content())
	for i, t := range r.issued {
		named := func(token string) bool {
			return token != "" && (members["token"] == token || members["refresh_token"] == token)
		}
		if named(t.refresh) {
			r.issued[i].refresh = ""
		}
		if a.op == contract.TokensRevoke && named(t.access) {
			r.issued[i].access = ""
		}
	}
}

// revokeIssued revokes the tokens that were issued: the refresh token first, since that takes its access tokens along.
func (r *replay) revokeIssued(ctx context.Context) {
	for _, t := range r.issued {
		if t.refresh != "" {
			if err := r.revoke(ctx, t.headers, t.refresh, "refresh_token"); err != nil {
				r.left = append(r.left, fmt.Sprintf("a refresh token: %v", err))
			}
		}
		if t.access == "" {
			continue
		}
		err := r.revoke(ctx, t.headers, t.access, "token")
		if works, known := r.works(ctx, t.access); known && works {
			r.left = append(r.left, fmt.Sprintf("an access token, which still works: %v", cmp.Or(err, errors.New("the service accepted its revocation"))))
		} else if !known && err != nil {
			r.left = append(r.left, fmt.Sprintf("an access token: %v", err))
		}
	}
}

// revoke revokes a token. Services differ in how they let it be named: by the given member or token, in JSON or in a form.
func (r *replay) revoke(ctx context.Context, headers map[string]string, token, member string) error {
	var failure error
	for _, body := range []any{map[string]string{member: token}, "token=" + url.QueryEscape(token)} {
		got, err := r.client.sendAgain(ctx, r.ownRequest(contract.TokensRevoke, headers, body))
		switch {
		case err != nil:
			return fmt.Errorf("revoking it failed: %w", err)
		case got.accepted(), contract.ErrorCode(got.body) == contract.TokensRevoke.Family.Refusal(sim.RevocationOfNothing).Code:
			return nil // it may have been taken along already
		}
		failure = cmp.Or(failure, fmt.Errorf("the service answered %d to its revocation", got.status))
	}
	return failure
}

// works reports whether an access token is still accepted, if that can be known.
func (r *replay) works(ctx context.Context, token string) (works, known bool) {
	some := account{fixtures.Users[0].HostUserID, fixtures.Users[0].Accounts[0]}
	if !r.given(some) {
		return false, false
	}
	request := r.bank().request(r.readRequest(some, ""))
	request.Headers["Authorization"] = "Bearer " + token
	got, err := r.client.sendAgain(ctx, request)
	if err != nil || got.status >= 500 {
		return false, false
	}
	family := contract.EstatementsGetDisclosures.Family
	code := contract.ErrorCode(got.body)
	dead := got.status == http.StatusUnauthorized || code == family.Refusal(sim.TokenUnknown).Code || code == family.Refusal(sim.TokenExpired).Code
	return !dead, true
}
