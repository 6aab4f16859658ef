package format

import (
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const (
	timestampPattern = `\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})`
	durationPattern  = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`
)

// forms has the schema of each Go type whose fields don't say how it is written, by the name of the type.
var forms = map[string]func() *jsonschema.Schema{
	"scenario.duration":  func() *jsonschema.Schema { return duration("24h", "90s") },
	"fault.Duration":     func() *jsonschema.Schema { return duration("24h", "90s") },
	"scenario.timestamp": timestamp,
	"time.Time":          timestamp,
	"scenario.clockStart": func() *jsonschema.Schema {
		return formatted(ClockStart, "now or an RFC 3339 timestamp", "(now|"+timestampPattern+")",
			"now", "2026-01-15T09:00:00Z")
	},
	"fault.Moment": func() *jsonschema.Schema {
		return formatted(Moment, "a duration or an RFC 3339 timestamp", "("+durationPattern+"|"+timestampPattern+")",
			"1m", "2026-01-15T09:00:00Z")
	},
	"scenario.share": func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1", Examples: []any{0.05}}
	},
	"scenario.extends": func() *jsonschema.Schema {
		examples := append(list(scenario.Names()), "shared.yaml")
		return oneOrMore(jsonschema.Schema{Type: "string", MinLength: ptr(uint64(1)), Examples: examples})
	},
	"fault.HeaderValues": func() *jsonschema.Schema { return oneOrMore(jsonschema.Schema{Type: "string"}) },
	"fault.Operations":   operations,
	"fault.Delay":        delay,
	"fault.Connection":   connection,
	"fault.Body":         body,
	"fault.Forward":      forward,
	"map[string]*string": conditions,
	"yaml.Node":          func() *jsonschema.Schema { return &jsonschema.Schema{Ref: Prefix + "behavior"} },
}

// formOf returns the schema of a Go type from forms, or nil if its fields say how it is written.
func formOf(of reflect.Type) *jsonschema.Schema {
	if form := forms[of.String()]; form != nil {
		return form()
	}
	return nil
}

// formatted returns the schema of a text in a format. The whole text matches the pattern.
func formatted(format, title, pattern string, examples ...any) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "string", Format: format, Title: title, Pattern: "^" + pattern + "$", Examples: examples,
	}
}

// timestamp returns the schema of a moment.
func timestamp() *jsonschema.Schema {
	return formatted(Timestamp, "an RFC 3339 timestamp", timestampPattern, "2026-01-15T09:00:00Z")
}

// duration returns the schema of a duration that is longer than 0.
func duration(examples ...any) *jsonschema.Schema {
	return formatted(Duration, "a duration", durationPattern, examples...)
}

// durationOrZero returns the schema of a duration that may be 0.
func durationOrZero(examples ...any) *jsonschema.Schema {
	return formatted(DurationOrZero, "a duration", durationPattern, examples...)
}

// operations returns the schema of the operations that a fault is injected into.
func operations() *jsonschema.Schema {
	s := oneOrMore(jsonschema.Schema{Type: "string", Enum: list(contract.Patterns())})
	s.Default = "*"
	s.AnyOf[0].Title = "an operation, a family of operations, or a list of them"
	s.AnyOf[1].UniqueItems = true
	return s
}

// body returns the schema of the body of a fault's answer: a text or JSON.
func body() *jsonschema.Schema {
	return &jsonschema.Schema{
		Examples: []any{"<html>Bad Gateway</html>"},
		Extras:   map[string]any{"type": []string{"string", "object", "array"}, "items": map[string]any{}},
	}
}

// conditions returns the schema of texts by name. null says that a name must be absent.
func conditions() *jsonschema.Schema {
	text := &jsonschema.Schema{Extras: map[string]any{"type": []string{"string", "null"}}}
	return &jsonschema.Schema{Type: "object", AdditionalProperties: text}
}

// oneOrMore returns the schema of a value or a list of such values.
func oneOrMore(value jsonschema.Schema) *jsonschema.Schema {
	item := value
	values := &jsonschema.Schema{Type: "array", Items: &item, MinItems: ptr(uint64(1))}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{&value, values}}
}

// described returns a schema with a description.
func described(s *jsonschema.Schema, description string) *jsonschema.Schema {
	s.Description = description
	return s
}

// member is a key of a mapping with the schema of its value.
type member struct {
	key   string
	value *jsonschema.Schema
}

// object returns the schema of a mapping. All of its keys are optional.
func object(members ...member) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema,
	}
	for _, m := range members {
		s.Properties.Set(m.key, m.value)
	}
	return s
}

// complete returns the schema of a mapping that must have all of its keys.
func complete(members ...member) *jsonschema.Schema {
	s := object(members...)
	for _, m := range members {
		s.Required = append(s.Required, m.key)
	}
	return s
}

// list returns values for an enumeration or for examples.
func list[T any](values []T) []any {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = value
	}
	return all
}

func ptr[T any](v T) *T { return &v }
