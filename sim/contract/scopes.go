package contract

import (
	"slices"
	"strings"
)

// accountsRead is a published scope of the operations on disclosures and e-statements, beside their own.
const accountsRead = "accounts:read"

// disclosuresScope begins the scopes of disclosures and of e-statements.
const disclosuresScope = "disclosures"

// Scopes returns the scopes that permit the operation. An access token needs one of them, or no scope if there are no
// scopes.
func (op *Operation) Scopes() []string {
	switch {
	case op.Scope == "":
		return nil
	case strings.HasPrefix(op.Scope, disclosuresScope+":"):
		return []string{op.Scope, accountsRead}
	}
	return []string{op.Scope}
}

// Scopes returns the published scopes, sorted.
func Scopes() []string {
	all := []string{accountsRead}
	for _, op := range operations {
		if op.Scope != "" {
			all = append(all, op.Scope)
		}
	}
	return sortedOnce(all)
}

// EverywhereScopes is about the scopes of access tokens.
var EverywhereScopes = entry("everywhere.scopes", everyOperation, Published, Entry{
	Question: "Which scope does an access token need, and what is answered without it?",
	answer: "None, unless the scenario lists scopes of its client. Then the first of these that is for the " +
		"operation: alertMgmt:read for alerts.listInstitutionTypes, alertPref:read for alerts.list* and alerts.get*, " +
		"alertPref:write for alerts.*, disclosures:read for disclosures.list* and estatements.getDisclosures, " +
		"disclosures:write for disclosures.* and estatements.*, groups:read for groups.list and jobs.*, " +
		"groups:write for groups.*, institution-users:read for users.getStatus. " + accountsRead + " does as well as " +
		"disclosures:read and disclosures:write. Tokens and authorization codes need none. A token without the scope " +
		"is answered as one that doesn't permit the request, right after it is authenticated; in groups, jobs and " +
		"alerts as everywhere.scope-refusals says.",
	source: publishedIn(scopesOfTokens, errorBodies) + "; that a client's scopes have to be listed, the scope of " +
		"disclosures.listInstitution, and institution-users:read for users alone, are ours",
})

// EverywhereScopeRefusals is about the answers that no source has.
var EverywhereScopeRefusals = entry("everywhere.scope-refusals", slices.Concat(onGroups, onAlerts), Choice, Entry{
	Question: "What is answered in groups, jobs and alerts to an access token without the scope of the operation?",
	answer: "In groups and jobs what a token gets that doesn't work, 401 " + unauthorized + "; in alerts 403 " +
		permissionMissing + ".",
	source: "ours; that it is refused is published",
})

// TokensIssueScopes is about the scopes that a request for tokens names.
var TokensIssueScopes = entry("tokens.issue.scopes", onIssue, Published, Entry{
	Question: "Which scopes do tokens get, and what is answered to scopes that the client may not have?",
	answer: "Those that scopes names, separated by commas or spaces, else all of the client's. A refresh gives those " +
		"of the refresh token, or fewer; a code gives those that both the code and the client have. To others " +
		"{refused}. If the scenario doesn't list scopes of the client, scopes has no effect.",
	source: publishedIn(itsOperations, scopesOfTokens, version13) + "; version 1.3 has the code; that a refresh may " +
		"ask for fewer, and that a client's scopes have to be listed, is ours",
})
