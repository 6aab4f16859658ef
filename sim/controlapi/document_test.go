package controlapi

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

var update = flag.Bool("update", false, "write openapi.json instead of comparing it")

const aboutControl = "Manages the simulator from outside of the simulated bank. The content type of a request doesn't matter. " +
	"Refusals are problem documents and change nothing. Calls without query parameters refuse all of them."

// The document is derived from the routes and the Go types of their bodies.
func TestDocumentIsFresh(t *testing.T) {
	t.Parallel()
	types := newTypes(t)
	types.of(api.Problem{})
	paths, tags := object{}, []object{}
	for _, rt := range Routes() {
		if !slices.ContainsFunc(tags, func(tag object) bool { return tag["name"] == rt.tag() }) {
			tags = append(tags, object{"name": rt.tag(), "description": "The calls about " + rt.tag() + "."})
		}
		calls, _ := paths[rt.Path].(object)
		if calls == nil {
			calls = object{}
			paths[rt.Path] = calls
		}
		calls[strings.ToLower(rt.Method)] = rt.describe(types)
	}
	want, err := wire.EncodeIndented(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "The control API of banksim", "version": "1", "description": aboutControl,
			"contact": object{"name": "banksim", "url": "https://github.com/digitalbanking-sim/banksim"},
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []object{{"url": "/", "description": "The control listener."}},
		"tags":    tags,
		"paths":   paths,
		"components": object{
			"schemas": types.components,
			"responses": object{"problem": object{"description": "The call is refused, and changes nothing.",
				"content": object{"application/problem+json": object{"schema": ref("Problem")}}}},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer",
				"description": "The control token. A listener on loopback needs none, unless it was given one."}},
		},
	})
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", want, 0o644))
		return
	}
	wantLines, gotLines := strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(document), "\n")
	for i := range min(len(wantLines), len(gotLines)) {
		require.Equal(t, wantLines[i], gotLines[i], "openapi.json:%d is out of date: run go generate ./... and read the diff", i+1)
	}
	assert.Len(t, gotLines, len(wantLines))
}

var pathVariable = regexp.MustCompile(`\{(\w+)\}`)

// describe describes the call.
func (rt *Route) describe(types *types) object {
	summary, _, _ := strings.Cut(rt.about, ".")
	parameters := []object{}
	for _, variable := range pathVariable.FindAllStringSubmatch(rt.Path, -1) {
		parameters = append(parameters, object{"name": variable[1], "in": "path", "required": true,
			"description": "Which " + variable[1] + ".", "schema": schema{"type": "string"}})
	}
	for _, p := range rt.Query {
		parameters = append(parameters, object{"name": p.Name, "in": "query", "description": p.about, "schema": p.schema()})
	}
	accepted := object{"description": http.StatusText(rt.status) + "."}
	if rt.answer.media != nil {
		content := rt.answer.describe(types)
		maps.Copy(content, rt.other.describe(types))
		accepted["content"] = content
	}
	refused := object{"$ref": "#/components/responses/problem"}
	call := object{
		"operationId": rt.name, "tags": []string{rt.tag()}, "summary": summary, "description": rt.about, "parameters": parameters,
		"responses": object{strconv.Itoa(rt.status): accepted, "4XX": refused, "5XX": refused},
		"security":  []object{{}, {"token": []string{}}},
	}
	if open[rt.Path] || strings.HasSuffix(rt.Path, "/keys") {
		call["security"] = []object{}
	}
	if rt.body.media != nil {
		call["requestBody"] = object{"content": rt.body.describe(types)}
	}
	return call
}

