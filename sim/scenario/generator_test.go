package scenario

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
)

const definitionsPrefix = "#/$defs/"

// generatedSchema returns the JSON Schema of scenario files. A file that extends another scenario may omit what the other contains, and
// remove it by null: so null is allowed, and what is required has a keyword of its own, which the loader reads and editors don't.
func generatedSchema(t *testing.T) []byte {
	t.Helper()
	s := forEditors(t, reflected(t))
	for name, definition := range s.Definitions {
		for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
			if id, isKeyed := keyed[p.Key]; isKeyed && p.Value.Items != nil {
				addMarks(s.Definitions[definitionOf(p.Value)], id)
			}
			if !strings.HasPrefix(name, "fault") {
				allowNull(p.Value)
			}
		}
	}
	for _, definition := range s.Definitions {
		requireLater(definition)
		eachProperty(definition, func(_ string, value *generator.Schema) {
			for _, one := range append(value.AnyOf, value) {
				requireLater(one)
			}
		})
	}
	encoded, err := json.MarshalIndent(&generator.Schema{
		Version:     s.Version,
		Description: "The start of a simulated bank: what it holds and how it behaves.",
		Ref:         definitionsPrefix + "scenario",
		Definitions: s.Definitions,
	}, "", "\t")
	require.NoError(t, err)
	return append(encoded, '\n')
}

// requireLater moves the keys that a mapping must have to the keyword that only the loader reads.
func requireLater(s *generator.Schema) {
	if s.Required != nil {
		with(s, "x-required", s.Required)
		s.Required = nil
	}
}

// addMarks adds the marks of an item of a list.
func addMarks(definition *generator.Schema, id identity) {
	mark := func(about string) *generator.Schema { return &generator.Schema{Const: true, Description: about} }
	definition.Properties.Set(removeKey, mark(fmt.Sprintf("Removes the inherited %s that the keys beside it name.", id.what)))
	definition.Properties.Set(replaceKey, mark("Alone, as the first item: the whole list replaces the inherited one."))
}

// allowNull allows null beside a value.
func allowNull(s *generator.Schema) {
	switch {
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, &generator.Schema{Type: "null"})
	case s.Type != "" && s.PropertyNames == nil:
		with(s, "type", []string{s.Type, "null"})
		s.Type = ""
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
}

// reflected returns the schema of the Go types. That of the document is the definition "scenario".
func reflected(t *testing.T) *generator.Schema {
	t.Helper()
	r := generator.Reflector{
		Anonymous:                  true,
		ExpandedStruct:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     mapped,
		LookupComment:              fieldComments(t),
		Namer: func(of reflect.Type) string {
			if of.PkgPath() == reflect.TypeFor[fault.Rule]().PkgPath() {
				return "fault" + of.Name()
			}
			return of.Name()
		},
	}
	s := r.Reflect(document{})
	root := *s
	root.Version, root.Definitions = "", nil
	s.Definitions["scenario"] = &root
	rule := s.Definitions["faultRule"].Properties // a few forms that the tags have no room for
	name, path := rule.Value("name"), rule.Value("path")
	name.Title, name.Pattern = "made of letters, digits and . _ -", "^[A-Za-z0-9][A-Za-z0-9._-]*$"
	path.Title, path.Pattern = "a path that begins with / and has no query", `^/[^?#\s]*$`
	rule.Value("method").Enum = []any{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
	s.Definitions["faultWhen"].Properties.Value("probability").ExclusiveMinimum = "0"
	addForms(s.Definitions)
	addLengths(s.Definitions)
	addSwitches(s.Definitions)
	addOperations(s.Definitions)
	return s
}

// fieldComments returns the comments of the fields of the document and of fault rules, which describe their keys.
func fieldComments(t *testing.T) func(of reflect.Type, field string) string {
	t.Helper()
	comments := map[string]string{}
	for _, name := range []string{"document.go", "../fault/rule.go", "../fault/during.go"} {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, isType := n.(*ast.TypeSpec)
			if !isType {
				return true
			}
			if of, isStruct := spec.Type.(*ast.StructType); isStruct {
				for _, field := range of.Fields.List {
					comments[spec.Name.Name+"."+field.Names[0].Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
				}
			}
			return false
		})
	}
	return func(of reflect.Type, field string) string {
		return comments[strings.TrimPrefix(of.Name(), "fault")+"."+field]
	}
}

