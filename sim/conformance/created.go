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

// A kind is what a check creates, and deletes again.
type kind struct {
	what           string
	create, remove *contract.Operation
	id             string                // the member of answers that has it
	changes        []*contract.Operation // that name an id in their path
}

// kinds are all of them. Tokens are revoked, see tokens.go.
var kinds = []kind{
	{"a group", contract.GroupsCreate, contract.GroupsDelete, "groupId",
		[]*contract.Operation{contract.GroupsUpdate, contract.GroupsDelete, contract.GroupsUploadParticipants}},
	{"an alert preference", contract.AlertsCreatePreference, contract.AlertsDeletePreference, "alertPrefId",
		[]*contract.Operation{contract.AlertsUpdatePreference, contract.AlertsDeletePreference}},
}

// kindOf returns what an operation creates or changes.
func kindOf(op *contract.Operation) (k kind, known bool) {
	for _, k := range kinds {
		if k.create == op || slices.Contains(k.changes, op) {
			return k, true
		}
	}
	return kind{}, false
}

// creation is something that a request has created.
type creation struct {
	kind
	what    string
	id      string // empty: it can't be deleted, and why is the reason
	reason  string
	request fixtures.Request // deletes it
}

// noteCreated notes what an accepted request has created.
func (r *replay) noteCreated(k kind, golden, sent fixtures.Request, got answer) {
	learned := fixtures.IDs{}
	learned.Learn(got.body)
	made := creation{kind: k, what: leaves(k, golden), id: learned[k.id]}
	switch {
	case strings.Trim(made.id, ".0") == "": // a path without an id would be that of all of them
		made.id, made.reason = "", "the answer has no id by which to delete it"
	case !r.isNew(k, got):
		made.id, made.reason = "", "it may have been there before"
	default:
		r.own[made.id] = true
	}
	headers := maps.Clone(sent.Headers)
	maps.DeleteFunc(headers, func(name, _ string) bool { return strings.EqualFold(name, "Content-Type") || isRequestID(name) })
	headers[r.spoken(k.create).Family.RequestID] = newID()
	path, query, _ := strings.Cut(sent.Path, "?")
	if query != "" { // names the user, in the public dialect
		query = "?" + query
	}
	made.request = fixtures.Request{Method: k.remove.Method, Path: path + "/" + url.PathEscape(made.id) + query, Headers: headers}
	r.created = append(r.created, made)
}

// noteDeleted notes what an accepted request has deleted: it must not be deleted again.
func (r *replay) noteDeleted(k kind) {
	r.created = slices.DeleteFunc(r.created, func(made creation) bool { return made.id == r.ids[k.id] })
}

// isNew reports whether what an answer shows is new: a group has a name that the replay drew, and for anything else the
// status is that of a create. A service could have answered with something that was there before.
func (r *replay) isNew(k kind, got answer) bool {
	if k.create != contract.GroupsCreate {
		return got.status == r.spoken(k.create).Answer(r.Behavior).Status
	}
	var group struct {
		Name string `json:"groupName"`
	}
	return json.Unmarshal(got.body, &group) == nil && slices.Contains(slices.Collect(maps.Values(r.names)), quoted(group.Name))
}

var groupName = regexp.MustCompile(`"groupName"\s*:\s*"([^"\\]*)"`)

// leaves returns what a request creates.
func leaves(k kind, golden fixtures.Request) string {
	if name := groupName.FindStringSubmatch(golden.Content()); name != nil && k.create == contract.GroupsCreate {
		return "a group named " + quoted(name[1])
	}
	return cmp.Or(golden.Leaves, k.what)
}

// deleteCreated deletes what was created. Of a kind that can't be deleted, the check creates nothing more.
func (r *replay) deleteCreated(ctx context.Context) {
	for _, made := range r.created {
		if made.reason == "" {
			got, err := r.client.send(ctx, made.request)
			switch {
			case err != nil:
				made.reason = fmt.Sprintf("deleting it failed: %v", err)
			case !got.accepted():
				made.reason = fmt.Sprintf("the service answered %d to its deletion", got.status)
			}
		}
		if made.reason != "" {
			r.left = append(r.left, made.what+": "+made.reason)
			r.kept[made.create] = "could create what can't be deleted: see " + r.exchange.Name
		}
	}
}
