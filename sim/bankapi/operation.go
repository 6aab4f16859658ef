package bankapi

import (
	"net/http"

	"github.com/gorilla/mux"
)

// operation is one endpoint of the interface. Its name is the route's name.
type operation struct {
	name    string
	method  string
	path    string
	family  *family
	changes bool     // whether its handler writes to the world
	body    bool     // whether a request body is documented
	query   []string // the query parameters that are documented
	entries []string // of the ledger, that every answer to a request that it accepts rests on; the first one decides
	handle  func(*call) (reply, error)
}

// operations is the interface: section 4, and the token operation that section 5 leaves open (published).
var operations = []operation{
	{
		name: "estatements.getDisclosures", method: http.MethodGet,
		path:   "/digitalbanking/ux-users/v1/e-statements/{accountId}/disclosures",
		family: &estatements, handle: getDisclosures,
		query: []string{"hostUserId"},
		entries: []string{
			"estatements.disclosures.answer", "estatements.bearer", "everywhere.request-id", "everywhere.json",
		},
	},
	{
		name: "estatements.updateAccount", method: http.MethodPut,
		path:   "/digitalbanking/ux-users/v1/e-statements/preference",
		family: &estatements, changes: true, body: true, handle: updateAccount,
		query: []string{"hostUserId"},
		entries: []string{
			"estatements.update-account.status", "estatements.update.preconditions", "estatements.update.effect",
			"estatements.update.waiver", "estatements.bearer", "everywhere.request-id",
		},
	},
	{
		name: "estatements.updateUser", method: http.MethodPut,
		path:   "/digitalbanking/ux-users/v2/e-statements/user/preferences",
		family: &estatements, changes: true, body: true, handle: updateUser,
		query: []string{"hostUserId"},
		entries: []string{
			"estatements.update-user.status", "estatements.update.preconditions", "estatements.update.effect",
			"estatements.update.waiver", "estatements.bearer", "everywhere.request-id",
		},
	},
	{
		name: "tokens.issue", method: http.MethodPost,
		path:   "/digitalbanking/oauth2/v1/token",
		family: &tokens, changes: true, body: true, handle: issueTokens,
		entries: []string{
			"tokens.issue.operation", "tokens.basic", "tokens.issue.answer", "tokens.issue.token-type",
			"tokens.issue.access-lifetime", "tokens.issue.text", "tokens.no-store", "everywhere.request-id",
		},
	},
	{
		name: "tokens.revoke", method: http.MethodDelete,
		path:   "/digitalbanking/oauth2/v1/revoke",
		family: &revocations, changes: true, body: true, handle: revokeToken,
		entries: []string{
			"revoke.response", "revoke.body", "tokens.basic", "everywhere.request-id",
		},
	},
	{
		name: "groups.create", method: http.MethodPost,
		path:   groupsPath,
		family: &groups, changes: true, body: true, handle: createGroup,
		entries: []string{
			"groups.create.status", "groups.create.answer", "groups.create.experience", "groups.create.timestamp",
			"groups.institution", "groups.status-values", "everywhere.request-id", "everywhere.json",
		},
	},
	{
		name: "groups.list", method: http.MethodGet,
		path:   groupsPath,
		family: &groups, handle: listGroups,
		query: []string{"page", "size", "sort"},
		entries: []string{
			"groups.list.answer", "groups.list.paging", "groups.list.links", "groups.institution",
			"groups.status-values", "everywhere.request-id", "everywhere.json",
		},
	},
	{
		name: "alerts.createPreference", method: http.MethodPost,
		path:   "/digitalbanking/db-alerts-preferences/v1/alert-preferences",
		family: &alerts, changes: true, body: true, handle: createAlertPreference,
		entries: []string{
			"alerts.create.status", "alerts.create.body", "alerts.create.answer", "alerts.create.members",
			"alerts.required-members", "everywhere.request-id", "everywhere.json",
		},
	},
}

// routes finds the operation of a request.
type routes struct {
	router *mux.Router
	byName map[string]*operation
}

func newRoutes() routes {
	// Paths are matched as they came: mux would else redirect "//" and take "%2F" in an id for a separator.
	rs := routes{router: mux.NewRouter().SkipClean(true).UseEncodedPath(), byName: map[string]*operation{}}
	for i := range operations {
		op := &operations[i]
		rs.router.Path(op.path).Methods(op.method).Name(op.name)
		rs.byName[op.name] = op
	}
	return rs
}

// find returns the operation and its path variables, still escaped; nil where there is none.
func (rs routes) find(r *http.Request) (*operation, map[string]string) {
	var match mux.RouteMatch
	if !rs.router.Match(r, &match) {
		return nil, nil
	}
	return rs.byName[match.Route.GetName()], match.Vars
}

// allowed returns the operations at the path of a request, whatever its method.
func (rs routes) allowed(r *http.Request) []*operation {
	var found []*operation
	probe := *r
	for i := range operations {
		probe.Method = operations[i].method
		if op, _ := rs.find(&probe); op == &operations[i] {
			found = append(found, op)
		}
	}
	return found
}
