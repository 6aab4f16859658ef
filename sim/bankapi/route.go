package bankapi

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// handlers carry out the operations of the contract.
//
// A handler carries it out in every dialect: what differs is in the contract and in the behaviour that the request is answered by.
var handlers = map[*contract.Operation]func(*exchange) (reply, error){
	contract.EstatementsGetDisclosures: after((*exchange).estatementRequest, getDisclosures),
	contract.EstatementsUpdateAccount:  after((*exchange).preferenceUpdate, updateAccount),
	contract.EstatementsUpdateUser:     after((*exchange).preferenceUpdate, updateUser),
	contract.TokensIssue:               after((*exchange).clientRequest, issueTokens),
	contract.TokensRevoke:              after((*exchange).clientRequest, revokeToken),
	contract.TokensAuthorizeClient:     after((*exchange).codeRequest, authorizeClient),
	contract.TokensCreateCode:          after((*exchange).codeRequest, createCode),
	contract.GroupsCreate:              after((*exchange).groupRequest, createGroup),
	contract.GroupsList:                after((*exchange).groupRequest, listGroups),
	contract.GroupsUpdate:              after((*exchange).groupRequest, updateGroup),
	contract.GroupsDelete:              after((*exchange).groupRequest, deleteGroup),
	contract.GroupsUploadParticipants:  after((*exchange).groupRequest, uploadParticipants),
	contract.JobsList:                  after((*exchange).groupRequest, listJobs),
	contract.JobsGet:                   after((*exchange).groupRequest, getJob),
	contract.JobsListErrors:            after((*exchange).groupRequest, listJobErrors),
	contract.AlertsCreatePreference:    after((*exchange).alertScope, createAlertPreference),
	contract.AlertsListPreferences:     after((*exchange).alertScope, listAlertPreferences),
	contract.AlertsGetPreference:       after((*exchange).namedAlert, getAlertPreference),
	contract.AlertsUpdatePreference:    after((*exchange).namedAlert, updateAlertPreference),
	contract.AlertsDeletePreference:    after((*exchange).namedAlert, deleteAlertPreference),
	contract.DisclosuresListUser:       after((*exchange).disclosureUser, listUserDisclosures),
	contract.DisclosuresCreateUser:     after((*exchange).disclosureWrite, createUserDisclosure),
	contract.DisclosuresUpdateUser:     after((*exchange).disclosureWrite, updateUserDisclosure),
	contract.DisclosuresDeleteUser:     after((*exchange).disclosureWrite, deleteUserDisclosure),
	contract.UsersGetStatus:            after((*exchange).identifiedBearer, getUserStatus),

	contract.AlertsListInstitutionTypes:       after((*exchange).alertInstitution, listInstitutionAlertTypes),
	contract.AlertsListInstitutionPreferences: after((*exchange).alertInstitution, listInstitutionAlertPreferences),
	contract.DisclosuresListInstitution:       after((*exchange).identifiedBearer, listInstitutionDisclosures),
}

// after returns the handler of an operation whose first step is the same as in other operations, such as finding the
// user of the request.
func after[T any](read func(*exchange) (T, error), handle func(*exchange, T) (reply, error)) func(*exchange) (reply, error) {
	return func(x *exchange) (reply, error) {
		shared, err := read(x)
		if err != nil {
			return reply{}, err
		}
		return handle(x, shared)
	}
}

// route is an operation in one dialect and the handler that carries it out.
type route struct {
	op      *contract.Operation
	begins  string                 // the path, up to its first variable
	path    func() *mux.Route      // matches the path; made for the first request that begins like it
	spoken  map[sim.Dialect]*route // the operation in all dialects, this one included
	handle  func(*exchange) (reply, error)
	uses    []string // the ids of the entries that the operation uses
	headers []string // with one value, which the operation reads; as net/http spells them
}

// newRoutes returns the routes by method.
func newRoutes() map[string][]*route {
	routes := map[string][]*route{}
	for _, op := range contract.Operations {
		handle, ok := handlers[op]
		if !ok {
			panic("bankapi: no handler carries out " + op.Name)
		}
		spoken := map[sim.Dialect]*route{}
		for _, d := range contract.Dialects {
			if op := op.In(d); op != nil {
				begins, _, _ := strings.Cut(op.Path, "{")
				// Paths are matched as they came, escapes included: "%2F" in an id would else be a separator.
				path := sync.OnceValue(func() *mux.Route { return mux.NewRouter().UseEncodedPath().Path(op.Path) })
				spoken[d] = &route{op, begins, path, spoken, handle, ids(op.Uses), readHeaders(op)}
				routes[op.Method] = append(routes[op.Method], spoken[d])
			}
		}
	}
	routes[http.MethodHead] = routes[http.MethodGet] // RFC 9110 9.3.2
	return routes
}

