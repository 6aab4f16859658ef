// Command controlapi writes the OpenAPI document of the control API from its calls and their Go types.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/controlapi/openapi"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

const (
	aboutControl = "Manages the simulator from outside of the simulated bank. " +
		"The content type of a request doesn't matter. Refusals are problem documents and change nothing. " +
		"Calls without query parameters refuse all of them."

	tokenScheme = "token"
	schemaPath  = controlapi.SchemaPath
)

func main() {
	if err := write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write writes the document to a file. Its version is 3.0.3, as that of the bank's document: more generators of clients
// read it than 3.1.
func write(file string) error {
	older, err := described().Downgrade()
	if err != nil {
		return err
	}
	var document map[string]any
	if err := json.Unmarshal(older, &document); err != nil {
		return err
	}
	finishDowngrade(document)
	indented, err := strictjson.EncodeIndented(document)
	if err != nil {
		return err
	}
	return os.WriteFile(file, indented, 0o644)
}

// finishDowngrade writes as 3.0 what Downgrade leaves of 3.1: lists of examples, whose first one it has copied, and a
// reference with a description beside it.
func finishDowngrade(part any) {
	switch part := part.(type) {
	case map[string]any:
		if _, isList := part["examples"].([]any); isList {
			delete(part, "examples")
		}
		if reference, ok := part["$ref"]; ok && len(part) > 1 {
			delete(part, "$ref")
			part["allOf"] = []any{map[string]any{"$ref": reference}}
		}
		for _, inner := range part {
			finishDowngrade(inner)
		}
	case []any:
		for _, inner := range part {
			finishDowngrade(inner)
		}
	}
}

// described returns the description of all calls.
func described() *huma.OpenAPI {
	schemas := newSchemas()
	document := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Servers: []*huma.Server{{URL: openapi.DefaultServer, Description: "The control listener."}},
		Info: &huma.Info{
			Title: "The control API of banksim", Version: "1", Description: aboutControl,
			Contact: &huma.Contact{Name: "banksim", URL: "https://github.com/digitalbanking-sim/banksim"},
			License: &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
		},
		Components: &huma.Components{
			Schemas:   schemas,
			Responses: map[string]*huma.Response{"problem": problem(schemas)},
			SecuritySchemes: map[string]*huma.SecurityScheme{tokenScheme: {
				Type: "http", Scheme: "bearer",
				Description: "The control token. A listener on loopback needs none, unless it was given one.",
			}},
		},
	}
	for _, call := range controlapi.Calls() {
		op := operationOf(call, schemas)
		document.AddOperation(op)
		subject := op.Tags[0]
		if !slices.ContainsFunc(document.Tags, func(t *huma.Tag) bool { return t.Name == subject }) {
			document.Tags = append(document.Tags,
				&huma.Tag{Name: subject, Description: "The calls about " + subject + "."})
		}
	}
	finishSchemas(document)
	addFaultSchemas(schemas.Map())
	return document
}

// operationOf returns the description of a call.
func operationOf(call controlapi.Call, schemas huma.Registry) *huma.Operation {
	summary, _, _ := strings.Cut(call.Description, ". ")
	refused := &huma.Response{Ref: "#/components/responses/problem"}
	op := &huma.Operation{
		Method: call.Method, Path: call.Path, OperationID: call.Name, Summary: strings.TrimSuffix(summary, "."),
		Description: call.Description,
		Tags:        []string{subjectOf(call.Path)},
		Security:    []map[string][]string{{}, {tokenScheme: {}}},
		Parameters:  parametersOf(call, schemas),
		Responses:   map[string]*huma.Response{"4XX": refused, "5XX": refused},
	}
	if call.IsPublic {
		op.Security = []map[string][]string{}
	}
	if call.Takes != nil {
		field, _ := call.Input.FieldByName("Body")
		of, about := reflect.New(field.Type).Interface().(controlapi.BodyType).Holds()
		body := &huma.MediaType{
			Schema: schemaOf(controlapi.Form{Of: of, About: about}, schemas), Example: exampleOf(call),
		}
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{}}
		for _, media := range call.Takes {
			op.RequestBody.Content[media] = body
		}
	}
	answer := &huma.Response{Description: http.StatusText(call.Status)}
	for _, form := range call.Answers {
		if answer.Content == nil {
			answer.Content = map[string]*huma.MediaType{}
		}
		answer.Content[form.Media] = &huma.MediaType{Schema: schemaOf(form, schemas)}
	}
	if call.Header != "" {
		answer.Headers = map[string]*huma.Param{call.Header: {Schema: text("")}}
	}
	op.Responses[strconv.Itoa(call.Status)] = answer
	if call.Alternative != "" {
		op.Responses["204"] = &huma.Response{Description: call.Alternative}
	}
	return op
}

// exampleOf returns the example of a call's body as a value, or nil if it has none.
func exampleOf(call controlapi.Call) (example any) {
	if call.Example == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(call.Example), &example); err != nil {
		panic(err) // it is our own
	}
	return example
}

