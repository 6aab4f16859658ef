package conformance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// safe reports whether requests of a method change nothing (RFC 9110 9.2.1).
func safe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method)
}

// changing returns the operation by which a request could change something at a service, whatever the simulator answers to
// it. Nil: it changes nothing, because it only reads or names an id that no row has.
//
// It fails, with the reason, where a request could change what a check leaves alone.
func changing(r fixtures.Request) (op *contract.Operation, reason string) {
	path, _, _ := strings.Cut(r.Path, "?")
	if safe(r.Method) || strings.Contains(path, fixtures.NoID) || strings.Contains(path, fixtures.NoNumber) {
		return nil, ""
	}
	for _, op := range contract.Operations {
		if !op.Changes || !hasPath(op, path) {
			continue
		}
		_, creates := contract.CleanupOf(op)
		switch {
		case op.Kind() == "estatements" || op.Kind() == "disclosures":
			return nil, "could change the settings or disclosures of a user, which a check leaves alone"
		case op.Kind() == "tokens", r.Method == op.Method && (creates || idOf(op) != ""):
			return op, ""
		}
	}
	return nil, "nothing tells what the request could change at the service"
}

// idOf returns the name of the id of what an operation is about, which the exchange has created before; empty: it is about
// nothing such.
func idOf(op *contract.Operation) string {
	switch op {
	case contract.GroupsUpdate, contract.GroupsDelete, contract.GroupsUploadParticipants:
		return "groupId"
	case contract.AlertsUpdatePreference, contract.AlertsDeletePreference:
		return "alertPrefId"
	}
	return ""
}

// hasPath reports whether a lenient service may read a path as that of an operation, in any dialect.
func hasPath(op *contract.Operation, path string) bool {
	return slices.ContainsFunc(contract.Dialects, func(d sim.Dialect) bool {
		in := op.In(d)
		return in != nil && lenient(path) == lenient(in.Path)
	})
}

var (
	versions  = regexp.MustCompile(`/v\d+(/|$)`)
	variables = regexp.MustCompile(`\{\w+\}`)
	slashes   = regexp.MustCompile(`/+`)
)

// lenient returns a path as a lenient service may read it: without its version, in lower case, without extra slashes. Its
// variables have no names: the member of an answer that gives the id of an alert preference has another name than the path's.
func lenient(path string) string {
	path = variables.ReplaceAllString(path, "{}")
	path = strings.TrimRight(slashes.ReplaceAllString(strings.ToLower(path), "/"), "/")
	return versions.ReplaceAllString(path, "/")
}

// reasonNotToRevoke returns why a request that could revoke tokens must not be sent: it could revoke others than those that
// were issued for the replay. Empty: it may be sent.
func reasonNotToRevoke(r fixtures.Request, issued []string) string {
	named := false
	for _, value := range word.FindAllString(r.Content(), -1) {
		switch {
		case slices.Contains(issued, value):
			named = true
		case slices.Contains(fixtures.OwnValues, value):
			return "its revocation names more than a token that was issued for the check, and no request restores what is revoked"
		}
	}
	members := membersOf(r.Content())
	switch {
	case members["grant_type"] == "password" || members["grant_type"] == "client_credentials":
		return "revokes all tokens of a client or a user, which no request restores"
	case named || members["token"] != "" || members["refresh_token"] != "": // which the service doesn't know
		return ""
	}
	return "its revocation names no token, and a service could revoke all tokens of the client, which no request restores"
}

// membersOf returns the members of a JSON or form-urlencoded body as texts, as far as it can be read.
func membersOf(text string) map[string]string {
	members := map[string]string{}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil {
		for name, value := range object {
			members[name], _ = value.(string)
		}
		return members
	}
	form, _ := url.ParseQuery(text)
	for name := range form {
		members[name] = form.Get(name)
	}
	return members
}

// header returns a header of a request, whatever its case; empty: there is none.
func header(r fixtures.Request, name string) string {
	for n, value := range r.Headers {
		if strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}