// mapped returns the schema of a type that isn't reflected.
func mapped(of reflect.Type) *generator.Schema {
	switch of {
	case reflect.TypeFor[duration](), reflect.TypeFor[fault.Duration]():
		return durationSchema("24h", "90s")
	case reflect.TypeFor[timestamp]():
		s := formed("an RFC 3339 timestamp", "^"+timestampPattern+"$", "2026-01-15T09:00:00Z")
		s.Format = "date-time"
		return s
	case reflect.TypeFor[clockStart]():
		return formed("now or an RFC 3339 timestamp", "^(now|"+timestampPattern+")$", "now", "2026-01-15T09:00:00Z")
	case reflect.TypeFor[fault.Moment]():
		return formed("a duration or an RFC 3339 timestamp", "^("+durationPattern+"|"+timestampPattern+")$", "1m", "2026-01-15T09:00:00Z")
	case reflect.TypeFor[share]():
		return &generator.Schema{Type: "number", Minimum: "0", Maximum: "1", Examples: []any{0.05}}
	case reflect.TypeFor[yaml.Node]():
		return &generator.Schema{Ref: definitionsPrefix + "behavior"}
	case reflect.TypeFor[map[string]*string](): // null: must be absent
		text := &generator.Schema{Type: "string"}
		allowNull(text)
		return &generator.Schema{Type: "object", AdditionalProperties: text}
	case reflect.TypeFor[parents]():
		return oneOrMore(&generator.Schema{Type: "string", MinLength: ptr(uint64(1)), Examples: append(list(Names()), "shared.yaml")})
	case reflect.TypeFor[fault.Operations]():
		s := oneOrMore(&generator.Schema{Type: "string", Enum: list(contract.Patterns())})
		s.Default, s.AnyOf[0].Title, s.AnyOf[1].UniqueItems = "*", "an operation, a family of operations, or a list of them", true
		return s
	case reflect.TypeFor[fault.Body]():
		s := &generator.Schema{Examples: []any{"<html>Bad Gateway</html>"}}
		with(s, "type", []string{"string", "object", "array"})
		with(s, "items", map[string]any{})
		return s
	case reflect.TypeFor[fault.Delay]():
		return delaySchema()
	case reflect.TypeFor[fault.Connection]():
		return connectionSchema()
	}
	return nil
}

