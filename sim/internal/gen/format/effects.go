package format

import (
	"encoding/json"
	"strconv"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// delay returns the schema of a delay. Each mapping that a delay may be is an alternative. So an editor offers the keys
// of all alternatives, and no more keys once a mapping is complete.
func delay() *jsonschema.Schema {
	text := durationOrZero("250ms")
	text.Title = "a duration, or a mapping with uniform, lognormal, or p50 and p95"
	limits := &jsonschema.Schema{
		Type: "array", Items: durationOrZero("100ms", "2s"), MinItems: ptr(uint64(2)), MaxItems: ptr(uint64(2)),
	}
	sigma := &jsonschema.Schema{Type: "number", Maximum: "3", ExclusiveMinimum: "0", Examples: []any{0.6}}
	lognormal := complete(
		member{"median", described(durationOrZero("200ms"), "The median: half of the delays are shorter.")},
		member{"sigma", described(sigma, "The length of the tail: the standard deviation of the logarithm.")},
	)
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		text,
		complete(member{"uniform",
			described(limits, "Minimum and maximum: all delays between them are equally likely.")}),
		complete(member{"lognormal",
			described(lognormal, "A distribution with a long tail, as in a busy service.")}),
		complete(
			member{"p50",
				described(durationOrZero("200ms"), "The 50th percentile: half of the delays are shorter.")},
			member{"p95",
				described(durationOrZero("800ms"), "The 95th percentile: 95 of 100 delays are shorter.")},
		),
	}}
}

// forward returns the schema of another service: its URL, or a mapping with the authorities that are trusted for it.
func forward() *jsonschema.Schema {
	url := &jsonschema.Schema{
		Type: "string", Pattern: "^https?://", MaxLength: ptr(uint64(1000)),
		Title: "a URL that begins with http:// or https://", Examples: []any{"https://other.example/base"},
	}
	ca := &jsonschema.Schema{Type: "string", MinLength: ptr(uint64(1))}
	service := object(
		member{"url", described(url, "The URL below which the path of the request is called.")},
		member{"ca", described(ca, "The authorities (PEM) that are trusted in place of the system's.")},
	)
	service.Required = []string{"url"}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{url, service}}
}

// connection returns the schema of a connection fault: the name of a kind, or a kind with its settings.
func connection() *jsonschema.Schema {
	names := &jsonschema.Schema{Type: "string", Title: "a kind of connection fault"}
	s := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{names}}
	for _, kind := range fault.Kinds {
		d := kind.Describe()
		names.Enum = append(names.Enum, d.Name)
		if len(d.Settings) > 0 {
			s.AnyOf = append(s.AnyOf, complete(member{d.Name, described(settings(d.Settings), d.About)}))
		}
	}
	return s
}

// settings returns the schema of the settings of a kind. It is a mapping, or a value if the only setting has no name.
func settings(of []fault.Setting) *jsonschema.Schema {
	var members []member
	for _, setting := range of {
		value := &jsonschema.Schema{
			Type: "integer", Minimum: json.Number(strconv.Itoa(setting.Minimum)), Examples: []any{setting.Example},
		}
		if example, isDuration := setting.Example.(fault.Duration); isDuration {
			value = duration(example.String())
		}
		if setting.Member == "" {
			return value
		}
		members = append(members, member{setting.Member, described(value, setting.About)})
	}
	return object(members...)
}
