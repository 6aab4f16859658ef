package controlapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// schema is a JSON Schema (draft 2020-12), as OpenAPI 3.1 has it.
type schema map[string]any

func aText(about string) schema    { return schema{"type": "string", "description": about} }
func anObject(about string) schema { return schema{"type": "object", "description": about} }
func anyText() schema              { return schema{"type": "string"} }
func between(least, most int) schema {
	return schema{"type": "integer", "minimum": least, "maximum": most}
}
func flag() schema                       { return schema{"type": "boolean"} }
func oneOf[T ~string](values []T) schema { return schema{"type": "string", "enum": values} }
func listOf(items schema) schema         { return schema{"type": "array", "items": items} }
func ref(component string) schema        { return schema{"$ref": schemaPath + component} }
func withDefault(of schema, value any) schema {
	of["default"] = value
	return of
}

const schemaPath = "#/components/schemas/"

// newFaults is what adds fault rules: one, a list, or a list in an object.
var newFaults = schema{"anyOf": []schema{
	ref("FaultRule"), listOf(ref("FaultRule")),
	{
		"type": "object", "required": []string{"faults"}, "additionalProperties": false,
		"properties": schema{"faults": listOf(ref("FaultRule"))},
	},
}}

// schemas describes Go types by what they are in JSON. Types with names become components.
type schemas struct {
	components map[string]any
	types      map[string]reflect.Type // of the components
}

// newSchemas returns schemas with those of fault rules, which the schema of scenarios has.
func newSchemas() schemas {
	s := schemas{map[string]any{}, map[string]reflect.Type{}}
	for name, rule := range scenario.FaultSchemas(schemaPath) {
		var schema any
		if err := json.Unmarshal(rule, &schema); err != nil {
			panic(fmt.Sprintf("controlapi: the schema of fault rules: %v", err))
		}
		forReaders(schema)
		s.components[name] = schema
	}
	return s
}

// forReaders makes a part of the schema of scenarios, which is written for editors, one for readers.
func forReaders(part any) {
	switch part := part.(type) {
	case map[string]any:
		delete(part, "enumDescriptions")
		if required, ok := part["x-required"]; ok {
			part["required"] = required
			delete(part, "x-required")
		}
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
func (s schemas) of(value any) schema {
	if known, ok := value.(schema); ok {
		return known
	}
	return s.ofType(reflect.TypeOf(value))
}

func (s schemas) ofType(t reflect.Type) schema {
	switch t {
	case reflect.TypeFor[time.Time]():
		return schema{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return schema{"type": "object"}
	case reflect.TypeFor[fault.Rule]():
		return ref("FaultRule")
	case reflect.TypeFor[fault.Counted]():
		return anObject("A fault rule, with matched, how many requests matched it, and fired, for how many of them it fired.")
	case reflect.TypeFor[headerValues]():
		return schema{"anyOf": []schema{anyText(), listOf(anyText())}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return schema{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema{"type": "integer", "minimum": 0}
	case reflect.Interface:
		return schema{"type": []string{"string", "number", "boolean", "object", "array", "null"}, "items": schema{}}
	case reflect.Slice:
		return listOf(s.ofType(t.Elem()))
	case reflect.Map:
		values := s.ofType(t.Elem())
		if t.Elem().Kind() == reflect.Pointer {
			values = orNull(values)
		}
		return schema{"type": "object", "additionalProperties": values}
	case reflect.Pointer:
		return s.ofType(t.Elem())
	case reflect.Struct:
		return s.component(t)
	}
	panic(fmt.Sprintf("controlapi: a body has a %s, which no schema describes", t))
}

// componentNames are the names of components whose types are named for those who know their package.
var componentNames = map[reflect.Type]string{
	reflect.TypeFor[coverage.File](): "Coverage",
	reflect.TypeFor[coverage.Run]():  "CoverageRun",
	reflect.TypeFor[coverage.Met]():  "CoveragePoint",
}

// component describes a struct by a reference to a component, which it adds.
func (s schemas) component(t reflect.Type) schema {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	if own, ok := componentNames[t]; ok {
		name = own
	}
	if known := s.types[name]; known == nil {
		s.types[name] = t
		s.components[name] = s.object(t)
	} else if known != t {
		panic(fmt.Sprintf("controlapi: both %s and %s would be the schema %s: rename one", known, t, name))
	}
	return ref(name)
}

// object describes a struct by its exported members, with those of embedded structs. A member may be left out where Go leaves it out.
func (s schemas) object(t reflect.Type) schema {
	properties, required := schema{}, []string{}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		member := s.ofType(field.Type)
		if kind := field.Type.Kind(); (kind == reflect.Pointer || kind == reflect.Map) && options == "" {
			member = orNull(member)
		}
		if about := field.Tag.Get("about"); about != "" {
			member["description"] = about
		}
		properties[name] = member
		if options == "" {
			required = append(required, name)
		}
	}
	of := schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		of["required"] = required
	}
	return of
}

// orNull describes a value that may be null instead.
func orNull(value schema) schema { return schema{"anyOf": []schema{value, {"type": "null"}}} }
