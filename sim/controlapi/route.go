package controlapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

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

	name    string // in the OpenAPI document
	about   string // what it does; the first sentence is a summary
	body    payload
	isLarge bool // whether what it answers, or makes for that, may be large
	status  int  // of an answer to a call that is accepted
	answer  payload
	other   payload // that a query parameter asks for instead

	handle func(control, http.ResponseWriter, *http.Request) error
}

// Parameter is a query parameter: a text, a word or a whole number.
type Parameter struct {
	Name  string
	about string

	words       []string // that it can be; nil: any
	isNumber    bool
	least, most int
}

// check refuses (400) a value that the parameter can't have.
func (p Parameter) check(value string) error {
	if p.words != nil && !slices.Contains(p.words, value) {
		return refuse(http.StatusBadRequest, "%s can't be %s%s", p.Name, phrase.Quote(value),
			phrase.DidYouMean(value, p.words, "it can be"))
	}
	if n, err := strconv.Atoi(value); p.isNumber && (err != nil || n < p.least || n > p.most) {
		return refuse(http.StatusBadRequest, "%s must be a whole number from %d to %d, not %s",
			p.Name, p.least, p.most, phrase.Quote(value))
	}
	return nil
}

// schema is a JSON Schema (draft 2020-12), as OpenAPI 3.1 has it.
type schema map[string]any

const schemaPath = "#/components/schemas/"

func aText(about string) schema    { return schema{"type": "string", "description": about} }
func anObject(about string) schema { return schema{"type": "object", "description": about} }
func listOf(items schema) schema   { return schema{"type": "array", "items": items} }
func ref(component string) schema  { return schema{"$ref": schemaPath + component} }

// payload is a body: by its media types, the first being the usual one, a value of the Go type that it has in JSON, or a
// [schema]. Without media types there is none.
type payload struct {
	media []string
	value any
}

// The media types of bodies. A request is read whatever its own says.
const (
	jsonMedia  = "application/json"
	mergeMedia = "application/merge-patch+json"      // RFC 7396
	yamlMedia  = "application/yaml"                  // RFC 9512
	pemMedia   = "application/pem-certificate-chain" // RFC 8555 9.1
	plainText  = "text/plain; charset=utf-8"
)

// String returns the method and the path.
func (rt *Route) String() string { return rt.Method + " " + rt.Path }

// at returns a route that answers 204.
func at(method, path string, handle func(control, http.ResponseWriter, *http.Request) error, name, about string) *Route {
	return &Route{Method: method, Path: path, name: name, about: about, status: http.StatusNoContent, handle: handle}
}

// in returns a route below the path of a sandbox that answers 204. If the sandbox doesn't exist, it answers
// 404.
func in(method, path string, handle func(control, http.ResponseWriter, *http.Request, bank) error, name, about string) *Route {
	return at(method, "/v1/sandboxes/{sandbox}"+path, func(a control, w http.ResponseWriter, r *http.Request) error {
		sb, err := a.sandbox(r.Context(), r.PathValue("sandbox"))
		if err != nil {
			return err
		}
		return handle(a, w, r, sb)
	}, name, about)
}

// taking is in for a call by POST that takes a JSON object, which it reads.
func taking[T any](
	path string, handle func(control, http.ResponseWriter, *http.Request, bank, T) error, name, about string,
) *Route {
	var none T
	return in("POST", path, func(a control, w http.ResponseWriter, r *http.Request, sb bank) error {
		var body T
		if err := decode(r, &body); err != nil {
			return err
		}
		return handle(a, w, r, sb, body)
	}, name, about).takes(none)
}

// with adds a query parameter that is one of some words or, without them, any text.
func (rt *Route) with(name, about string, words ...string) *Route {
	rt.Query = append(rt.Query, Parameter{Name: name, about: about, words: words})
	return rt
}

// withNumber adds a query parameter that is a whole number.
func (rt *Route) withNumber(name, about string, least, most int) *Route {
	rt.Query = append(rt.Query, Parameter{Name: name, about: about, isNumber: true, least: least, most: most})
	return rt
}

// takes adds a request body; without media types, it is JSON.
func (rt *Route) takes(value any, media ...string) *Route {
	rt.body = newPayload(value, media)
	return rt
}

// large says that what the call answers, or makes for that, may be large.
func (rt *Route) large() *Route {
	rt.isLarge = true
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

// checked returns the handle of the route. It refuses (400) a query that the route doesn't take before anything is done: a misspelt
// filter must not look like one that matches everything.
func (rt *Route) checked(a control) handle {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := rt.check(r.URL.RawQuery); err != nil {
			return err
		}
		if rt.isLarge && a.Answers != nil {
			if !a.Answers.TryAcquire(largeWeight) {
				return refuse(http.StatusServiceUnavailable, "too many large answers are being written: ask again later")
			}
			defer a.Answers.Release(largeWeight)
		}
		if err := allowTime(w, r); err != nil {
			return err
		}
		return rt.handle(a, w, r)
	}
}

// callTimeout is how long a call may take (choice). A call about a bank of many rows uses the store several times, and
// each use has a time limit of its own.
const callTimeout = 5 * time.Minute

// allowTime reads the body, and then gives the call more time than the listener does. Without it, net/http would end
// the context of the call at the listener's time limit for reading.
func allowTime(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	controller := http.NewResponseController(w)
	_ = controller.SetReadDeadline(time.Time{}) // a writer without deadlines needs none
	_ = controller.SetWriteDeadline(time.Now().Add(callTimeout))
	return nil
}

// check refuses (400) a query with an unknown parameter, one that is given twice, or a value that it can't have.
func (rt *Route) check(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return refuse(http.StatusBadRequest, "the query is not name=value pairs, joined by & and escaped with %%")
	}
	var names []string
	for _, p := range rt.Query {
		names = append(names, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.Index(names, name)
		switch {
		case len(names) == 0:
			return refuse(http.StatusBadRequest, "unknown query parameter %s: this call has none", phrase.Quote(name))
		case i < 0:
			return refuse(http.StatusBadRequest, "unknown query parameter %s%s", phrase.Quote(name),
				phrase.DidYouMean(name, names, "the parameters are"))
		case len(values[name]) > 1:
			return refuse(http.StatusBadRequest, "query parameter %s is given twice", name)
		}
		if err := rt.Query[i].check(values.Get(name)); err != nil {
			return err
		}
	}
	return nil
}

// bank is the sandbox that a call names, as it is when the call comes.
type bank struct {
	*sandbox.Sandbox
	now sandbox.View
}

// sandbox returns a sandbox by its name. It refuses (404) a name that no sandbox has.
func (a control) sandbox(ctx context.Context, name string) (found bank, err error) {
	err = a.Sandboxes.Use(ctx, name, func(sb *sandbox.Sandbox) error {
		found.Sandbox = sb
		found.now, err = sb.Latest(ctx)
		return err
	})
	if errors.Is(err, sandbox.ErrNoSandbox) {
		var names []string
		for _, sb := range a.Sandboxes.All() {
			names = append(names, sb.Name())
		}
		if near, ok := phrase.Nearest(name, names); ok {
			return found, refuse(http.StatusNotFound, "there is no sandbox %s: did you mean %s?", phrase.Quote(name), phrase.Quote(near))
		}
		return found, refuse(http.StatusNotFound, "there is no sandbox %s: POST /v1/sandboxes creates one", phrase.Quote(name))
	}
	return found, err
}
