package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// operation is a call of the control API, as its OpenAPI document describes it.
type operation struct {
	method, path string
	arguments    *jsonschema.Schema // the parameters, and the members of the body
	query        []string           // the names of those that go into the query
	takesBody    bool
	answer       *jsonschema.Schema // nil if it isn't always JSON
}

// operations returns the calls of the control API by their names.
func operations() map[string]operation {
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name, In string
				Schema   *schema
			}
			RequestBody struct{ Content contents }
			Responses   map[string]struct{ Content contents }
		}
		Components struct{ Schemas schemas }
	}
	if err := json.Unmarshal(openapi.Document("http://localhost"), &document); err != nil {
		panic(err) // it is our own
	}
	known := document.Components.Schemas
	all := map[string]operation{}
	for path, calls := range document.Paths {
		for method, call := range calls {
			op := operation{method: strings.ToUpper(method), path: path, takesBody: len(call.RequestBody.Content) > 0,
				arguments: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}}
			for _, p := range call.Parameters {
				if p.Name == "sandbox" && p.In == "path" {
					p.Schema.Description = "Its name. Default: the shared one, default."
				}
				op.arguments.Properties[p.Name] = known.simplified(p.Schema, 1)
				if p.In == "query" {
					op.query = append(op.query, p.Name)
				} else if p.Name != "sandbox" {
					op.arguments.Required = append(op.arguments.Required, p.Name)
				}
			}
			if body := call.RequestBody.Content[jsonMedia].Schema; body != nil {
				maps.Copy(op.arguments.Properties, known.simplified(body, 2).Properties)
				op.arguments.Required = append(op.arguments.Required, known.resolved(body).Required...)
			}
			for status, response := range call.Responses {
				answer := response.Content[jsonMedia].Schema
				if _, mayBeEmpty := call.Responses["204"]; answer != nil && !mayBeEmpty && status[0] == '2' {
					op.answer = known.simplified(answer, 1)
				}
			}
			all[call.OperationID] = op
		}
	}
	return all
}

const jsonMedia = "application/json"

// contents has the schemas of a body, by its media types.
type contents map[string]struct{ Schema *schema }

// schema has the keywords of a schema of OpenAPI 3.0 that a model is told.
type schema struct {
	Ref               string `json:"$ref"`
	Type, Description string
	Enum              []any
	Items             *schema
	Properties        map[string]*schema
	Required          []string
	AllOf, AnyOf      []*schema
}

// schemas are the ones that others refer to, by their names.
type schemas map[string]*schema

// simplified returns a schema for clients that know few keywords: without references, with one type for each member,
// and without members of objects that lie within more than depth others. Nothing is required: a result leaves out what
// is null, and what it has no room for.
func (all schemas) simplified(s *schema, depth int) *jsonschema.Schema {
	of := all.resolved(s)
	simple := &jsonschema.Schema{Type: of.Type, Description: s.Description, Enum: of.Enum}
	if of.Items != nil {
		simple.Items = all.simplified(of.Items, depth)
	}
	if depth > 0 && len(of.Properties) > 0 {
		simple.Properties = map[string]*jsonschema.Schema{}
		for name, member := range of.Properties {
			simple.Properties[name] = all.simplified(member, depth-1)
		}
	}
	return simple
}

// resolved returns the schema that a schema refers to. Of alternatives, it is the first one.
func (all schemas) resolved(s *schema) *schema {
	switch {
	case s.Ref != "":
		return all.resolved(all[s.Ref[strings.LastIndex(s.Ref, "/")+1:]])
	case len(s.AllOf) > 0:
		return all.resolved(s.AllOf[0])
	case len(s.AnyOf) > 0:
		return all.resolved(s.AnyOf[0])
	}
	return s
}

// request returns the target and the body of the call. Without an argument sandbox, it is about the default one. The
// body is the argument named whole, or has the arguments that go nowhere else, or is nil.
func (op operation) request(in object, whole string) (target string, body any) {
	rest := object{"sandbox": sandbox.Default}
	maps.Copy(rest, in)
	target = placeholder().ReplaceAllStringFunc(op.path, func(braced string) string {
		name := strings.Trim(braced, "{}")
		value := rest[name]
		delete(rest, name)
		return url.PathEscape(fmt.Sprint(value))
	})
	query := url.Values{}
	for _, name := range op.query {
		if value, given := rest[name]; given {
			query.Set(name, fmt.Sprint(value))
			delete(rest, name)
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	delete(rest, "sandbox")
	if text, given := rest[whole].(string); given {
		return target, api.Raw(text)
	}
	if len(rest) > 0 && op.takesBody {
		body = rest
	}
	return target, body
}

// call makes the call and returns its answer, or nil if the answer is empty.
func (op operation) call(ctx context.Context, bank *api.Client, in object, whole string) (object, error) {
	target, body := op.request(in, whole)
	data, err := bank.Read(ctx, op.method, target, body)
	if err != nil || len(data) == 0 {
		return nil, inTools(err)
	}
	answer, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of the control API: %w", err)
	}
	return answer, nil
}

// toolRemedies has the tool for each call of the control API that a refusal names.
var toolRemedies = strings.NewReplacer(
	"POST /v1/sandboxes creates one", "create_sandbox creates one, list_sandboxes lists them",
	"GET …/faults lists them", "list_faults lists them",
	"GET …/state lists them", "read_state lists them",
)

// inTools returns the problem of a refused call, with remedies that are tools. It returns any other error unchanged.
func inTools(err error) error {
	var refusal *api.Refusal
	if errors.As(err, &refusal) && refusal.Problem != nil && refusal.Status != http.StatusUnauthorized {
		return errors.New(toolRemedies.Replace(refusal.Problem.Error()))
	}
	return err
}
