package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// tool is an entry of a table of tools.
type tool struct {
	name, title string
	does        effect
	about       string
	args        any // a struct with a field for each argument
	answer      any // a value of the type whose JSON the result is, or nil for any object
	run         run
}

// run does what a tool is called for. It returns a text for a reader in a hurry, and the value in full.
type run func(ctx context.Context, bank *api.Client, in object) (text string, value object, err error)

// calling returns a run that makes a call of the control API. The text has members of the answer: see expand.
func calling(r route, says string) run {
	return func(ctx context.Context, bank *api.Client, in object) (string, object, error) {
		answer, err := r.call(ctx, bank, in)
		return expand(says, answer), answer, err
	}
}

// longestWait is how long a tool waits at most: for an answer of the bank, for requests, or for a search.
const longestWait = 2 * time.Minute

// waiting returns a run whose calls of the control API may take longestWait.
func waiting(r run) run {
	return func(ctx context.Context, bank *api.Client, in object) (string, object, error) {
		return r(ctx, bank.Patient(longestWait), in)
	}
}

// listing returns a run that makes a call of the control API and lists items of its answer, with a text for each.
func listing(r route, items func(object) []object, says string) run {
	return func(ctx context.Context, bank *api.Client, in object) (string, object, error) {
		answer, err := r.call(ctx, bank, in)
		if err != nil {
			return "", nil, err
		}
		return list(in, items(answer), says)
	}
}

// effect is what a tool may do to the simulator.
type effect struct{ readOnly, destructive, idempotent bool }

var (
	reads    = effect{readOnly: true, idempotent: true}
	adds     = effect{}
	changes  = effect{destructive: true}                   // again by each call
	replaces = effect{destructive: true, idempotent: true} // no more by the same call again
)

// inSandbox is embedded in the arguments of tools that are about a sandbox.
type inSandbox struct {
	Sandbox string `json:"sandbox,omitzero" jsonschema:"Its name. Default: the shared one, default."`
}

// inInstitution is embedded in the arguments of tools that add something to an institution.
type inInstitution struct {
	inSandbox
	Institution string `json:"institution" jsonschema:"Its institutionId."`
}

// addTo adds the tool to a server.
func (t tool) addTo(s *sdk.Server, bank *api.Client) {
	schema, output := schemaOf(t.args), &jsonschema.Schema{Type: "object"}
	if t.answer != nil {
		output = schemaOf(t.answer)
		withoutRequired(output) // a result leaves out what is null, and what it has no room for
	}
	s.AddTool(&sdk.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: schema, OutputSchema: output,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.does.readOnly, DestructiveHint: &t.does.destructive,
			IdempotentHint: t.does.idempotent, OpenWorldHint: new(bool)},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := t.arguments(r.Params.Arguments, schema)
		if err != nil {
			return result(fmt.Sprintf("%v; %s", err, t.takes(schema)), nil, true), nil
		}
		text, value, err := t.run(ctx, bank, in)
		if err != nil {
			return result(err.Error(), nil, true), nil
		}
		return result(text, value, false), nil
	})
}

// schemaOf returns the schema of a value's type. No part of it may be null: the clients of some models take no lists of
// types. A tool takes null all the same.
func schemaOf(value any) *jsonschema.Schema {
	schema, err := jsonschema.ForType(reflect.TypeOf(value), &jsonschema.ForOptions{})
	if err != nil {
		panic(err) // the type is our own
	}
	eachPart(schema, func(part *jsonschema.Schema) {
		if values := part.AdditionalProperties; values != nil && len(values.Types) > 0 {
			part.AdditionalProperties = &jsonschema.Schema{} // null has a meaning there: absent
		}
		if len(part.Types) == 2 && part.Types[0] == "null" {
			part.Type, part.Types = part.Types[1], nil
		}
	})
	return schema
}

// withoutRequired lets all members be left out, and others be there.
func withoutRequired(schema *jsonschema.Schema) {
	eachPart(schema, func(part *jsonschema.Schema) {
		part.Required = nil
		if part.Properties != nil {
			part.AdditionalProperties = nil
		}
	})
}

// eachPart calls a function with a schema and all of its parts.
func eachPart(schema *jsonschema.Schema, fn func(*jsonschema.Schema)) {
	if schema == nil {
		return
	}
	fn(schema)
	eachPart(schema.AdditionalProperties, fn)
	eachPart(schema.Items, fn)
	for _, member := range schema.Properties {
		eachPart(member, fn)
	}
}

// arguments returns the arguments of a call. It refuses those that the schema lacks, and the lack of a required one.
func (t tool) arguments(data []byte, schema *jsonschema.Schema) (object, error) {
	args := reflect.New(reflect.TypeOf(t.args)).Interface()
	if len(data) == 0 || string(data) == "null" {
		data = []byte("{}")
	}
	if err := strictjson.DecodeKnown(data, args); err != nil {
		var wrong *strictjson.Error
		if errors.As(err, &wrong) && wrong.Kind == strictjson.Mistyped {
			if kind := schema.Properties[wrong.Member]; kind != nil && kind.Minimum != nil {
				return nil, fmt.Errorf("%s is a whole number from %v", wrong.Member, *kind.Minimum)
			}
		}
		return nil, err
	}
	in, err := decode(strictjson.MustEncode(args))
	for _, name := range schema.Required {
		if err == nil && (in[name] == nil || in[name] == "") {
			err = fmt.Errorf("%s is missing", name)
		}
	}
	return in, err
}

// takes lists the tool's arguments with their types.
func (t tool) takes(schema *jsonschema.Schema) string {
	text := t.name + " takes"
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		kind := schema.Properties[name]
		text += fmt.Sprintf(" %s (%s)", name, cmp.Or(kind.Type, strings.Join(kind.Types, " or ")))
	}
	return text
}

// result returns the result of a tool. Its text ends with the value, because some clients show the text alone.
func result(text string, value object, failed bool) *sdk.CallToolResult {
	text = clip(strings.TrimSpace(text), maxResult-maxText, 0).(string)
	r := &sdk.CallToolResult{IsError: failed}
	if value == nil && !failed {
		value = object{} // clients expect a value where a tool has an output schema
	}
	if value != nil {
		value = withoutNulls(value).(object)
		fit(value, maxResult-len(text))
		r.StructuredContent = value
		text += "\n" + string(strictjson.MustEncode(value))
	}
	r.Content = []sdk.Content{&sdk.TextContent{Text: text}}
	return r
}
