package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// header returns a header of a request, whatever its case, or "".
func header(r fixtures.Request, name string) string {
	for n, value := range r.Headers {
		if strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}

// A kind is what a check creates, and deletes again.
type kind struct {
	noun           string
	create, remove *contract.Operation
	list           *contract.Operation
	idMember       string                // the member of answers that has the id
	changes        []*contract.Operation // that name an id in their path
	gone           *contract.Entry       // says that a list doesn't have it any more
	unknown        sim.Code              // refuses an id that nothing has, or "" if its code has other meanings
}

// kinds are all of them. Tokens are revoked, see revokeIssued.
var kinds = []kind{
	{
		noun:     "a group",
		create:   contract.GroupsCreate,
		remove:   contract.GroupsDelete,
		list:     contract.GroupsList,
		idMember: "groupId",
		changes: []*contract.Operation{
			contract.GroupsUpdate, contract.GroupsDelete, contract.GroupsUploadParticipants,
		},
		gone: contract.GroupsDeleteEffect,
	},
	{
		noun:     "an alert preference",
		create:   contract.AlertsCreatePreference,
		remove:   contract.AlertsDeletePreference,
		list:     contract.AlertsListPreferences,
		idMember: "alertPrefId",
		changes:  []*contract.Operation{contract.AlertsUpdatePreference, contract.AlertsDeletePreference},
		gone:     contract.AlertsDeleteOperation,
		unknown:  sim.AlertPreferenceUnknown,
	},
}

// kindOf returns what an operation creates or changes, or nil.
func kindOf(op *contract.Operation) *kind {
	for i, k := range kinds {
		if k.create == op || slices.Contains(k.changes, op) {
			return &kinds[i]
		}
	}
	return nil
}

// creation is something that a request has created.
type creation struct {
	*kind
	what    string
	id      string // or "" if it can't be deleted, and the reason says why
	reason  string
	request fixtures.Request // deletes it
	// isRemoved says that a request of the exchange has deleted it.
	isRemoved bool
}

// noteCreated notes what an accepted request has created.
func (r *replay) noteCreated(golden planned, sent fixtures.Request, got answer) {
	k := golden.kind
	learned := fixtures.IDs{}
	learned.Learn(got.body)
	created := creation{kind: k, what: golden.leaves(), id: learned[k.idMember]}
	switch {
	case strings.Trim(created.id, ".0") == "": // a path without an id would be that of all of them
		created.id, created.reason = "", "the answer has no id by which to delete it"
	case !r.isNew(k, got):
		created.id, created.reason = "", "it may have been there before"
	case slices.ContainsFunc(r.created, func(c creation) bool { return c.id == created.id && !c.isRemoved }):
		return // the service has answered with the same one again
	}
	path, query, _ := strings.Cut(sent.Path, "?")
	if query != "" { // names the user, in the public dialect
		query = "?" + query
	}
	path += "/" + url.PathEscape(created.id) + query
	created.request = fixtures.Request{Method: k.remove.Method, Path: path,
		Headers: r.check.cfg.headersFor(k.remove, sent.Headers)}
	r.created = append(r.created, created)
}

// hasCreated reports whether an id is one of what the replay has created.
func (r *replay) hasCreated(id string) bool {
	return slices.ContainsFunc(r.created, func(c creation) bool { return id != "" && c.id == id })
}

// headersFor returns the headers of another request, as its caller sends an operation without a body.
func (cfg Config) headersFor(op *contract.Operation, like map[string]string) map[string]string {
	headers := maps.Clone(like)
	maps.DeleteFunc(headers, func(name, _ string) bool {
		return strings.EqualFold(name, "Content-Type") || isRequestID(name)
	})
	headers[cfg.inDialect(op).Family.RequestID] = newID()
	return headers
}

// isNew reports whether what an answer shows is new. A group with another name than one that the replay drew may have
// been there before.
func (r *replay) isNew(k *kind, got answer) bool {
	var group struct {
		Name string `json:"groupName"`
	}
	isNamed := json.Unmarshal(got.body, &group) == nil && strings.TrimSpace(group.Name) != ""
	if k.create != contract.GroupsCreate || !isNamed {
		return true
	}
	return slices.ContainsFunc(r.sub.drawn(), func(name string) bool {
		return strings.Contains(strings.ToLower(group.Name), name[len(name)-randomPart:])
	})
}

var groupName = lazy.Regexp(`"groupName"\s*:\s*"([^"\\]*)"`)

// leaves returns what a request creates.
func (p planned) leaves() string {
	if name := groupName().FindStringSubmatch(p.Content()); name != nil && p.changes == contract.GroupsCreate {
		return "a group named " + quoted(name[1])
	}
	return cmp.Or(p.Leaves, p.kind.noun)
}

// deleteCreated deletes the replay's creations, and looks whether they are gone. The check creates no more of a kind
// that can't be deleted.
func (r *replay) deleteCreated(ctx context.Context) {
	for _, created := range r.created {
		if created.reason == "" && !created.isRemoved {
			got, err := r.check.client.send(ctx, created.request)
			if err != nil {
				created.reason = fmt.Sprintf("deleting it failed: %v", err)
			} else if !got.accepted() && !created.isGone(got) {
				created.reason = fmt.Sprintf("the service answered %d to its deletion", got.status)
			}
		}
		if created.reason == "" {
			created.reason = r.reasonIfListed(ctx, created)
		}
		if created.reason != "" {
			r.leftovers = append(r.leftovers, created.what+": "+created.reason)
			r.check.stopped[created.create] = "could create what can't be deleted: see " + r.exchange.Name
		}
	}
}

// reasonIfListed returns why something that was deleted is left behind, or "" unless the service still lists it.
func (r *replay) reasonIfListed(ctx context.Context, c creation) string {
	got, err := r.check.client.send(ctx, r.check.cfg.listing(c.kind, c.request))
	if err != nil || newListing(got.body).find(c.idMember, fixtures.IDs{c.idMember: c.id}) == nil {
		return ""
	}
	message := r.check.scrub("after its deletion, " + c.noun + " is listed: " + c.idMember + " " + c.id)
	r.found = append(r.found, r.newDifference(c.gone, "."+c.idMember, message))
	return "the service says that it is deleted, and lists it"
}

// isGone reports whether the answer to a deletion says that there is nothing to delete.
func (k *kind) isGone(got answer) bool {
	return k.unknown != "" && contract.ErrorCode(got.body) == k.remove.Family.Refusal(k.unknown).Code
}

// spentTokens are tokens that golden exchanges revoke or use up. A replay has tokens of its own issued in their place.
var spentTokens = []string{"demo-token-2", "demo-refresh"}

// byPassword is the form that gets tokens for Avery.
var byPassword = "grant_type=password&username=" + fixtures.Avery.Login + "&password=" + fixtures.Avery.Password

// issue returns a request for tokens of the client demo-app.
func (cfg Config) issue(requestID, form string) fixtures.Request {
	op := cfg.inDialect(contract.TokensIssue)
	headers := ofClient(op, requestID)
	headers["Content-Type"] = "application/x-www-form-urlencoded"
	return fixtures.Request{Method: op.Method, Path: op.Path, Headers: headers, Body: form}
}

// ofClient returns the headers of a request by the client demo-app.
func ofClient(op *contract.Operation, requestID string) map[string]string {
	return map[string]string{
		"Authorization": basic(fixtures.DemoApp + ":" + fixtures.Clients[fixtures.DemoApp]),
		"institutionId": fixtures.Institution, op.Family.RequestID: requestID,
	}
}

// revocation returns a request that revokes a token. The member names the token in the document's dialect.
func (cfg Config) revocation(headers map[string]string, token, member string) fixtures.Request {
	op := cfg.inDialect(contract.TokensRevoke)
	request := fixtures.Request{Method: op.Method, Path: op.Path, Headers: headers}
	if cfg.dialect() == sim.DialectPublic {
		headers["Content-Type"] = "application/x-www-form-urlencoded"
		request.Body = "token=" + url.QueryEscape(token)
	} else {
		headers["Content-Type"] = "application/json"
		request.JSON = strictjson.MustEncode(map[string]string{member: token})
	}
	return request
}

func isSpent(value string) bool { return slices.Contains(spentTokens, value) }

// isOthers reports whether a value is a token of the bank that a replay must not revoke.
func isOthers(value string) bool { return slices.Contains(fixtures.Tokens, value) && !isSpent(value) }

// issued is what a request has issued: tokens that the replay revokes at its end. They are the service's own texts.
type issued struct {
	tokenPair
	headers map[string]string // of the request that issued them, which names the client
}

// tokenPair is what an answer issues. A token is empty if the answer doesn't have it.
type tokenPair struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// noteIssued notes tokens that a request was answered with, to revoke them later. Those that were there before are not
// revoked.
func (r *replay) noteIssued(sent fixtures.Request, got answer) {
	var body tokenPair
	_ = json.Unmarshal(got.body, &body) // an answer without tokens issues none
	isOfBank := slices.ContainsFunc(fixtures.Tokens, func(name string) bool {
		token := r.check.cfg.Credentials.value(name)
		return token != "" && (token == body.Access || token == body.Refresh)
	})
	if !isOfBank {
		if body == (tokenPair{}) {
			r.leftovers = append(r.leftovers, "tokens that the answer doesn't call access_token or refresh_token")
			r.issueNoMore()
			return
		}
		r.check.keepSecret(body.Access, body.Refresh)
		headers := maps.Clone(sent.Headers)
		headers["institutionId"] = cmp.Or(header(sent, "institutionId"), r.sub.in(fixtures.Institution, asIs))
		r.issued = append(r.issued, issued{body, headers})
	}
}

// revokeIssued revokes the tokens that were issued: the refresh token first, since that takes its access tokens along.
// Where one can't be revoked, the check issues no more.
func (r *replay) revokeIssued(ctx context.Context) {
	for _, t := range r.issued {
		r.revoke(ctx, t.headers, t.Refresh, "refresh_token", "a refresh token")
		r.revoke(ctx, t.headers, t.Access, "token", "an access token")
	}
}

// revoke revokes a token. The service may have revoked it with another one: then it doesn't know it any more.
func (r *replay) revoke(ctx context.Context, like map[string]string, token, member, what string) {
	if token == "" {
		return
	}
	op := r.check.cfg.inDialect(contract.TokensRevoke)
	headers := r.check.cfg.headersFor(op, like)
	got, err := r.check.client.send(ctx, r.check.cfg.revocation(headers, token, member))
	switch {
	case err != nil:
		what += fmt.Sprintf(": revoking it failed: %v", err)
	case got.accepted(), contract.ErrorCode(got.body) == op.Family.Refusal(sim.RevocationOfNothing).Code:
		return
	default:
		what += fmt.Sprintf(": the service answered %d to its revocation", got.status)
	}
	r.leftovers = append(r.leftovers, what)
	r.issueNoMore()
}

func (r *replay) issueNoMore() {
	r.check.stopped[contract.TokensIssue] = "could be issued tokens that can't be revoked: see " + r.exchange.Name
}