// readHeaders returns the names of the headers with one value that an operation reads.
func readHeaders(op *contract.Operation) []string {
	names := []string{"Authorization"}
	if op.Request != nil {
		names = append(names, "Content-Type")
	}
	for _, name := range op.ParameterNames("header") {
		names = append(names, http.CanonicalHeaderKey(name))
	}
	return names
}

// locate finds the sandbox and the operation that the request names.
func (x *exchange) locate() {
	if x.only == "" {
		x.splitBaseURL()
	}
	x.baseURL = x.findBaseURL()
	if x.only == "" {
		x.misdirected = x.findSandboxName()
	}
	query, err := url.ParseQuery(x.request.URL.RawQuery)
	x.query, x.unread = query, err != nil
	x.asked, x.variables = x.handler.match(x.r.Method, x.request)
	if x.misdirected != nil {
		x.asked = nil
	}
}

// match returns the route of a request with a method, and the variables in its path; nil: there is none.
func (h *Handler) match(method string, r *http.Request) (*route, map[string]string) {
	path := r.URL.EscapedPath()
	for _, route := range h.routes[method] {
		if !strings.HasPrefix(path, route.begins) {
			continue
		}
		if match := new(mux.RouteMatch); route.path().Match(r, match) {
			return route, match.Vars
		}
	}
	return nil, nil
}

// isStubbed reports whether a rule may answer a request that is no operation's. A preflight comes before it.
func (x *exchange) isStubbed() bool {
	return x.at.Faults.Stubs(x.r.Method, x.request.URL.EscapedPath()) && !(x.isPreflight() && x.cors() != nil)
}

// mayBeStubbed reports whether a rule may answer a request that is no operation's, as far as this process knows:
// another one may have added a stub to a bank that both use.
func (x *exchange) mayBeStubbed() bool {
	sandboxes := x.handler.Sandboxes
	sb, err := sandboxes.Find(x.r.Context(), x.sandboxName)
	return x.misdirected == nil && err == nil &&
		(sandboxes.IsShared() || sb.Known().Faults.Stubs(x.r.Method, x.request.URL.EscapedPath()))
}

// unknownPath refuses a request whose path is no operation's.
func (x *exchange) unknownPath() error {
	method, path := x.request.Method, x.request.URL.Path
	shown := phrase.Shorten(fault.PathPattern(x.request.URL.EscapedPath()))
	if method == http.MethodHead {
		method = http.MethodGet // whose stub it has, and whose answer
	}
	text := fmt.Sprintf("%s is not simulated: add a fault with method: %s, path: %s and the answer to have it answered by a stub",
		shown, phrase.Shorten(method), shown)
	if near := nearOperation(method, path); near != nil {
		text = fmt.Sprintf("%s is not simulated: did you mean %s, %s %s?", shown, near.Name, near.Method, near.Path)
	}
	if x.handler.Control != nil {
		text = cmp.Or(x.handler.Control(path), text)
	}
	return sim.Refuse(contract.PathUnknown, "%s", text)
}

