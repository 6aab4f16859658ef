package contract

import (
	"slices"
	"strings"
)

// scopes are the published scopes of access tokens, each with patterns of the operations that need it. The first scope
// with a pattern that matches an operation is the operation's.
var scopes = []struct {
	name       string
	operations []string
}{
	{"accounts:read", nil}, // published, but no operation needs it alone
	{"alertMgmt:read", []string{"alerts.listInstitutionTypes"}},
	{"alertPref:read", []string{"alerts.list*", "alerts.get*"}},
	{"alertPref:write", []string{"alerts.*"}},
	{"disclosures:read", []string{"disclosures.list*", "estatements.getDisclosures"}},
	{"disclosures:write", []string{"disclosures.*", "estatements.*"}},
	{"groups:read", []string{"groups.list", "jobs.*"}},
	{"groups:write", []string{"groups.*"}},
	{"institution-users:read", []string{"users.getStatus"}},
}

// Scopes returns the published scopes, sorted.
func Scopes() []string {
	var names []string
	for _, s := range scopes {
		names = append(names, s.name)
	}
	return names
}

// ScopeOf returns the scope that an access token needs for an operation, or "" if it needs no scope.
func ScopeOf(operation string) string {
	for _, s := range scopes {
		if slices.ContainsFunc(s.operations, func(pattern string) bool { return Matches(pattern, operation) }) {
			return s.name
		}
	}
	return ""
}

// scopeTable says which operations need which scope.
func scopeTable() string {
	var all []string
	for _, s := range scopes {
		if len(s.operations) > 0 {
			all = append(all, s.name+" for "+strings.Join(s.operations, " and "))
		}
	}
	return strings.Join(all, ", ")
}

// EverywhereScopes is about the scopes of access tokens.
var EverywhereScopes = entry("everywhere.scopes", everyOperation, Published, Entry{
	Question: "Which scope does an access token need, and what is answered without it?",
	answer: "None, unless the scenario lists scopes of its client. Then the first of these that is for the " +
		"operation: " + scopeTable() + ". A token without the scope is answered as one that doesn't permit the request, right after " +
		"it is authenticated: in groups and jobs as one that doesn't work.",
	Source: publishedIn(scopesOfTokens, errorBodies) + "; that a client's scopes have to be listed, and the " +
		"answers of groups, jobs and alerts, are ours",
})

// TokensIssueScopes is about the scopes that a request for tokens names.
var TokensIssueScopes = entry("tokens.issue.scopes", onIssue, Published, Entry{
	Question: "Which scopes do tokens get, and what is answered to scopes that the client may not have?",
	answer: "Those that scopes names, separated by commas or spaces, else all of the client's. A refresh gives those " +
		"of the refresh token, or fewer; a code gives those that both the code and the client have. To others " +
		"{refused}. If the scenario doesn't list scopes of the client, scopes has no effect.",
	Source: publishedIn(itsOperations, scopesOfTokens, version13) + "; version 1.3 has the code; that a refresh may " +
		"ask for fewer, and that a client's scopes have to be listed, is ours",
})
