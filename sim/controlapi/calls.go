package controlapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/digitalbanking-sim/banksim/sim/api"
)

// The media types of bodies. A request is read as what the call takes, whatever its Content-Type says.
const (
	jsonMedia  = "application/json"
	mergeMedia = "application/merge-patch+json"      // RFC 7396
	yamlMedia  = "application/yaml"                  // RFC 9512
	pemMedia   = "application/pem-certificate-chain" // RFC 8555 9.1
	plainText  = "text/plain; charset=utf-8"
)

// register adds all calls to a mux and returns their description. To add a call, write an input and an output type,
// a handler, and a line with [add] or [addLarge] in the function of the subject. An input type may embed others, such
// as [SandboxPath]: their names are exported, because huma reads no others.
func (c control) register(mux *http.ServeMux) *huma.OpenAPI {
	a := humago.New(mux, newAPIConfig())
	a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[api.Problem](), true, "")
	a.UseMiddleware(checkQuery, allowSize, readBody)
	for _, subject := range []func(huma.API){
		c.addSimulatorCalls, c.addScenarioCalls, c.addInferCalls, c.addSandboxCalls, c.addRequestCalls, c.addStateCalls,
		c.addSnapshotCalls, c.addRowCalls, c.addTokenCalls, c.addClockCalls, c.addFaultCalls, c.addJournalCalls,
		c.addVerdictCall,
	} {
		subject(a)
	}
	return a.OpenAPI()
}

// call describes a call: its operation in the OpenAPI document.
type call struct {
	huma.Operation
	bodyMedia []string // further media types that the request body may have
}

// newCall describes a call. The first sentence of the description is the summary.
func newCall(method, path, name, description string) call {
	summary, _, _ := strings.Cut(description, ". ")
	refused := &huma.Response{Ref: "#/components/responses/problem"}
	return call{Operation: huma.Operation{
		Method: method, Path: path, OperationID: name, Summary: strings.TrimSuffix(summary, "."),
		Description:      description,
		Tags:             []string{subjectOf(path)},
		Security:         []map[string][]string{{}, {tokenScheme: {}}},
		Responses:        map[string]*huma.Response{"4XX": refused, "5XX": refused},
		SkipValidateBody: true, SkipValidateParams: true, // body and checkQuery validate instead
		MaxBodyBytes: -1, BodyReadTimeout: -1, // readBody limits both
	}}
}

// sandboxPath is the path of a sandbox.
const sandboxPath = "/v1/sandboxes/{sandbox}"

// inSandbox describes a call below the path of a sandbox.
func inSandbox(method, path, name, description string) call {
	return newCall(method, sandboxPath+path, name, description)
}

// subjectOf returns what a path is about: the part after the sandbox, or the first part.
func subjectOf(path string) string {
	path = strings.TrimPrefix(path, sandboxPath+"/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	return path[:strings.IndexAny(path+"/", "/.")]
}

// public describes a call that needs no token.
func (c call) public() call {
	c.Security = []map[string][]string{}
	return c
}

// created describes a call that answers 201.
func (c call) created() call {
	c.DefaultStatus = http.StatusCreated
	return c
}

// answers describes an answer (200) that is not JSON, or not always.
func (c call) answers(media string, schema *huma.Schema) call {
	if c.Responses["200"] == nil {
		c.Responses["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{}}
	}
	c.Responses["200"].Content[media] = &huma.MediaType{Schema: schema}
	return c
}

// takesAlso describes a call whose body may have further media types.
func (c call) takesAlso(media ...string) call {
	c.bodyMedia = media
	return c
}

// text is the schema of a text that has no Go type.
func text(about string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: about} }

// anyObject is the schema of an object that has no Go type.
func anyObject(about string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: about}
}

// answer is an answer in JSON.
type answer[T any] struct{ Body T }

// reply returns an answer, or the error.
func reply[T any](body T, err error) (*answer[T], error) {
	if err != nil {
		return nil, err
	}
	return &answer[T]{body}, nil
}

// noBody is an empty input or answer.
type noBody struct{}

// done returns an answer without a body, or the error.
func done(err error) (*noBody, error) { return nil, err }

// bytesAnswer is an answer that is not JSON.
type bytesAnswer struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// add registers a call. An error of the handler that is no refusal is logged, and answered with 500.
func add[In, Out any](c control, a huma.API, of call, handle func(context.Context, *In) (*Out, error)) {
	huma.Register(a, of.Operation, func(ctx context.Context, in *In) (*Out, error) {
		out, err := handle(ctx, in)
		if err == nil {
			return out, nil
		}
		if refused := refusalOf(err); refused != nil {
			return nil, refused
		}
		c.Log.Error("control request failed", "method", of.Method, "path", of.Path, "error", err)
		return nil, failure()
	})
	if body := operationOf(a.OpenAPI().Paths[of.Path], of.Method).RequestBody; body != nil {
		body.Required = false // handlers say better what is missing
		for _, first := range body.Content {
			for _, media := range of.bodyMedia {
				body.Content[media] = first
			}
			break
		}
	}
}

// withSandbox returns the handler of a call about a sandbox, from a function that gets the sandbox.
func withSandbox[In interface{ sandboxName() string }, Out any](
	c control, handle func(context.Context, bank, *In) (*Out, error),
) func(context.Context, *In) (*Out, error) {
	return func(ctx context.Context, in *In) (*Out, error) {
		b, err := c.find(ctx, (*in).sandboxName())
		if err != nil {
			return nil, err
		}
		return handle(ctx, b, in)
	}
}

// addLarge registers a call whose answer may be large. It counts in the allowance for large answers, and is written
// piece by piece. T is the type of the answer in JSON.
func addLarge[T, In any](
	c control, a huma.API, of call, handle func(context.Context, *In) (*huma.StreamResponse, error),
) {
	of = of.answers(jsonMedia, a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, ""))
	of.Middlewares = append(of.Middlewares, c.allowLarge)
	add(c, a, of, handle)
}

// operationOf returns the operation of a path that has a method.
func operationOf(path *huma.PathItem, method string) *huma.Operation {
	return map[string]*huma.Operation{
		"GET": path.Get, "POST": path.Post, "PUT": path.Put, "PATCH": path.Patch, "DELETE": path.Delete,
	}[method]
}