const (
	timestampPattern = `\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})`
	durationPattern  = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`
)

// longestText is how many characters a text has at most that stands in an answer (choice).
const longestText = 500

// formed returns the schema of a text of a form.
func formed(title, pattern string, examples ...any) *generator.Schema {
	return &generator.Schema{Type: "string", Title: title, Pattern: pattern, Examples: examples}
}

func durationSchema(examples ...any) *generator.Schema {
	return formed("a duration", "^"+durationPattern+"$", examples...)
}

// oneOrMore returns the schema of a value or a list of such values.
func oneOrMore(one *generator.Schema) *generator.Schema {
	item := *one
	return &generator.Schema{AnyOf: []*generator.Schema{one, {Type: "array", Items: &item, MinItems: ptr(uint64(1))}}}
}

func described(s *generator.Schema, description string) *generator.Schema {
	s.Description = description
	return s
}

// object returns the schema of a mapping from alternating keys and schemas.
func object(keysAndSchemas ...any) *generator.Schema {
	s := &generator.Schema{Type: "object", Properties: generator.NewProperties(), AdditionalProperties: generator.FalseSchema}
	for i := 0; i < len(keysAndSchemas); i += 2 {
		s.Properties.Set(keysAndSchemas[i].(string), keysAndSchemas[i+1].(*generator.Schema))
	}
	return s
}

// complete returns the schema of a mapping that has all of its keys.
func complete(keysAndSchemas ...any) *generator.Schema {
	s := object(keysAndSchemas...)
	for i := 0; i < len(keysAndSchemas); i += 2 {
		s.Required = append(s.Required, keysAndSchemas[i].(string))
	}
	return s
}

// delaySchema has an alternative for each mapping that a delay may be: so editors offer the keys of all of them, and nothing where a
// mapping has as many keys as it may.
func delaySchema() *generator.Schema {
	uniform := &generator.Schema{Type: "array", Items: durationSchema("100ms", "2s"), MinItems: ptr(uint64(2)), MaxItems: ptr(uint64(2))}
	lognormal := complete(
		"median", described(durationSchema("200ms"), "The median: half of the delays are shorter."),
		"sigma", &generator.Schema{Type: "number", Maximum: "3", ExclusiveMinimum: "0", Examples: []any{0.6},
			Description: "The length of the tail: the standard deviation of the logarithm."})
	return &generator.Schema{AnyOf: []*generator.Schema{
		formed("a duration, or a mapping with uniform, lognormal, or p50 and p95", "^"+durationPattern+"$", "250ms"),
		complete("uniform", described(uniform, "Minimum and maximum: all delays between them are equally likely.")),
		complete("lognormal", described(lognormal, "A distribution with a long tail, as in a busy service.")),
		complete(
			"p50", described(durationSchema("200ms"),
				"The 50th percentile, with p95: half of the delays are shorter. The distribution is lognormal."),
			"p95", described(durationSchema("800ms"), "The 95th percentile, with p50: 95 of 100 delays are shorter.")),
	}}
}

// connectionSchema has an alternative for the name of a kind, and one for each kind with settings.
func connectionSchema() *generator.Schema {
	kinds := &generator.Schema{Type: "string", Title: "a kind of connection fault"}
	s := &generator.Schema{AnyOf: []*generator.Schema{kinds}}
	about := map[string]string{}
	for _, kind := range fault.Kinds {
		d := kind.Describe()
		kinds.Enum = append(kinds.Enum, d.Name)
		about[d.Name] = d.About
		if len(d.Settings) > 0 {
			s.AnyOf = append(s.AnyOf, complete(d.Name, described(settingsSchema(d.Settings), d.About)))
		}
	}
	explainValues(kinds, func(value string) string { return about[value] })
	return s
}

// settingsSchema returns the schema of the settings of a kind: of the only one, or of a mapping.
func settingsSchema(settings []fault.Setting) *generator.Schema {
	var members []any
	for _, setting := range settings {
		one := &generator.Schema{Type: "integer", Minimum: json.Number(strconv.Itoa(setting.Minimum)),
			Examples: []any{setting.Example}}
		if length, ok := setting.Example.(fault.Duration); ok {
			one = durationSchema(length.String())
		}
		if setting.Member == "" {
			return one
		}
		members = append(members, setting.Member, described(one, setting.About))
	}
	return object(members...)
}

// addForms adds what the tags of the document have no room for.
func addForms(definitions generator.Definitions) {
	for path, form := range map[string]*generator.Schema{
		"user.institutionUserId": formed("32 hexadecimal digits in upper case", "^[0-9A-F]{32}$", "4C0B1F6A2D3E4F5061728394A5B6C7D8"),
		"user.customerId":        formed("32 hexadecimal digits in upper case", "^[0-9A-F]{32}$", "9D8C7B6A5F4E3D2C1B0A998877665544"),
		"token.accessToken":      formed("made of letters, digits and ._~+/=-", "^[A-Za-z0-9._~+/=-]+$", "demo-token"),
		"token.refreshToken":     formed("made of letters, digits and ._~+/=-", "^[A-Za-z0-9._~+/=-]+$", "demo-refresh"),
		"job.jobId": formed("a UUID in lower case", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
			"6a0f7d1c-2f6e-4c55-9d0e-9a1b6f0c7e21"),
		"job.jobStatus": {Type: "string", Enum: list(sim.JobStatuses), Default: sim.JobStatusSuccessful},
	} {
		name, key, _ := strings.Cut(path, ".")
		properties := definitions[name].Properties
		properties.Set(key, described(form, properties.Value(key).Description))
	}
	for _, name := range []string{"group", "job"} {
		id := definitions[name].Properties.Value("participants").Items
		id.Title, id.Pattern = "text of printable ASCII characters without spaces, commas and quotes", `^[!#-+\--~]+$`
	}
}

