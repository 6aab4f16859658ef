package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
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
		if op, _ := changing(r); op != contract.TokensIssue && op != contract.TokensRevoke {
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

// issueRequest issues tokens, with the values of the golden exchanges.
func (cfg Config) issueRequest(g fixtures.Grant) fixtures.Request {
	op := cfg.spoken(contract.TokensIssue)
	headers := maps.Clone(fixtures.ClientHeaders)
	headers[op.Family.RequestID], headers["Content-Type"] = newID(), "application/x-www-form-urlencoded"
	return fixtures.Request{Method: op.Method, Path: op.Path, Headers: headers, Body: g.Form}
}

// issueTokens issues the tokens of the replay's own. Without them, no exchange that needs some is replayed any more.
func (r *replay) issueTokens(ctx context.Context) ([]Drift, error) {
	for _, grant := range r.grants {
		request := r.bank().request(r.issueRequest(grant))
		got, err := r.client.send(ctx, request)
		if err != nil {
			r.noteLost(contract.TokensIssue, request, got, err)
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
		headers[name] = cmp.Or(header(request, name), headers[name])
	}
	r.secrets = append(r.secrets, access, refresh)
	r.issued = append(r.issued, issued{access, refresh, headers})
}

// revokeIssued revokes the tokens that were issued: the refresh token first, since that takes its access tokens along. Where
// one can't be revoked, the check issues no more.
func (r *replay) revokeIssued(ctx context.Context) {
	for _, t := range r.issued {
		r.revoke(ctx, t.headers, t.refresh, "refresh_token", "a refresh token")
		r.revoke(ctx, t.headers, t.access, "token", "an access token")
	}
}

// revoke revokes a token. One that is revoked already, or was taken along, is none to the service.
func (r *replay) revoke(ctx context.Context, client map[string]string, token, member, what string) {
	if token == "" {
		return
	}
	op := r.spoken(contract.TokensRevoke)
	headers := maps.Clone(client)
	headers[op.Family.RequestID], headers["Content-Type"] = newID(), "application/json"
	request := fixtures.Request{Method: op.Method, Path: op.Path, Headers: headers, JSON: wire.MustEncode(map[string]string{member: token})}
	if r.dialect() == sim.DialectPublic {
		headers["Content-Type"] = "application/x-www-form-urlencoded"
		request.JSON, request.Body = nil, "token="+url.QueryEscape(token)
	}
	got, err := r.client.send(ctx, request)
	switch {
	case err != nil:
		what += fmt.Sprintf(": revoking it failed: %v", err)
	case got.accepted(), contract.ErrorCode(got.body) == op.Family.Refusal(sim.RevocationOfNothing).Code:
		return
	default:
		what += fmt.Sprintf(": the service answered %d to its revocation", got.status)
	}
	r.left = append(r.left, what)
	r.noTokens = "could be issued tokens that can't be revoked: see " + r.exchange.Name
}