// subjectOf returns what a path is about: the part after the sandbox, or the first part.
func subjectOf(path string) string {
	path = strings.TrimPrefix(path, "/v1/sandboxes/{sandbox}/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	return path[:strings.IndexAny(path+"/", "/.")]
}

// parametersOf returns the variables of the path and the parameters of the query.
func parametersOf(call controlapi.Call, schemas huma.Registry) []*huma.Param {
	var all []*huma.Param
	for _, field := range reflect.VisibleFields(call.Input) {
		for _, in := range []string{"path", "query"} {
			name := field.Tag.Get(in)
			if name == "" {
				continue
			}
			if field.Type.Kind() == reflect.String && field.Tag.Get("enum") == "" {
				if words := controlapi.Words(field); words != nil {
					field.Tag += reflect.StructTag(` enum:"` + strings.Join(words, ",") + `"`)
				}
			}
			field.Type = underlying(field.Type)
			p := &huma.Param{
				Name: name, In: in, Required: in == "path", Description: field.Tag.Get("doc"),
				Schema: huma.SchemaFromField(schemas, field, ""),
			}
			p.Schema.Description = p.Description
			all = append(all, p)
		}
	}
	return all
}

// underlying returns the type of a parameter's value.
func underlying(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Pointer:
		return t.Elem()
	case reflect.String:
		return reflect.TypeFor[string]()
	}
	return t
}

// schemaOf returns the schema of a body.
func schemaOf(form controlapi.Form, schemas huma.Registry) *huma.Schema {
	switch {
	case form.Of != nil:
		return schemas.Schema(form.Of, true, "")
	case form.IsText:
		return text(form.About)
	}
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: form.About}
}

func text(about string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: about} }

// problem returns the answer to a call that is refused.
func problem(schemas huma.Registry) *huma.Response {
	return &huma.Response{
		Description: "The call is refused, and changes nothing.",
		Headers: map[string]*huma.Param{
			"Retry-After":      {Description: "For 429 and 503, in seconds.", Schema: text("")},
			"Allow":            {Description: "For 405.", Schema: text("")},
			"WWW-Authenticate": {Description: "For 401.", Schema: text("")},
		},
		Content: map[string]*huma.MediaType{
			"application/problem+json": {Schema: schemas.Schema(reflect.TypeFor[api.Problem](), true, "")},
		},
	}
}

// newSchemas returns the schemas of the types that the calls use.
func newSchemas() huma.Registry {
	schemas := huma.NewMapRegistry(schemaPath, schemaName)
	for of, shown := range map[reflect.Type]reflect.Type{
		reflect.TypeFor[fault.Rule]():              reflect.TypeFor[faultRule](),
		reflect.TypeFor[fault.Counted]():           reflect.TypeFor[countedFault](),
		reflect.TypeFor[controlapi.FaultList]():    reflect.TypeFor[faultList](),
		reflect.TypeFor[controlapi.HeaderValues](): reflect.TypeFor[headerValues](),
		reflect.TypeFor[journal.Header]():          reflect.TypeFor[map[string][]string](),
		reflect.TypeFor[journal.Parameters]():      reflect.TypeFor[url.Values](),
		reflect.TypeFor[json.RawMessage]():         reflect.TypeFor[map[string]any](),
		reflect.TypeFor[contract.Entry]():          reflect.TypeFor[map[string]any](), // it encodes itself
	} {
		schemas.RegisterTypeAlias(of, shown)
	}
	return schemas
}

// schemaName names the schema of a type.
func schemaName(t reflect.Type, hint string) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[journal.Fault]():
		return "FaultReport"
	case reflect.TypeFor[coverage.File]():
		return "Coverage"
	case reflect.TypeFor[coverage.Run]():
		return "CoverageRun"
	case reflect.TypeFor[coverage.PointCount]():
		return "CoveragePoint"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// finishSchemas corrects what huma assumes about the types. A pointer or a map is null where there is nothing, unless
// it is left out then. Nothing else is null. A seed may be above the largest int64. A request may have no further
// members.
func finishSchemas(document *huma.OpenAPI) {
	schemas := document.Components.Schemas
	for name, schema := range schemas.Map() {
		if schema.Properties != nil {
			schema.AdditionalProperties = true // clients must be ready for members that come later
		}
		for _, member := range schema.Properties {
			member.Nullable = false
			if values, ok := member.AdditionalProperties.(*huma.Schema); ok && values.Type == huma.TypeArray {
				values.Nullable = false
			}
			if member.Minimum != nil {
				member.Format = ""
			}
		}
		for _, field := range reflect.VisibleFields(schemas.TypeFromRef(schemaPath + name)) {
			member := field.Tag.Get("json") // the tag has a comma if the member may be left out
			value := schema.Properties[member]
			kind := field.Type.Kind()
			if value == nil || kind != reflect.Pointer && kind != reflect.Map {
				continue
			}
			if value.Ref == "" && value.Type != "" {
				value.Nullable = true
				continue
			}
			about := value.Description
			value.Description = ""
			schema.Properties[member] = &huma.Schema{
				Type: huma.TypeObject, Nullable: true, AllOf: []*huma.Schema{value}, Description: about,
			}
		}
	}
	for _, path := range document.Paths {
		for _, op := range []*huma.Operation{path.Post, path.Put, path.Patch} {
			if op == nil || op.RequestBody == nil {
				continue
			}
			for _, media := range op.RequestBody.Content {
				if schema := schemas.SchemaFromRef(media.Schema.Ref); schema != nil {
					schema.AdditionalProperties = false
				}
			}
		}
	}
}

