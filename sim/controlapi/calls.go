package controlapi

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// The media types of bodies. A request is read as what the call takes, whatever its Content-Type says.
const (
	jsonMedia  = "application/json"
	mergeMedia = "application/merge-patch+json"      // RFC 7396
	yamlMedia  = "application/yaml"                  // RFC 9512
	pemMedia   = "application/pem-certificate-chain" // RFC 8555 9.1
	linesMedia = "application/x-ndjson"              // a convention
	plainText  = "text/plain; charset=utf-8"
)

// Call is a call of the control API: its description, and the function that serves it.
type Call struct {
	Method, Path string // the path as http.ServeMux takes it, such as /v1/sandboxes/{sandbox}
	Name         string
	Description  string // the first sentence is the summary
	IsPublic     bool   // whether the call needs no token

	// Input is a struct. The tags path and query name the variable or the parameter that a field is filled from, and
	// doc, enum, minimum, maximum and default describe the parameter. With minLength the parameter must not be empty.
	// The field Body has the body. It is a [BodyType].
	Input reflect.Type
	Takes []string // the media types of the body: the first one is what a client should name
	// Example is a body in JSON. A sandbox of the scenario retail takes it for institution 02688, user 1001 and
	// account acc-1001-checking.
	Example string

	Status  int    // of an answer, unless the call is refused
	Header  string // a header that the answer has, or ""
	Answers []Form // what the body of the answer can be; none without a body
	// Alternative says when the answer is 204, or is "" if it never is.
	Alternative string

	parameters []parameter
	isLarge    bool // whether the answer counts in the allowance for large answers
	needsWrite bool // whether a token needs the right to write
	isAboutAll bool // whether a token needs the right to all sandboxes
	handle     func(ctx context.Context, in any) (out any, err error)
}

// Form is what a body can be.
type Form struct {
	Media  string
	Of     reflect.Type // whose JSON the body is, or nil
	About  string       // says what a body without a type is
	IsText bool         // whether such a body is a text, and no object
}

// calls returns all calls. To add one, write an input type, a handler, and a line in the function of the subject. An
// input type may embed others, such as [SandboxPath].
func (c control) calls() []Call {
	return slices.Concat(
		c.simulatorCalls(), c.scenarioCalls(), c.inferCalls(), c.sandboxCalls(), c.requestCalls(), c.stateCalls(),
		c.snapshotCalls(), c.rowCalls(), c.tokenCalls(), c.clockCalls(), c.faultCalls(), c.journalCalls(),
		c.verdictCalls(),
	)
}

// Calls returns all calls, to describe them.
func Calls() []Call { return control{}.calls() }

// newCall returns a call whose answer is a value of the type Out in JSON. Three types of Out have another answer:
// [nothing], [stream] and types that implement [headed].
func newCall[In, Out any](
	method, path, name, description string, handle func(context.Context, *In) (Out, error),
) Call {
	call := Call{
		Method: method, Path: path, Name: name, Description: description, Input: reflect.TypeFor[In](),
		Status: http.StatusOK, needsWrite: method != http.MethodGet,
		handle: func(ctx context.Context, in any) (any, error) { return handle(ctx, in.(*In)) },
	}
	call.parameters = queryOf(call.Input)
	if _, has := call.Input.FieldByName("Body"); has {
		call.Takes = []string{jsonMedia}
	}
	var out Out
	switch out := any(out).(type) {
	case nothing:
		call.Status = http.StatusNoContent
	case stream:
	case headed:
		call.Header, _ = out.header()
		call.Answers = []Form{{Media: jsonMedia, Of: reflect.TypeOf(out.content())}}
	default:
		call.Answers = []Form{{Media: jsonMedia, Of: reflect.TypeFor[Out]()}}
	}
	return call
}

// sandboxPath is the path of a sandbox.
const sandboxPath = "/v1/sandboxes/{sandbox}"

// inSandbox returns a call below the path of a sandbox. Its function gets the sandbox.
func inSandbox[In interface{ sandboxName() string }, Out any](
	c control, method, path, name, description string, handle func(context.Context, bank, *In) (Out, error),
) Call {
	return newCall(method, sandboxPath+path, name, description, func(ctx context.Context, in *In) (out Out, err error) {
		b, err := c.find(ctx, (*in).sandboxName()) // In has the method, not its pointer
		if err != nil {
			return out, err
		}
		return handle(ctx, b, in)
	})
}

// public returns the call as one that needs no token.
func (c Call) public() Call {
	c.IsPublic = true
	return c
}

// reads returns the call as one that changes nothing, whatever its method.
func (c Call) reads() Call {
	c.needsWrite = false
	return c
}

// aboutAll returns the call as one about all sandboxes together.
func (c Call) aboutAll() Call {
	c.isAboutAll = true
	return c
}

// created returns the call as one that answers 201.
func (c Call) created() Call {
	c.Status = http.StatusCreated
	return c
}