// addLengths limits the texts of rows.
func addLengths(definitions generator.Definitions) {
	for _, name := range []string{"institution", "client", "user", "userStatus", "disclosure", "account", "token", "group", "job",
		"jobError",
		"alertType", "alertDefault", "alertAccount", "alertDetails"} {
		for text := definitions[name].Properties.Oldest(); text != nil; text = text.Next() {
			s := text.Value
			if s.Items != nil {
				s = s.Items
			}
			if s.Type == "string" && s.MaxLength == nil && s.Enum == nil && s.Format == "" && s.Title != "a duration" {
				s.MaxLength = ptr(uint64(sim.MaxText))
			}
		}
	}
}

// addSwitches adds the definition of the behavior block, and of the blocks in it, from the switches of the contract.
func addSwitches(definitions generator.Definitions) {
	behavior := object()
	definitions["behavior"] = behavior
	for _, s := range contract.Switches() {
		name, key, isNested := strings.Cut(s.Key, ".")
		if !isNested {
			behavior.Properties.Set(s.Key, switchSchema(s))
			continue
		}
		definition := "behavior." + name
		if definitions[definition] == nil {
			definitions[definition] = object()
			behavior.Properties.Set(name, &generator.Schema{Ref: definitionsPrefix + definition, Description: contract.SwitchBlocks[name]})
		}
		definitions[definition].Properties.Set(key, switchSchema(s))
	}
}

// switchSchema returns the schema of the values of a switch.
func switchSchema(of *contract.Switch) *generator.Schema {
	s := &generator.Schema{Type: "string", Default: of.Default}
	switch of.Kind {
	case contract.Status:
		s.Type, s.Default = "integer", json.Number(of.Default)
		for _, name := range of.Names {
			s.Enum = append(s.Enum, json.Number(name))
		}
	case contract.Word:
		s.Enum = list(of.Names)
	case contract.Number:
		s.Type, s.Default, s.Examples = "integer", json.Number(of.Default), []any{json.Number(of.Default)}
		s.Minimum, s.Maximum = json.Number(strconv.Itoa(of.Least)), json.Number(strconv.Itoa(of.Most))
	case contract.Lifetime:
		s = durationSchema("24h", "90s")
		s.Default = strings.Replace(of.Default, "h0m0s", "h", 1)
	case contract.Flag:
		s.Type, s.Default = "boolean", of.Default == "true"
	case contract.Members:
		s = &generator.Schema{Type: "array", Items: &generator.Schema{Type: "string", Enum: list(of.Names)}}
	case contract.List:
		s = &generator.Schema{Type: "array", Items: formed(of.Form.Title, of.Form.Pattern, list(of.Form.Examples)...)}
	case contract.Texts:
		text := formed("text without control characters", `^[^\x00-\x1f\x7f-\x9f]*$`, "We can't do this at the moment.")
		text.MinLength, text.MaxLength = ptr(uint64(1)), ptr(uint64(longestText))
		s = &generator.Schema{Type: "object", PropertyNames: &generator.Schema{Enum: list(of.Names)}, AdditionalProperties: text}
	}
	return described(s, of.About)
}

// addOperations adds the names and the documented error statuses of the operations to the definitions of fault rules.
func addOperations(definitions generator.Definitions) {
	var documented []string
	var statuses []int
	for _, op := range contract.Document().Operations {
		documented = append(documented, fmt.Sprintf("%s %v", op.Name, op.Errors))
		statuses = append(statuses, op.Errors...)
	}
	slices.Sort(statuses)
	status := definitions["faultThen"].Properties.Value("status")
	status.Description += " Documented: " + strings.Join(documented, ", ") + "."
	status.Examples = list(slices.Compact(statuses))
	definitions["faultError"].Properties.Value("code").Examples = []any{contract.TokensIssue.Refusals()[0].Code}
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