// denyRoute refuses a request whose path or method is no operation's, or answers it as a preflight.
func (x *exchange) denyRoute() {
	var allowed []string
	for _, op := range contract.AllSpoken() {
		if found, _ := x.handler.match(op.Method, x.request); found != nil && found.op == op {
			if allowed == nil {
				x.family = op.Family
			}
			allowed = append(allowed, op.Method)
			if op.Method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	if len(allowed) == 0 {
		x.reply = x.orPreflight(x.refuse(x.unknownPath()))
		return
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	rep := x.refuse(sim.Refuse(contract.MethodNotAllowed, "this path takes %s", allow))
	rep.header("Allow", allow) // RFC 9110 15.5.6
	x.reply = x.orPreflight(rep)
}

const sandboxesPrefix = "/sandboxes/"

// splitBaseURL splits off the base URL's path: /sandboxes/NAME names a sandbox, nothing the default one.
func (x *exchange) splitBaseURL() {
	r := x.r
	if !strings.HasPrefix(r.URL.Path, sandboxesPrefix) {
		return
	}
	escaped := r.URL.EscapedPath()
	x.sandboxName, _, _ = strings.Cut(strings.TrimPrefix(escaped, sandboxesPrefix), "/")
	x.prefix = sandboxesPrefix + x.sandboxName
	inner, innerURL := *r, *r.URL
	innerURL.RawPath = strings.TrimPrefix(escaped, x.prefix)
	// A name needs no escapes: where it has some, it is no sandbox's, and what is left of the path is not looked at.
	innerURL.Path = strings.TrimPrefix(r.URL.Path, x.prefix)
	inner.URL, x.request = &innerURL, &inner
	x.family, _ = contract.NearestFamily(innerURL.Path)
}

// findBaseURL returns the base URL by which links lead back to the bank: scheme, host and the sandbox's prefix. The host is that
// of the request. Where clients have a URL of their own to the simulator, the scheme, the port and the path are those of that.
func (x *exchange) findBaseURL() string {
	scheme, host, prefix := "http", x.r.Host, x.prefix
	if local, ok := x.r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && host == "" { // which HTTP/1.0 allows
		host = local.String()
	}
	if x.r.TLS != nil {
		scheme = "https"
	}
	if x.handler.PublicURL == "" {
		return scheme + "://" + host + prefix
	}
	public, _ := url.Parse(x.handler.PublicURL)
	host = (&url.URL{Host: host}).Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := public.Port(); port != "" {
		host += ":" + port
	}
	if _, byHost := sandboxOfHost(x.handler.SandboxHosts, host); !byHost {
		prefix = strings.TrimRight(public.EscapedPath(), "/") + prefix
	}
	return public.Scheme + "://" + host + prefix
}

// findSandboxName finds the sandbox that the host and the header of a request name, besides its path. It refuses a request that
// names two, and one that names none where it has to.
func (x *exchange) findSandboxName() error {
	type naming struct{ sandbox, by string }
	var all []naming
	if x.prefix != "" {
		all = append(all, naming{x.sandboxName, "its path"})
	}
	if name, ok := sandboxOfHost(x.handler.SandboxHosts, x.r.Host); ok {
		all = append(all, naming{name, "its host"})
	}
	for _, name := range x.r.Header[contract.SandboxHeader] {
		all = append(all, naming{name, "the header " + contract.SandboxHeader})
	}
	if len(all) == 0 {
		if x.handler.NoDefault {
			return x.missingSandbox()
		}
		return nil
	}
	first := all[0]
	x.sandboxName = first.sandbox
	other := slices.IndexFunc(all, func(n naming) bool { return n.sandbox != first.sandbox })
	if other < 0 {
		return nil
	}
	for _, n := range all { // the exchange is in the journal of the first that is there
		if _, err := x.handler.Sandboxes.Find(x.r.Context(), n.sandbox); err == nil {
			x.sandboxName = n.sandbox
			break
		}
	}
	return sim.Refuse(contract.SandboxContradiction, "the request names two sandboxes, %s by %s and %s by %s: name one",
		phrase.Quote(first.sandbox), first.by, phrase.Quote(all[other].sandbox), all[other].by)
}

// unknownSandbox refuses a request to a sandbox that isn't there.
func (x *exchange) unknownSandbox() error {
	remedy := fmt.Sprintf("create it with POST /v1/sandboxes {\"name\": %q} on the control API", x.sandboxName)
	if !sandbox.IsName(x.sandboxName) {
		remedy = sandbox.ErrBadName.Error()
	}
	if strings.Contains(x.sandboxName, ".") {
		remedy = "one label names a sandbox, and this is more than one before the domain"
	}
	return sim.Refuse(contract.SandboxUnknown, "there is no sandbox %q: %s", x.sandboxName, remedy)
}

// missingSandbox refuses a request that names no sandbox, where the default one doesn't take it. It is in the journal of
// that one nevertheless: there is no better place to look for it.
func (x *exchange) missingSandbox() error {
	forms := x.baseURL + sandboxesPrefix + "NAME"
	for _, pattern := range x.handler.SandboxHosts {
		forms += " or " + SandboxHostURL(pattern, "NAME", x.baseURL)
	}
	return sim.Refuse(contract.SandboxMissing, "the URL names no sandbox, and the simulator was started with --no-default-sandbox: "+
		"a base URL is %s; has the client dropped its path?", forms)
}
