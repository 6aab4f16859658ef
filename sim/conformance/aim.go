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

// aim is what a request of a golden exchange could change at a service, whatever the simulator answers to it.
type aim struct {
	op *contract.Operation // nil: nothing

	accounts []account // whose settings it could change
	users    []string  // all of whose settings it could change at once
	unknown  []string  // users that the bank of the scenario doesn't have, and another bank could have

	disclosures []target // that it could change
}

// account is an account of a user of the golden exchanges.
type account struct{ user, id string }

var (
	versions  = regexp.MustCompile(`/v\d+(/|$)`)
	variables = regexp.MustCompile(`\{\w+\}`)
	slashes   = regexp.MustCompile(`/+`)
)

// normalized returns a path as a lenient service may read it: without its version, in lower case, without extra slashes. Its
// variables have no names: the member of an answer that gives the id of an alert preference has another name than the path's.
func normalized(path string) string {
	path = variables.ReplaceAllString(path, "{}")
	path = strings.TrimRight(slashes.ReplaceAllString(strings.ToLower(path), "/"), "/")
	return versions.ReplaceAllString(path, "/")
}

// safe reports whether requests of a method change nothing (RFC 9110 9.2.1).
func safe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method)
}

// aimOf returns what a request could change. It fails, with the reason, if that can't be told. A request whose path has the
// name of an id in the id's place is about what the exchange has created; one with an id that no row has changes nothing.
func aimOf(r fixtures.Request) (aim, string) {
	if safe(r.Method) {
		return aim{}, ""
	}
	path, _, _ := strings.Cut(r.Path, "?")
	if strings.Contains(path, fixtures.NoID) || strings.Contains(path, fixtures.NoNumber) {
		return aim{}, ""
	}
	for _, op := range contract.Operations {
		isOf := func(d sim.Dialect) bool { in := op.In(d); return in != nil && normalized(path) == normalized(in.Path) }
		if !op.Changes || !slices.ContainsFunc(contract.Dialects, isOf) {
			continue
		}
		switch op {
		case contract.EstatementsUpdateAccount, contract.EstatementsUpdateUser:
			return settingsAim(op, r), ""
		case contract.TokensRevoke, contract.TokensIssue:
			return aim{op: op}, ""
		}
		if changesDisclosures(op) && r.Method == op.Method {
			return disclosuresAim(op, r)
		}
		if about(op) != "" && r.Method == op.Method {
			return aim{op: op}, ""
		}
		if _, known := contract.CleanupOf(op); known && r.Method == op.Method {
			return aim{op: op}, ""
		}
	}
	return aim{}, "what the request could change at the service can't be told, so it couldn't be undone"
}

// settingsAim returns which settings an update could change. A request that names no user could mean any user of its token,
// and one that names no account any account of the user.
func settingsAim(op *contract.Operation, r fixtures.Request) aim {
	a := aim{op: op}
	users := namedUsers(r)
	if len(users) == 0 {
		for _, u := range fixtures.Users {
			if strings.HasSuffix(header(r, "Authorization"), u.Token) {
				users = append(users, u.HostUserID)
			}
		}
	}
	named := accountsIn(r.Content())
	all := op == contract.EstatementsUpdateUser
	for _, user := range users {
		known := slices.ContainsFunc(fixtures.Users, func(u fixtures.User) bool { return u.HostUserID == user })
		switch {
		case !known && (all || len(named) == 0):
			a.unknown = append(a.unknown, user)
		case known && all:
			a.users = append(a.users, user)
		}
		if known && (all || len(named) == 0) {
			a.accounts = append(a.accounts, accountsOf(user)...)
		}
	}
	for _, acc := range named {
		if !slices.Contains(a.accounts, acc) {
			a.accounts = append(a.accounts, acc)
		}
	}
	return a
}

// accountsOf returns the accounts of a user of the golden exchanges.
func accountsOf(user string) []account {
	var all []account
	for _, u := range fixtures.Users {
		for _, id := range u.Accounts {
			if u.HostUserID == user {
				all = append(all, account{user, id})
			}
		}
	}
	return all
}

// accountsIn returns the accounts of the golden exchanges that a text names.
func accountsIn(text string) []account {
	var all []account
	for _, name := range word.FindAllString(text, -1) {
		for _, u := range fixtures.Users {
			if acc := (account{u.HostUserID, name}); slices.Contains(u.Accounts, name) && !slices.Contains(all, acc) {
				all = append(all, acc)
			}
		}
	}
	return all
}

// holder returns the access token that reads and changes a user's settings.
func holder(user string) string {
	for _, u := range fixtures.Users {
		if u.HostUserID == user {
			return u.Token
		}
	}
	return fixtures.DemoToken
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

// reasonNotToRevoke returns why a request that could revoke tokens must not be sent: it could revoke others than those that
// were issued for the replay. Empty: it may be sent.
func reasonNotToRevoke(r fixtures.Request, issued []string) string {
	text := r.Content()
	named := false
	for _, value := range word.FindAllString(text, -1) {
		switch {
		case slices.Contains(issued, value):
			named = true
		case slices.Contains(fixtures.OwnValues, value):
			return "its revocation names more than a token that was issued for the check, and no request restores what is revoked"
		}
	}
	members := membersOf(text)
	for _, grantType := range []string{"password", "client_credentials"} {
		if members["grant_type"] == grantType {
			return "revokes all tokens of a client or a user, which no request restores"
		}
	}
	if named || members["token"] != "" || members["refresh_token"] != "" { // which the service doesn't know
		return ""
	}
	return "its revocation names no token, and a service could revoke all tokens of the client, which no request restores"
}

// membersOf returns the members of a JSON or form-urlencoded body as texts, as far as it can be read.
func membersOf(text string) map[string]string {
	members := map[string]string{}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) == nil {
		for name, value := range object {
			if members[name] = strings.Trim(string(value), `"`); members[name] == "null" {
				members[name] = ""
			}
		}
		return members
	}
	form, _ := url.ParseQuery(text)
	for name := range form {
		members[name] = form.Get(name)
	}
	return members
}
