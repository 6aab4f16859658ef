package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// creation is something that a request has created.
type creation struct {
	what    string
	cleanup contract.Cleanup
	id      string // empty: it can't be deleted, and why is the reason
	reason  string
	headers map[string]string // of the request that deletes it
	query   string            // of that request: it names the user
}

// noteCreated notes what an accepted request has created.
func (r *replay) noteCreated(op *contract.Operation, golden, sent fixtures.Request, got answer) {
	cleanup, creates := contract.CleanupOf(op)
	if !creates {
		return
	}
	made := creation{what: leaves(op, golden), cleanup: cleanup, query: userQuery(sent, cleanup)}
	switch id := idIn(got.body, cleanup.ID); {
	case id == "" || strings.Trim(id, ".") == "": // a path without an id would be that of all of them
		made.reason = "the answer has no id by which to delete it"
	case !r.isNew(op, got):
		made.reason = "it may have been there before"
	default:
		made.id, r.own[id] = id, true
	}
	made.headers = maps.Clone(sent.Headers)
	maps.DeleteFunc(made.headers, func(name, _ string) bool { return strings.EqualFold(name, "Content-Type") || isRequestID(name) })
	made.headers[r.spoken(op).Family.RequestID] = newID()
	if header(sent, "Authorization") == "" && r.Credentials.has(fixtures.DemoToken) {
		made.headers["Authorization"] = "Bearer " + r.Credentials.value(fixtures.DemoToken)
	}
	r.created = append(r.created, made)
}

// userQuery returns the query that names the user of what a request has created: the public dialect names it in the query of
// the create, too. Empty: the token names it, or nothing has a user.
func userQuery(sent fixtures.Request, cleanup contract.Cleanup) string {
	if cleanup.User == "" {
		return ""
	}
	if user := header(sent, cleanup.User); user != "" {
		return url.Values{"hostUserId": {user}}.Encode()
	}
	_, rawQuery, _ := strings.Cut(sent.Path, "?")
	query, _ := url.ParseQuery(rawQuery)
	maps.DeleteFunc(query, func(name string, _ []string) bool { return name != "hostUserId" && name != "loginId" })
	return query.Encode()
}

// noteDeleted notes what an accepted request has deleted: it must not be deleted again.
func (r *replay) noteDeleted(op *contract.Operation) {
	if op == contract.GroupsDelete || op == contract.AlertsDeletePreference {
		r.created = slices.DeleteFunc(r.created, func(made creation) bool { return made.id == r.ids[idOf(op)] })
	}
}

// isNew reports whether what an answer shows is new: a group has a name that the replay drew, and for anything else the
// status is that of a create. A service could have answered with something that was there before.
func (r *replay) isNew(op *contract.Operation, got answer) bool {
	if op != contract.GroupsCreate {
		return got.status == r.spoken(op).Answer(r.Behavior).Status
	}
	var group struct {
		Name string `json:"groupName"`
	}
	return json.Unmarshal(got.body, &group) == nil && slices.Contains(slices.Collect(maps.Values(r.names)), quoted(group.Name))
}

var groupName = regexp.MustCompile(`"groupName"\s*:\s*"([^"\\]*)"`)

// leaves returns what a request creates.
func leaves(op *contract.Operation, golden fixtures.Request) string {
	if op != contract.GroupsCreate {
		return cmp.Or(golden.Leaves, "an alert preference")
	}
	if name := groupName.FindStringSubmatch(golden.Content()); name != nil {
		return "a group named " + quoted(name[1])
	}
	return cmp.Or(golden.Leaves, "a group")
}

// idIn returns the id in an answer, as text.
func idIn(body []byte, path []string) string {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(body, &object) != nil {
			return ""
		}
		body = object[name]
	}
	var id any
	if json.Unmarshal(body, &id) != nil {
		return ""
	}
	switch id := id.(type) {
	case string:
		return id
	case float64:
		if id > 0 {
			return string(body)
		}
	}
	return ""
}

// deleteCreated deletes what was created. Of a kind that can't be deleted, the check creates nothing more.
func (r *replay) deleteCreated(ctx context.Context) {
	for _, made := range r.created {
		reason := cmp.Or(made.reason, r.delete(ctx, made))
		if reason != "" {
			r.left = append(r.left, made.what+": "+reason)
			r.kept[made.cleanup.Of] = "could create what can't be deleted: see " + r.exchange.Name
		}
	}
}

// delete deletes something, or returns why it can't.
func (r *replay) delete(ctx context.Context, made creation) string {
	if made.id == "" {
		return ""
	}
	path, _, _ := strings.Cut(made.cleanup.PathIn(r.dialect()), "{")
	request := fixtures.Request{Method: made.cleanup.Method, Path: path + url.PathEscape(made.id), Headers: made.headers}
	if made.query != "" {
		request.Path += "?" + made.query
	}
	got, err := r.client.send(ctx, request)
	switch {
	case err != nil:
		return fmt.Sprintf("deleting it failed: %v", err)
	case got.accepted():
		return ""
	}
	return fmt.Sprintf("the service answered %d to its deletion", got.status)
}