// answers returns the call as one whose answer can be something that has no Go type: a scenario, or a text.
func (c Call) answers(media, about string) Call {
	c.Answers = append(slices.Clip(c.Answers), Form{Media: media, About: about, IsText: media != yamlMedia})
	return c
}

// takes returns the call as one whose body has one of some media types.
func (c Call) takes(media ...string) Call {
	c.Takes = media
	return c
}

// example gives the call an example of its body.
func (c Call) example(body string) Call {
	c.Example = body
	return c
}

// large returns the call as one whose answer may be large: the JSON of a type, or nil. It counts in the allowance for
// large answers, and is written piece by piece.
func (c Call) large(of reflect.Type) Call {
	c.isLarge = true
	if of != nil {
		c.Answers = append(slices.Clip(c.Answers), Form{Media: jsonMedia, Of: of})
	}
	return c
}

// nothing is the answer without a body.
type nothing struct{}

// done returns the answer without a body, or the error.
func done(err error) (nothing, error) { return nothing{}, err }

// stream writes an answer.
type stream func(http.ResponseWriter, *http.Request)

// headed is an answer in JSON that has a header of its own.
type headed interface {
	header() (name, value string)
	content() any
}

// serve serves a call. An error of its function that is no refusal is logged, and answered with 500.
func (c control) serve(of Call, w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if refused := of.refuseToken(rightsIn(ctx)); refused != nil {
		writeProblem(w, refused)
		return
	}
	in, refused := of.read(w, r)
	if refused != nil {
		writeProblem(w, refused)
		return
	}
	if of.isLarge {
		lease := c.Sandboxes.Requests().Lease()
		defer lease.Release()
		if refused := takeLarge(&lease); refused != nil {
			writeProblem(w, refused)
			return
		}
		ctx = context.WithValue(ctx, largeLease{}, &lease)
	}
	out, err := of.handle(ctx, in)
	if err != nil {
		refused := refusalOf(err)
		switch {
		case refused == nil && ctx.Err() != nil: // nobody reads the answer
			refused = refuse(http.StatusServiceUnavailable, "the client has disconnected")
		case refused == nil:
			c.Log.Error("control request failed", "method", of.Method, "path", of.Path, "error", err)
			refused = failure()
		}
		writeProblem(w, refused)
		return
	}
	switch answer := out.(type) {
	case nothing:
		w.WriteHeader(of.Status)
		return
	case stream:
		answer(w, r.WithContext(ctx))
		return
	case headed:
		w.Header().Set(answer.header())
		out = answer.content()
	}
	writeJSON(w, jsonMedia, of.Status, out)
}

// refuseToken refuses a call that the caller's token has no right to. Sandboxes that it may not use are not found; see
// [control.find].
func (c Call) refuseToken(may rights) *refusal {
	switch {
	case c.needsWrite && !may.writes:
		return refuse(http.StatusForbidden, "the token %s may read, and this call needs one that may write", may.name)
	case c.isAboutAll && !may.hasAll():
		return may.refuseAll()
	}
	return nil
}

// refuseAll refuses (403) a call about all sandboxes.
func (r rights) refuseAll() *refusal {
	return refuse(http.StatusForbidden, "the token %s may use the sandboxes %s, and this call is about all sandboxes",
		r.name, strings.Join(r.sandboxes, ", "))
}

// read reads a request as the input of the call.
func (c Call) read(w http.ResponseWriter, r *http.Request) (in any, refused *refusal) {
	query, refused := c.readQuery(r.URL.RawQuery)
	if refused != nil {
		return nil, refused
	}
	body, refused := readBody(w, r)
	if refused != nil {
		return nil, refused
	}
	input := reflect.New(c.Input)
	for _, field := range reflect.VisibleFields(c.Input) {
		if name := field.Tag.Get("path"); name != "" {
			input.Elem().FieldByIndex(field.Index).SetString(r.PathValue(name))
		}
	}
	for _, p := range c.parameters {
		p.set(input.Elem().FieldByIndex(p.field), query.Get(p.name))
	}
	switch field := input.Elem().FieldByName("Body"); {
	case field.IsValid():
		field.Addr().Interface().(BodyType).set(body)
	case c.needsWrite && len(bytes.TrimSpace(body)) > 0: // it was meant to say something
		return nil, refuse(http.StatusBadRequest, "this call takes no body: leave it out")
	}
	if caller, ok := input.Interface().(interface{ setCaller(string) }); ok {
		caller.setCaller(cmp.Or(rightsIn(r.Context()).name, addressOf(r.RemoteAddr)))
	}
	return input.Interface(), nil
}

// writeJSON answers with a value as JSON and a line break.
func writeJSON(w http.ResponseWriter, media string, status int, value any) {
	body := append(strictjson.MustEncode(value), '\n')
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = pieceWriter{w}.Write(body) // it fails if the client is gone, and then nobody can be told
}
