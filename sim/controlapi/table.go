package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Route is one call of the control API. A query parameter that it doesn't declare is refused.
type Route struct {
	Method string
	Path   string   // with variables, such as /v1/sandboxes/{sandbox}/reset
	Query  []string // the names of its query parameters
	handle func(api, http.ResponseWriter, *http.Request) error
}

// String returns the method and the path.
func (rt Route) String() string { return rt.Method + " " + rt.Path }

// routes has every call of the control API.
var routes = []Route{
	{"GET", "/healthz", nil, api.healthz},
	{"GET", "/readyz", nil, api.readyz},
	{"GET", "/metrics", nil, api.serveMetrics},
	{"GET", "/v1/info", nil, api.info},
	{"GET", "/v1/lifeline", []string{"linger"}, api.lifeline},
	{"GET", "/v1/ledger", []string{"operation", "basis"}, api.ledger},
	{"GET", "/v1/openapi.json", nil, api.openapi},
	{"GET", "/v1/sandboxes", nil, api.listSandboxes},
	{"POST", "/v1/sandboxes", nil, api.createSandbox},

	in("GET", "", api.getSandbox),
	in("DELETE", "", api.deleteSandbox),
	in("POST", "/fork", api.fork),
	in("POST", "/reset", api.reset),
	in("GET", "/scenario", api.getScenario),
	in("PUT", "/scenario", api.putScenario),
	in("GET", "/state", api.getState),
	in("GET", "/diff", api.getDiff, "since"),
	in("GET", "/clock", api.getClock),
	in("POST", "/clock", api.setClock),
	in("GET", "/snapshots", api.listSnapshots),
	in("POST", "/snapshots", api.takeSnapshot),
	in("DELETE", "/snapshots/{snapshot}", api.deleteSnapshot),
	in("POST", "/snapshots/{snapshot}/restore", api.restoreSnapshot),

	in("PATCH", institutionPath, api.patchInstitution),
	in("PATCH", institutionPath+"/users/{user}", api.patchUser),
	in("PATCH", institutionPath+"/users/{user}/accounts/{account}", api.patchAccount),
	in("POST", institutionPath+"/tokens", api.mintToken),

	in("GET", "/faults", api.listFaults),
	in("POST", "/faults", api.addFaults),
	in("DELETE", "/faults", api.clearFaults),
	in("DELETE", "/faults/{fault}", api.removeFault),

	in("GET", "/journal", api.getJournal, "operation", "status", "after", "limit"),
	in("DELETE", "/journal", api.clearJournal),
	in("GET", "/journal.har", api.getHAR),
	in("GET", "/journal/stream", api.stream, "after"),
	in("POST", "/journal/verify", api.verify),
	in("GET", "/journal/{exchange}", api.getExchange),
}

const institutionPath = "/institutions/{institution}"

// Routes returns every call of the control API.
func Routes() []Route { return append([]Route(nil), routes...) }

// in returns a route below the path of a sandbox. It looks up the sandbox; 404 if there is none.
func in(method, path string, handle func(api, http.ResponseWriter, *http.Request, *sandbox.Sandbox) error, query ...string) Route {
	return Route{method, "/v1/sandboxes/{sandbox}" + path, query, func(a api, w http.ResponseWriter, r *http.Request) error {
		name := pathVar(r, "sandbox")
		sb, ok := a.Sandboxes.Get(name)
		if !ok {
			return refuse(http.StatusNotFound, "there is no sandbox %s: POST /v1/sandboxes creates one", phrase.Quote(name))
		}
		return handle(a, w, r, sb)
	}}
}

// known returns the handle of the route. It refuses (400) query parameters that the route doesn't have before anything is
// done: a misspelt filter must not look like one that matches everything.
func (rt Route) known(a api) handle {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := checkQuery(r, rt.Query); err != nil {
			return err
		}
		return rt.handle(a, w, r)
	}
}