// tag returns the group of the call: what its path is about, in a sandbox or in the simulator.
func (rt *Route) tag() string {
	path := strings.TrimPrefix(rt.Path, "/v1/sandboxes/{sandbox}/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	return path[:strings.IndexAny(path+"/", "/.")]
}

func (p Parameter) schema() schema {
	switch {
	case p.words != nil:
		return schema{"type": "string", "enum": p.words}
	case p.isNumber:
		return schema{"type": "integer", "minimum": p.least, "maximum": p.most}
	}
	return schema{"type": "string"}
}

func (p payload) describe(types *types) object {
	content := object{}
	for _, media := range p.media {
		content[media] = object{"schema": types.of(p.value)}
	}
	return content
}

// types describes Go types by what they are in JSON. Those with names become components.
type types struct {
	*testing.T
	components map[string]any
	names      map[string]reflect.Type // of the components
}

const definitionPath = "#/$defs/"

// newTypes returns types with the schemas of fault rules, which are those of scenarios.
func newTypes(t *testing.T) *types {
	t.Helper()
	types := &types{t, map[string]any{}, map[string]reflect.Type{}}
	for name, rule := range scenario.FaultSchemas(schemaPath) {
		var schema any
		require.NoError(t, json.Unmarshal(rule, &schema))
		forReaders(schema)
		types.components[name] = schema
	}
	return types
}

// forReaders removes the keyword that only editors know from a part of the schema of scenarios.
func forReaders(part any) {
	switch part := part.(type) {
	case map[string]any:
		delete(part, "enumDescriptions")
		for _, inner := range part {
			forReaders(inner)
		}
	case []any:
		for _, inner := range part {
			forReaders(inner)
		}
	}
}

// of describes a value of a payload.
func (ts *types) of(value any) any {
	if known, ok := value.(schema); ok {
		return known
	}
	nullable := map[reflect.Type][]string{}
	r := generator.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: true,
		Mapper:                    mapped,
		Namer:                     ts.nameOf,
		LookupComment: func(of reflect.Type, field string) string {
			if field == "" {
				return ""
			}
			f, _ := of.FieldByName(field)
			kind := f.Type.Kind()
			if name := f.Tag.Get("json"); !strings.Contains(name, ",") && (kind == reflect.Pointer || kind == reflect.Map) {
				nullable[of] = append(nullable[of], name)
			}
			return f.Tag.Get("about")
		},
	}
	s := r.Reflect(value)
	for name, definition := range s.Definitions {
		for _, member := range nullable[ts.names[name]] {
			of := definition.Properties.Value(member)
			about := of.Description
			of.Description = ""
			definition.Properties.Set(member, &generator.Schema{AnyOf: []*generator.Schema{of, {Type: "null"}}, Description: about})
		}
		encoded := wire.MustEncode(definition)
		ts.components[name] = json.RawMessage(strings.ReplaceAll(string(encoded), definitionPath, schemaPath))
	}
	return ref(strings.TrimPrefix(s.Ref, definitionPath))
}

// nameOf returns the name of the component of a type.
func (ts *types) nameOf(of reflect.Type) string {
	switch {
	case of.Name() == "":
		return ""
	case of.Kind() == reflect.String:
		return of.String() // of no component
	}
	name := strings.ToUpper(of.Name()[:1]) + of.Name()[1:]
	switch of {
	case reflect.TypeFor[coverage.File]():
		name = "Coverage"
	case reflect.TypeFor[coverage.Run]():
		name = "CoverageRun"
	case reflect.TypeFor[coverage.PointCount]():
		name = "CoveragePoint"
	}
	if known, ok := ts.names[name]; ok {
		require.Equal(ts, known, of, "both would be the schema %s: rename one", name)
	}
	ts.names[name] = of
	return name
}

// mapped returns the schema of a type that isn't reflected.
func mapped(of reflect.Type) *generator.Schema {
	text := &generator.Schema{Type: "string"}
	switch of {
	case reflect.TypeFor[json.RawMessage]():
		return &generator.Schema{Type: "object"}
	case reflect.TypeFor[fault.Rule]():
		return &generator.Schema{Ref: schemaPath + "FaultRule"}
	case reflect.TypeFor[fault.Counted]():
		return &generator.Schema{Type: "object",
			Description: "A fault rule, with matched, how many requests matched it, and fired, for how many of them it fired."}
	case reflect.TypeFor[headerValues]():
		return &generator.Schema{AnyOf: []*generator.Schema{text, {Type: "array", Items: text}}}
	case reflect.TypeFor[map[string]*string]():
		return &generator.Schema{Type: "object",
			AdditionalProperties: &generator.Schema{AnyOf: []*generator.Schema{text, {Type: "null"}}}}
	}
	switch of.Kind() {
	case reflect.Uint, reflect.Uint64:
		return &generator.Schema{Type: "integer", Minimum: "0"}
	case reflect.Interface:
		return &generator.Schema{Extras: object{"type": []string{"string", "number", "boolean", "object", "array", "null"},
			"items": object{}}}
	}
	return nil
}