// faultRule stands for a fault rule, whose schema is the one of scenarios.
type faultRule struct{}

// Schema implements huma.SchemaProvider.
func (faultRule) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: schemaPath + "FaultRule"}
}

// countedFault stands for a fault rule with its counts.
type countedFault struct{}

// Schema implements huma.SchemaProvider.
func (countedFault) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: schemaPath + "CountedFault"}
}

// faultList stands for the three forms of a body with fault rules.
type faultList struct{}

// Schema implements huma.SchemaProvider.
func (faultList) Schema(huma.Registry) *huma.Schema {
	rule := faultRule{}.Schema(nil)
	rules := &huma.Schema{Type: huma.TypeArray, Items: rule}
	return &huma.Schema{AnyOf: []*huma.Schema{rule, rules, {
		Type: huma.TypeObject, Required: []string{"faults"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{"faults": rules},
	}}}
}

// headerValues stands for a value or a list of values.
type headerValues struct{}

// Schema implements huma.SchemaProvider.
func (headerValues) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{text(""), {Type: huma.TypeArray, Items: text("")}}}
}

// addFaultSchemas adds the schemas of fault rules, and of a rule with its counts.
func addFaultSchemas(schemas map[string]*huma.Schema) {
	sources := scenario.FaultSchemas(schemaPath)
	for name, source := range sources {
		schemas[name] = &huma.Schema{Extensions: decode(source)}
	}
	rule, counted := schemas["FaultRule"].Extensions, decode(sources["FaultRule"])
	addCounts(counted)
	schemas["CountedFault"] = &huma.Schema{Extensions: counted}
	shareOperations(rule)
	schemas["OperationPattern"] = &huma.Schema{Extensions: shareOperations(counted)}
}

// decode returns a schema of scenarios as it can be in the document.
func decode(source json.RawMessage) map[string]any {
	var schema map[string]any
	if err := json.Unmarshal(source, &schema); err != nil {
		panic(err) // the embedded schema is broken
	}
	simplify(schema)
	return schema
}

// shareOperations has the member operation of a fault rule, which is a pattern of operations or a list of them, refer
// to OperationPattern. It returns the schema of a pattern. Generators name two equal lists of words alike otherwise.
func shareOperations(rule map[string]any) (pattern map[string]any) {
	forms := rule["properties"].(map[string]any)["operation"].(map[string]any)["anyOf"].([]any)
	pattern = forms[0].(map[string]any)
	shared := map[string]any{"$ref": schemaPath + "OperationPattern"}
	forms[0], forms[1].(map[string]any)["items"] = shared, shared
	return pattern
}

// addCounts adds the members of a fault rule's counts to the schema of the rule.
func addCounts(rule map[string]any) {
	rule["description"] = "A fault rule, and for how many requests it fired."
	count := map[string]any{"type": "integer", "minimum": 0}
	members := rule["properties"].(map[string]any)
	members["matched"], members["fired"], members["effective"] = count, count, count
	members["summary"] = map[string]any{
		"type": "string", "description": "Which requests the rule fires for, in a few words.",
	}
	rule["required"] = append(rule["required"].([]any), "matched", "fired", "effective", "summary")
}

// simplify removes the keyword of a schema that only editors know, and writes a list of types as alternatives, because
// OpenAPI 3.0 has no such lists, and wants items for arrays. It allows an excluded limit: Redocly's check of examples
// takes the boolean of 3.0 for a mistake.
func simplify(part any) {
	switch part := part.(type) {
	case map[string]any:
		delete(part, "enumDescriptions")
		if limit, found := part["exclusiveMinimum"].(float64); found {
			delete(part, "exclusiveMinimum")
			part["minimum"] = limit
		}
		if types, isList := part["type"].([]any); isList && !slices.Contains(types, any("null")) {
			var alternatives []any
			for _, one := range types {
				alternative := map[string]any{"type": one}
				if one == "array" {
					alternative["items"] = map[string]any{}
				}
				alternatives = append(alternatives, alternative)
			}
			delete(part, "type")
			part["anyOf"] = alternatives
		}
		for _, inner := range part {
			simplify(inner)
		}
	case []any:
		for _, inner := range part {
			simplify(inner)
		}
	}
}
