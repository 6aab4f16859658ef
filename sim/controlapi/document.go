package controlapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digitalbanking-sim/banksim/sim/contract"
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
	aboutScenario = "A scenario. Its JSON Schema is what banksim print schema prints."

	tokenScheme = "token"
	schemaPath  = "#/components/schemas/"
)

// Document returns the OpenAPI document of the control API (version 3.1.0) in JSON, for a control API at a URL.
func Document(server string) []byte {
	described := *described()
	described.Servers = []*huma.Server{{URL: server, Description: "The control listener."}}
	indented, err := strictjson.EncodeIndented(&described)
	if err != nil {
		panic(err) // a mistake in a type
	}
	return indented
}

// described returns the description of all calls. The schemas that it adds are not needed to serve the calls.
var described = sync.OnceValue(func() *huma.OpenAPI {
	document := control{}.register(http.NewServeMux())
	finishSchemas(document)
	addFaultSchemas(document.Components.Schemas.Map())
	return document
})

// newAPIConfig returns the part of the document that is not about calls.
func newAPIConfig() huma.Config {
	schemas := huma.NewMapRegistry(schemaPath, schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[fault.Rule](), reflect.TypeFor[faultRule]())
	schemas.RegisterTypeAlias(reflect.TypeFor[fault.Counted](), reflect.TypeFor[countedFault]())
	schemas.RegisterTypeAlias(reflect.TypeFor[journal.Header](), reflect.TypeFor[map[string][]string]())
	schemas.RegisterTypeAlias(reflect.TypeFor[journal.Parameters](), reflect.TypeFor[url.Values]())
	schemas.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]any]())
	schemas.RegisterTypeAlias(reflect.TypeFor[contract.Entry](), reflect.TypeFor[map[string]any]()) // it encodes itself
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "The control API of banksim", Version: "1", Description: aboutControl,
				Contact: &huma.Contact{Name: "banksim", URL: "https://github.com/digitalbanking-sim/banksim"},
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Components: &huma.Components{
				Schemas: schemas,
				Responses: map[string]*huma.Response{"problem": {
					Description: "The call is refused, and changes nothing.",
					Headers: map[string]*huma.Param{
						"Retry-After":      {Description: "For 429 and 503, in seconds.", Schema: text("")},
						"Allow":            {Description: "For 405.", Schema: text("")},
						"WWW-Authenticate": {Description: "For 401.", Schema: text("")},
					},
					Content: map[string]*huma.MediaType{
						problemMedia: {Schema: &huma.Schema{Ref: schemaPath + "Problem"}},
					},
				}},
				SecuritySchemes: map[string]*huma.SecurityScheme{tokenScheme: {
					Type: "http", Scheme: "bearer",
					Description: "The control token. A listener on loopback needs none, unless it was given one.",
				}},
			},
			OnAddOperation: []huma.AddOpFunc{addTag},
		},
		Formats:       map[string]huma.Format{jsonMedia: format, "json": format}, // "json" is for problem+json
		DefaultFormat: jsonMedia,
	}
	config.AllowAdditionalPropertiesByDefault = true // clients must be ready for members that come later
	return config
}

// addTag describes the subject of an operation that is the first one about it.
func addTag(document *huma.OpenAPI, op *huma.Operation) {
	subject := op.Tags[0]
	for _, tag := range document.Tags {
		if tag.Name == subject {
			return
		}
	}
	document.Tags = append(document.Tags, &huma.Tag{Name: subject, Description: "The calls about " + subject + "."})
}

// schemaName names the schema of a type.
func schemaName(t reflect.Type, hint string) string {
	switch t {
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
// members. huma's own problem type isn't used.
func finishSchemas(document *huma.OpenAPI) {
	schemas := document.Components.Schemas
	delete(schemas.Map(), "ErrorModel")
	delete(schemas.Map(), "ErrorDetail")
	for name, schema := range schemas.Map() {
		for _, member := range schema.Properties {
			member.Nullable = false
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
			about := value.Description
			value.Description = ""
			schema.Properties[member] = &huma.Schema{
				AnyOf: []*huma.Schema{value, {Type: "null"}}, Description: about,
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

// addFaultSchemas adds the schemas of fault rules, and of a rule with its counts.
func addFaultSchemas(schemas map[string]*huma.Schema) {
	for name, source := range scenario.FaultSchemas(schemaPath) {
		var schema map[string]any
		if err := json.Unmarshal(source, &schema); err != nil {
			panic(err) // the embedded schema is broken
		}
		removeEditorKeywords(schema)
		schemas[name] = &huma.Schema{Extensions: schema}
		if name == "FaultRule" {
			schemas["CountedFault"] = &huma.Schema{Extensions: withCounts(source)}
		}
	}
}

// withCounts returns the schema of a fault rule with the members that its counts add.
func withCounts(rule json.RawMessage) map[string]any {
	var schema map[string]any
	_ = json.Unmarshal(rule, &schema) // addFaultSchemas has found no error in it
	removeEditorKeywords(schema)
	schema["description"] = "A fault rule, and for how many requests it fired."
	count := map[string]any{"type": "integer", "minimum": 0}
	members := schema["properties"].(map[string]any)
	members["matched"], members["fired"], members["effective"] = count, count, count
	schema["required"] = append(schema["required"].([]any), "matched", "fired", "effective", "summary")
	members["summary"] = map[string]any{
		"type": "string", "description": "Which requests the rule fires for, in a few words.",
	}
	return schema
}

// removeEditorKeywords removes the keyword of a schema that only editors know.
func removeEditorKeywords(part any) {
	switch part := part.(type) {
	case map[string]any:
		delete(part, "enumDescriptions")
		for _, inner := range part {
			removeEditorKeywords(inner)
		}
	case []any:
		for _, inner := range part {
			removeEditorKeywords(inner)
		}
	}
}
