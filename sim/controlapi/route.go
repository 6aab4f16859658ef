package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// Route is one call of the control API: where it is, what it takes and what it answers. A query parameter that it doesn't
// declare is refused. The OpenAPI document of the control API has what the routes declare, and the tests require that all
// calls agree with it.
type Route struct {
	Method string
	Path   string // with variables, such as /v1/sandboxes/{sandbox}/reset
	Query  []Parameter

	name   string // in the OpenAPI document
	about  string // what it does; the first sentence is a summary
	body   payload
	status int // of an answer to a call that is accepted
	answer payload
	other  payload // that a query parameter asks for instead

	handle func(control, http.ResponseWriter, *http.Request) error
}

// Parameter is a query parameter.
type Parameter struct {
	Name  string
	about string
	value schema
}

// payload is a body: by its media types, the first being the usual one, a value of the Go type that it has in JSON, or a
// [schema]. Without media types there is none.
type payload struct {
	media []string
	value any
}

// The media types of bodies. A request is read whatever its own says.
const (
	jsonMedia    = "application/json"
	mergeMedia   = "application/merge-patch+json"      // RFC 7396
	yamlMedia    = "application/yaml"                  // RFC 9512
	problemMedia = "application/problem+json"          // RFC 9457
	pemMedia     = "application/pem-certificate-chain" // RFC 8555 9.1
)

// String returns the method and the path.
func (rt *Route) String() string { return rt.Method + " " + rt.Path }

// queryNames returns the names of the query parameters.
func (rt *Route) queryNames() []string {
	var names []string
	for _, p := range rt.Query {
		names = append(names, p.Name)
	}
	return names
}

// at returns a route that answers 204.
func at(method, path string, handle func(control, http.ResponseWriter, *http.Request) error, name, about string) *Route {
	return &Route{Method: method, Path: path, name: name, about: about, status: http.StatusNoContent, handle: handle}
}

// in returns a route below the path of a sandbox that answers 204. It looks up the sandbox; 404 if there is none.
func in(method, path string, handle func(control, http.ResponseWriter, *http.Request, *sandbox.Sandbox) error, name, about string) *Route {
	return at(method, "/v1/sandboxes/{sandbox}"+path, func(a control, w http.ResponseWriter, r *http.Request) error {
		sb, err := a.sandbox(r.PathValue("sandbox"))
		if err != nil {
			return err
		}
		return handle(a, w, r, sb)
	}, name, about)
}

// with adds a query parameter.
func (rt *Route) with(name, about string, value schema) *Route {
	rt.Query = append(rt.Query, Parameter{name, about, value})
	return rt
}

// takes adds a request body; without media types, it is JSON.
func (rt *Route) takes(value any, media ...string) *Route {
	rt.body = newPayload(value, media)
	return rt
}

// answers adds an answer that has a body; without media types, it is JSON.
func (rt *Route) answers(status int, value any, media ...string) *Route {
	rt.status, rt.answer = status, newPayload(value, media)
	return rt
}

// orAnswers adds another answer, which a query parameter asks for. Its media types are not those of the first.
func (rt *Route) orAnswers(value any, media ...string) *Route {
	rt.other = newPayload(value, media)
	return rt
}

func newPayload(value any, media []string) payload {
	if len(media) == 0 {
		media = []string{jsonMedia}
	}
	return payload{media, value}
}

// known returns the handle of the route. It refuses (400) query parameters that the route doesn't have before anything is
// done: a misspelt filter must not look like one that matches everything.
func (rt *Route) known(a control) handle {
	names := rt.queryNames()
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := checkQuery(r, names); err != nil {
			return err
		}
		return rt.handle(a, w, r)
	}
}

// sandbox returns a sandbox by its name; 404 if there is none.
func (a control) sandbox(name string) (*sandbox.Sandbox, error) {
	sb, ok := a.Sandboxes.Get(name)
	if !ok {
		var names []string
		a.Sandboxes.Each(func(sb *sandbox.Sandbox) { names = append(names, sb.Name()) })
		if near, ok := phrase.Nearest(name, names); ok {
			return nil, refuse(http.StatusNotFound, "there is no sandbox %s: did you mean %s?", phrase.Quote(name), phrase.Quote(near))
		}
		return nil, refuse(http.StatusNotFound, "there is no sandbox %s: POST /v1/sandboxes creates one", phrase.Quote(name))
	}
	return sb, nil
}
