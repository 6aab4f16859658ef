package conformance

import (
	"cmp"
	"context"
	"encoding/base64"
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

// ownTokens are those of the golden exchanges in whose place a replay is issued its own, because the exchange revokes them or uses
// them up.
var ownTokens = []string{"demo-token-2", "demo-refresh"}

// issueOwn returns the request that issues them, and whether an exchange needs it.
func (cfg Config) issueOwn(e fixtures.Exchange) (request fixtures.Request, needed bool) {
	needed = slices.ContainsFunc(requests(e), func(r fixtures.Request) bool {
		op, _ := changing(r)
		return op != nil && op.Kind() == "tokens" && slices.ContainsFunc(word.FindAllString(r.Content(), -1), isOwn)
	})
	op := cfg.spoken(contract.TokensIssue)
	headers := map[string]string{
		"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("demo-app:demo-secret")), "institutionId": "02688",
		op.Family.RequestID: newID(), "Content-Type": "application/x-www-form-urlencoded",
	}
	return fixtures.Request{Method: op.Method, Path: op.Path, Headers: headers, Body: "grant_type=password&username=avery&password=demo"}, needed
}

func isOwn(value string) bool { return slices.Contains(ownTokens, value) }

// issued is what a request has issued: tokens that the replay revokes at its end. They are the service's own texts.
type issued struct {
	access, refresh string
	headers         map[string]string // of the request that issued them, which names the client
}

// noteIssued notes tokens that a request was answered with, to revoke them later. Those that were there before are not revoked.
func (r *replay) noteIssued(sent fixtures.Request, got answer) {
	var body struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	_ = json.Unmarshal(got.body, &body) // an answer without tokens issues none
	isOfBank := slices.ContainsFunc(fixtures.Tokens, func(name string) bool {
		token := r.Credentials.value(name)
		return token != "" && (token == body.Access || token == body.Refresh)
	})
	if !isOfBank {
		r.secrets = append(r.secrets, body.Access, body.Refresh)
		headers := maps.Clone(sent.Headers)
		headers["institutionId"] = cmp.Or(header(sent, "institutionId"), r.in("02688", asIs))
		r.issued = append(r.issued, issued{body.Access, body.Refresh, headers})
	}
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
	maps.DeleteFunc(headers, func(name, _ string) bool { return isRequestID(name) })
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
	r.kept[contract.TokensIssue] = "could be issued tokens that can't be revoked: see " + r.exchange.Name
}
