package simtest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

// route is an operation of the OpenAPI document with the pattern of its paths.
type route struct {
	*routers.Route
	pattern *regexp.Regexp // its groups are named after the path's parameters
}

var pathParameter = regexp.MustCompile(`\\\{(\w+)\\\}`)

// routes has the operations of the OpenAPI document, as any tool reads it.
var routes = sync.OnceValue(func() []route { return newRoutes(openapi.Document("http://bank.test")) })

// newRoutes returns the operations of an OpenAPI document, those with the fewest variables in their paths first.
func newRoutes(document []byte) []route {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		panic(err)
	}
	var all []route
	for path, item := range doc.Paths.Map() {
		pattern := regexp.MustCompile("^" + pathParameter.ReplaceAllString(regexp.QuoteMeta(path), "(?P<$1>[^/]+)") + "$")
		for method, op := range item.Operations() {
			all = append(all, route{&routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}, pattern})
		}
	}
	slices.SortStableFunc(all, func(a, b route) int { return strings.Count(a.Path, "{") - strings.Count(b.Path, "{") })
	return all
}

// findRoute returns the one of some routes that a request takes, and the values of its path's parameters; nil: there is
// none. HEAD has that of GET.
func findRoute(routes []route, r *http.Request, path string) (*routers.Route, map[string]string) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, route := range routes {
		match := route.pattern.FindStringSubmatch(path)
		if match == nil || route.Method != method {
			continue
		}
		values := map[string]string{}
		for i, name := range route.pattern.SubexpNames() {
			values[name] = match[i]
		}
		return route.Route, values
	}
	return nil, nil
}

// answeredIn returns the route of the operation as it is answered in a dialect that a behaviour forces, whatever the path.
func answeredIn(dialect sim.Dialect, at *routers.Route) *routers.Route {
	for _, op := range contract.AllSpoken() {
		if forced := op.In(dialect); op.ID == at.Operation.OperationID && forced != nil {
			for _, route := range routes() {
				if route.Operation.OperationID == forced.ID {
					return route.Route
				}
			}
		}
	}
	return at
}
