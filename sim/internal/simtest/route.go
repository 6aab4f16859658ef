package simtest

import (
	"net/http"
	"regexp"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
)

// Route is an operation of the OpenAPI document with the pattern of its paths.
type Route struct {
	routers.Route
	pattern    *regexp.Regexp
	parameters []string // of the path
}

// Routes returns the operations of the OpenAPI document, as any tool reads it.
var Routes = sync.OnceValue(func() []Route {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		panic(err)
	}
	variable := regexp.MustCompile(`\\\{(\w+)\\\}`)
	var all []Route
	for path, item := range doc.Paths.Map() {
		quoted := regexp.QuoteMeta(path)
		var parameters []string
		for _, match := range variable.FindAllStringSubmatch(quoted, -1) {
			parameters = append(parameters, match[1])
		}
		pattern := regexp.MustCompile("^" + variable.ReplaceAllString(quoted, "([^/]+)") + "$")
		for method, op := range item.Operations() {
			all = append(all, Route{routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}, pattern, parameters})
		}
	}
	return all
})

// RouteOf returns the route of an operation.
func RouteOf(operation string) Route {
	for _, route := range Routes() {
		if route.Operation.OperationID == operation {
			return route
		}
	}
	panic("the OpenAPI document has no operation " + operation)
}

// MethodsAt returns the methods that a path has, sorted.
func MethodsAt(path string) []string {
	var methods []string
	for _, route := range Routes() {
		if route.pattern.MatchString(path) {
			methods = append(methods, route.Method)
		}
	}
	slices.Sort(methods)
	return methods
}

// find returns the route of a request and the values of its path's parameters; nil: there is none.
func find(r *http.Request, path string) (*Route, map[string]string) {
	for i := range Routes() {
		route := &Routes()[i]
		if route.Method != r.Method {
			continue
		}
		if match := route.pattern.FindStringSubmatch(path); match != nil {
			values := map[string]string{}
			for i, name := range route.parameters {
				values[name] = match[i+1]
			}
			return route, values
		}
	}
	return nil, nil
}
