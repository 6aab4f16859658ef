package mcp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// tool is an entry of a table of tools. It makes a call of the control API and says what the answer has, or it runs
// a function.
type tool struct {
	name, title string
	does        effect
	about       string
	args        any // a struct with a field for each argument

	call  string                // see the function call
	says  string                // the text of the result, or of each item of a list: see expand
	items func(object) []object // the items that the answer has, if the tool lists something

	run func(ctx context.Context, bank *api.Client, in object) (text string, value object, err error) // or nil
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

// addTo adds the tool to a server. The result of a call is a text for a reader in a hurry, and the value in full.
func (t tool) addTo(s *sdk.Server, bank *api.Client) {
	args := reflect.TypeOf(t.args)
	schema, err := jsonschema.ForType(args, &jsonschema.ForOptions{})
	if err != nil {
		panic(err) // the type is this package's own
	}
	takes := t.name + " takes"
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		kind := schema.Properties[name]
		takes += fmt.Sprintf(" %s (%s)", name, cmp.Or(kind.Type, strings.Join(kind.Types, " or ")))
	}
	s.AddTool(&sdk.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.does.readOnly, DestructiveHint: &t.does.destructive,
			IdempotentHint: t.does.idempotent, OpenWorldHint: new(bool)},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		given := reflect.New(args).Interface()
		err := wire.DecodeKnown([]byte(cmp.Or(string(r.Params.Arguments), "{}")), given)
		if err != nil {
			return result(fmt.Sprintf("%v; %s", err, takes), nil, true), nil
		}
		in := decoded(wire.MustEncode(given))
		for _, name := range schema.Required {
			if in[name] == nil || in[name] == "" {
				return result(fmt.Sprintf("%s is missing; %s", name, takes), nil, true), nil
			}
		}
		text, value, err := t.result(ctx, bank, in)
		if err != nil {
			return result(err.Error(), nil, true), nil
		}
		return result(text, value, false), nil
	})
}

// result returns what the tool does with arguments.
func (t tool) result(ctx context.Context, bank *api.Client, in object) (text string, value object, err error) {
	if t.run != nil {
		return t.run(ctx, bank, in)
	}
	answer, err := call(ctx, bank, t.call, in)
	switch {
	case err != nil:
		return "", nil, err
	case t.items != nil:
		return list(in, t.items(answer), t.says)
	case len(answer) == 0:
		return t.says, nil, nil
	}
	return expand(t.says, answer), answer, nil
}

func result(text string, value object, failed bool) *sdk.CallToolResult {
	text = clip(strings.TrimSpace(text), maxResult-maxText, 0).(string)
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: failed}
	if value != nil {
		fit(value, maxResult-len(text))
		r.StructuredContent = value
	}
	return r
}
