package bankapi

import (
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/gorilla/mux"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// handlers carry out the operations of the contract.
//
// A handler carries it out in every dialect: what differs is in the contract and in the behaviour that the call is answered by.
var handlers = map[*contract.Operation]func(*call) (reply, error){
	contract.EstatementsGetDisclosures: getDisclosures,
	contract.EstatementsUpdateAccount:  updateAccount,
	contract.EstatementsUpdateUser:     updateUser,
	contract.TokensIssue:               issueTokens,
	contract.TokensRevoke:              revokeToken,
	contract.GroupsCreate:              createGroup,
	contract.GroupsList:                listGroups,
	contract.GroupsUpdate:              updateGroup,
	contract.GroupsDelete:              deleteGroup,
	contract.GroupsUploadParticipants:  uploadParticipants,
	contract.JobsList:                  listJobs,
	contract.JobsGet:                   getJob,
	contract.JobsListErrors:            listJobErrors,
	contract.AlertsCreatePreference:    createAlertPreference,
	contract.AlertsListPreferences:     listAlertPreferences,
	contract.AlertsGetPreference:       getAlertPreference,
	contract.AlertsUpdatePreference:    updateAlertPreference,
	contract.AlertsDeletePreference:    deleteAlertPreference,
	contract.DisclosuresListUser:       listUserDisclosures,
	contract.DisclosuresCreateUser:     createUserDisclosure,
	contract.DisclosuresUpdateUser:     updateUserDisclosure,
	contract.DisclosuresDeleteUser:     deleteUserDisclosure,
	contract.UsersGetStatus:            getUserStatus,

	contract.AlertsListInstitutionTypes:       listInstitutionAlertTypes,
	contract.AlertsListInstitutionPreferences: listInstitutionAlertPreferences,
}

// route is an operation in one dialect and the handler that carries it out.
type route struct {
	*contract.Operation
	template template
	spoken   map[sim.Dialect]*route // the operation in all dialects, this one included
	handle   func(*call) (reply, error)
	uses     []string // the ids of Operation.Uses
	headers  []string // with one value, which the operation reads; as net/http spells them
	ruled    *atomic.Pointer[ruling]
	answers  *answers
}

// spelt is how net/http spells the headers of the interface, by the interface's spelling. It spells a name anew wherever it is
// asked for a header.
var spelt = func() map[string]string {
	names := map[string]string{}
	for _, op := range contract.AllSpoken() {
		names[op.Family.RequestID] = http.CanonicalHeaderKey(op.Family.RequestID)
		for _, p := range op.Parameters {
			names[p.Name] = http.CanonicalHeaderKey(p.Name)
		}
	}
	return names
}()

// routes finds the operation of a request.
type routes struct {
	router  *mux.Router
	byID    map[string]*route
	literal map[place]*route // what the router finds at the paths without variables: most requests are to them
}

// place is where an operation without variables in its path is.
type place struct{ method, path string }

func newRoutes() routes {
	// Paths are matched as they came: mux would else redirect "//". Templates take no "%2F" in an id for a separator.
	rs := routes{router: mux.NewRouter().SkipClean(true), byID: map[string]*route{}, literal: map[place]*route{}}
	for _, op := range contract.Operations {
		handle, ok := handlers[op]
		if !ok {
			panic("bankapi: no handler carries out " + op.Name)
		}
		spoken := map[sim.Dialect]*route{}
		for _, d := range contract.Dialects {
			if op := op.In(d); op != nil {
				t := newTemplate(op)
				rs.router.MatcherFunc(t.matches).Name(op.ID)
				spoken[d] = &route{Operation: op, template: t, spoken: spoken, handle: handle, uses: ids(op.Uses), headers: readHeaders(op), ruled: new(atomic.Pointer[ruling]), answers: new(answers)}
				rs.byID[op.ID] = spoken[d]
			}
		}
	}
	for _, rt := range rs.byID {
		at := place{rt.Method, rt.Path}
		if len(rt.template.variables) == 0 && rs.match(&http.Request{Method: at.method, URL: &url.URL{Path: at.path}}) == rt {
			rs.literal[at] = rt
		}
	}
	return rs
}

// readHeaders returns the names of the headers with one value that an operation reads.
func readHeaders(op *contract.Operation) []string {
	names := []string{"Authorization"}
	if op.Request != nil {
		names = append(names, "Content-Type")
	}
	for _, p := range op.Parameters {
		if p.In == "header" {
			names = append(names, http.CanonicalHeaderKey(p.Name))
		}
	}
	return names
}

// find returns the route of a request; nil where there is none. HEAD has the route of GET (RFC 9110 9.3.2).
func (rs routes) find(r *http.Request) *route {
	if r.Method == http.MethodHead {
		get := *r
		get.Method, r = http.MethodGet, &get
	}
	if r.URL.RawPath == "" { // the path needs no escapes but those that all paths have
		if rt := rs.literal[place{r.Method, r.URL.Path}]; rt != nil {
			return rt
		}
	}
	return rs.match(r)
}

// match asks the router for the route of a request.
func (rs routes) match(r *http.Request) *route {
	var match mux.RouteMatch
	if !rs.router.Match(r, &match) {
		return nil
	}
	return rs.byID[match.Route.GetName()]
}

// allowed returns the operations at the path of a request, whatever its method.
func (rs routes) allowed(r *http.Request) []*contract.Operation {
	var found []*contract.Operation
	probe := *r
	for _, op := range contract.AllSpoken() {
		probe.Method = op.Method
		if rt := rs.find(&probe); rt != nil && rt.Operation == op {
			found = append(found, op)
		}
	}
	return found
}
