package service

import (
	"net/http"

	"github.com/gorilla/mux"

	"github.com/digitalbanking-sim/banksim/sim"
)

// operation is one endpoint of the interface. Its name is the route's name.
type operation struct {
	name    string
	method  string
	path    string
	family  *family
	changes bool      // whether its handler writes to the world
	body    bool      // whether a request body is documented
	basis   sim.Basis // of what it answers to a request that it accepts
	query   []string  // the query parameters that are documented
	handle  func(*call) (reply, error)
}

// operations is the interface: section 4, and the token operation that section 5 leaves open (published).
var operations = []operation{
	{
		name: "estatements.getDisclosures", method: http.MethodGet,
		path:   "/digitalbanking/ux-users/v1/e-statements/{accountId}/disclosures",
		family: &estatements, handle: getDisclosures,
		basis: sim.BasisDocument, query: []string{"hostUserId"},
	},
	{
		name: "estatements.updateAccount", method: http.MethodPut,
		path:   "/digitalbanking/ux-users/v1/e-statements/preference",
		family: &estatements, changes: true, body: true, handle: updateAccount,
		basis: sim.BasisDocument, query: []string{"hostUserId"},
	},
	{
		name: "estatements.updateUser", method: http.MethodPut,
		path:   "/digitalbanking/ux-users/v2/e-statements/user/preferences",
		family: &estatements, changes: true, body: true, handle: updateUser,
		basis: sim.BasisDocument, query: []string{"hostUserId"},
	},
	{
		name: "tokens.issue", method: http.MethodPost,
		path:   "/digitalbanking/oauth2/v1/token",
		family: &tokens, changes: true, body: true, handle: issueTokens,
		basis: sim.BasisPublished,
	},
	{
		name: "tokens.revoke", method: http.MethodDelete,
		path:   "/digitalbanking/oauth2/v1/revoke",
		family: &revocations, changes: true, body: true, handle: revokeToken,
		basis: sim.BasisDocument,
	},
	{
		name: "groups.create", method: http.MethodPost,
		path:   groupsPath,
		family: &groups, changes: true, body: true, handle: createGroup,
		basis: sim.BasisPublished,
	},
	{
		name: "groups.list", method: http.MethodGet,
		path:   groupsPath,
		family: &groups, handle: listGroups,
		basis: sim.BasisDocument, query: []string{"page", "size", "sort"},
	},
	{
		name: "alerts.createPreference", method: http.MethodPost,
		path:   "/digitalbanking/db-alerts-preferences/v1/alert-preferences",
		family: &alerts, changes: true, body: true, handle: createAlertPreference,
		basis: sim.BasisPublished,
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
