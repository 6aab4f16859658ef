package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
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
func (r *replay) noteCreated(a aim, golden, sent fixtures.Request, got answer) {
	cleanup, ok := contract.CleanupOf(a.op)
	if !ok {
		return
	}
	made := creation{what: leaves(a.op, golden), cleanup: cleanup, query: userQuery(sent, cleanup)}
	switch id := idIn(got.body, cleanup.ID); {
	case id == "" || strings.Trim(id, ".") == "": // a path without an id would be that of all of them
		made.reason = "the answer has no id by which to delete it"
	case !r.isOwn(a.op, got):
		made.reason = "it may have been there before"
	default:
		made.id, r.own[id] = id, true
	}
	made.headers = maps.Clone(sent.Headers)
	maps.DeleteFunc(made.headers, func(name, _ string) bool { return strings.EqualFold(name, "Content-Type") || isRequestID(name) })
	made.headers[r.spoken(a.op).Family.RequestID] = newID()
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
	_, rawQuery, _ := strings.Cut(sent.Path, "?")
	given, _ := url.ParseQuery(rawQuery)
	named := url.Values{}
	for _, name := range []string{"hostUserId", "loginId"} {
		if given.Has(name) {
			named[name] = given[name]
		}
	}
	if user := header(sent, cleanup.User); user != "" {
		named = url.Values{"hostUserId": {user}}
	}
	return named.Encode()
}

// noteDeleted notes what an accepted request has deleted: it must not be deleted again.
func (r *replay) noteDeleted(a aim) {
	if a.op == contract.GroupsDelete || a.op == contract.AlertsDeletePreference {
		r.created = slices.DeleteFunc(r.created, func(made creation) bool { return made.id == r.ids[about(a.op)] })
	}
}

// isOwn reports whether what an answer shows is new: a group has a name that the replay drew, and for anything else the
// status is that of a create. A service could have answered with something that was there before.
func (r *replay) isOwn(op *contract.Operation, got answer) bool {
	if op != contract.GroupsCreate {
		return got.status == r.spoken(op).Answer(r.Behavior).Status
	}
	var group struct {
		Name string `json:"groupName"`
	}
	return json.Unmarshal(got.body, &group) == nil && slices.Contains(slices.Collect(maps.Values(r.names)), quoted(group.Name))
}

var plainName = regexp.MustCompile(`"groupName"\s*:\s*"([^"\\]*)"`)

// leaves returns what a request creates.
func leaves(op *contract.Operation, golden fixtures.Request) string {
	if op != contract.GroupsCreate {
		return cmp.Or(golden.Leaves, "an alert preference")
	}
	if name := plainName.FindStringSubmatch(golden.Content()); name != nil {
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

// deleteCreated deletes what was created, where the service can.
func (r *replay) deleteCreated(ctx context.Context) {
	for _, made := range r.created {
		reason := made.reason
		if reason == "" {
			if reason = r.undeletable[made.cleanup.Of]; reason == "" {
				reason = r.delete(ctx, made)
			}
		}
		if reason != "" {
			r.left = append(r.left, made.what+": "+reason)
		}
	}
}

// delete deletes something, or returns why it can't. What the service has no operation for is not tried again.
func (r *replay) delete(ctx context.Context, made creation) string {
	path, _, _ := strings.Cut(made.cleanup.PathIn(r.dialect()), "{")
	request := fixtures.Request{Method: made.cleanup.Method, Path: path + url.PathEscape(made.id), Headers: made.headers}
	if made.query != "" {
		request.Path += "?" + made.query
	}
	got, err := r.client.sendAgain(ctx, request)
	switch {
	case err != nil:
		return fmt.Sprintf("deleting it failed: %v", err)
	case got.accepted():
		return ""
	}
	reason := fmt.Sprintf("the service answered %d to its deletion", got.status)
	if slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, got.status) {
		r.undeletable[made.cleanup.Of] = reason
	}
	return reason
}
