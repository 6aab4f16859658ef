package simtest

import (
	"net/http"
	"regexp"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

// route is an operation of the OpenAPI document with the pattern of its paths.
type route struct {
	*routers.Route
	pattern *regexp.Regexp // its groups are named after the path's parameters
}

var pathParameter = regexp.MustCompile(`\\\{(\w+)\\\}`)

// routes returns the operations of the OpenAPI document, as any tool reads it.
var routes = sync.OnceValue(func() []route {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document())
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
	return all
})

// findRoute returns the route of a request and the values of its path's parameters; nil: there is none. HEAD has that of GET.
func findRoute(r *http.Request, path string) (*routers.Route, map[string]string) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, route := range routes() {
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
