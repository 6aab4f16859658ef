package simtest

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	controlopenapi "github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
)

// document is an OpenAPI document as any tool reads it, whatever server its calls go to.
type document struct {
	*openapi3.T
	router routers.Router
}

func newDocument(data []byte) document {
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		panic(err)
	}
	doc.Servers = nil
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return document{doc, router}
}

// bankDocument is the document of the bank API.
var bankDocument = sync.OnceValue(func() document { return newDocument(openapi.Document("http://bank.test")) })

// controlDocument is the document of the control API. An object that is answered may have no other members than it has,
// though clients must be ready for more.
var controlDocument = sync.OnceValue(func() document {
	doc := newDocument(controlopenapi.Document("http://control.test"))
	no := false
	for _, schema := range doc.Components.Schemas {
		if schema.Value.Properties != nil {
			schema.Value.AdditionalProperties.Has = &no
		}
	}
	return doc
})

// find returns the document's operation for a method and a path, or nil. HEAD has what GET has.
func (d document) find(method, path string) *openapi3filter.RequestValidationInput {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return nil
	}
	at := &http.Request{Method: method, URL: &url.URL{Path: decoded, RawPath: path}}
	route, values, err := d.router.FindRoute(at)
	if err != nil {
		return nil
	}
	return &openapi3filter.RequestValidationInput{Route: route, PathParams: values,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
}

// answeredIn returns the operation in the dialect that a behaviour forces, for any path.
func (d document) answeredIn(dialect sim.Dialect, at *routers.Route) *routers.Route {
	for _, op := range contract.AllOperations() {
		if forced := contract.In(dialect).Operation(op.Name); op.ID == at.Operation.OperationID && forced != nil {
			if in := d.find(forced.Method, strings.NewReplacer("{", "", "}", "").Replace(forced.Path)); in != nil {
				return in.Route
			}
		}
	}
	return at
}
