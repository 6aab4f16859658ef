package bankapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// router has a named route for each operation in each dialect, in a subrouter for each family and dialect.
var router = sync.OnceValue(func() *mux.Router {
	// Paths are matched with their escapes: %2F in an id is no separator. mux doesn't clean a path, because it would
	// redirect the client.
	root := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for _, i := range contract.Interfaces() {
		families := map[*contract.Family]*mux.Router{}
		for _, op := range i.Operations {
			if families[op.Family] == nil {
				families[op.Family] = root.PathPrefix(commonPrefix(i, op.Family)).Subrouter()
			}
			path := strings.TrimPrefix(op.Path, commonPrefix(i, op.Family))
			families[op.Family].Path(path).Methods(op.Methods()...).Name(op.ID)
		}
	}
	return root
})

// commonPrefix returns the segments that all paths of a family begin with.
func commonPrefix(i *contract.Interface, f *contract.Family) string {
	var common []string
	for _, op := range i.Operations {
		if op.Family != f {
			continue
		}
		segments := strings.Split(op.Path, "/")
		if common == nil {
			common = segments
		}
		for at := range common {
			if at >= len(segments) || segments[at] != common[at] || strings.HasPrefix(common[at], "{") {
				common = common[:at]
				break
			}
		}
	}
	return strings.Join(common, "/")
}

// operationsByID are the operations in both dialects by their ids. The ids are the names of the routes.
var operationsByID = sync.OnceValue(func() map[string]*contract.Operation {
	all := map[string]*contract.Operation{}
	for _, op := range contract.AllOperations() {
		all[op.ID] = op
	}
	return all
})

// route is what the router finds for a request.
type route struct {
	asked   *contract.Operation // in the dialect of its path, or nil if it is to no operation
	vars    map[string]string   // in the path, escaped
	allowed []string            // sorted: the methods that the path takes, if the request has another one
	family  *contract.Family    // of the path's operations, or the nearest one
}

// findRoute finds the route of a request to a URL below the base URL.
func findRoute(r *http.Request, u *url.URL) route {
	if u = withoutNeedlessEscapes(u); u != r.URL {
		r = &http.Request{Method: r.Method, URL: u}
	}
	var match mux.RouteMatch
	if router().Match(r, &match) {
		op := operationsByID()[match.Route.GetName()]
		return route{asked: op, vars: match.Vars, family: op.Family}
	}
	family, _ := contract.NearestFamily(u.Path)
	found := route{family: family}
	for _, other := range contract.Methods() {
		var match mux.RouteMatch
		if router().Match(&http.Request{Method: other, URL: u}, &match) {
			found.allowed = append(found.allowed, other)
			found.family = operationsByID()[match.Route.GetName()].Family
		}
	}
	slices.Sort(found.allowed)
	return found
}

// withoutNeedlessEscapes returns a URL in whose path only those characters are escaped that have to be. An escaped
// slash stays escaped.
func withoutNeedlessEscapes(u *url.URL) *url.URL {
	if u.RawPath == "" {
		return u
	}
	segments := strings.Split(u.EscapedPath(), "/")
	for i, segment := range segments {
		plain, _ := url.PathUnescape(segment) // net/http has parsed it
		segments[i] = url.PathEscape(plain)
	}
	plain := *u
	plain.RawPath = strings.Join(segments, "/")
	return &plain
}

// nameOf returns the name of an operation, or "" for a request that is no operation's.
func nameOf(op *contract.Operation) string {
	if op == nil {
		return ""
	}
	return op.Name
}

// dialectOf returns the dialect of an operation, or "" for a request that is no operation's.
func dialectOf(op *contract.Operation) string {
	if op == nil {
		return ""
	}
	return string(op.Dialect)
}
