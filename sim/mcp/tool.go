package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// tool is an entry of a table of tools: a call of the control API for a model. Its arguments are the parameters of the
// call and the members of its body.
type tool struct {
	name, title string
	does        effect
	about       string
	call        string            // the name of the call
	without     []string          // arguments that the tool doesn't have
	words       map[string]string // what is said of arguments in place of the words of the control API
	required    []string          // arguments beside those that the call requires
	defaults    map[string]string // of arguments
	text        string            // the argument that is the whole body, or ""
	room        int               // how many bytes a result may have, if not maxResult

	// complete replaces arguments, or adds some. It may be nil.
	complete func(ctx context.Context, bank *api.Client, in object) error
	// items returns what the tool lists. The tool is a list where it is set.
	items func(in, answer object) []object
	says  string // the text of the answer, or of an item: see expand
	// tells returns the text and the value of an answer, in place of says and of the whole answer. It may be nil.
	tells func(in, answer object) (text string, value object, err error)
	edits bool // whether the value of tells has another schema than the answer
}

// effect is what a tool may do to the simulator.
type effect struct{ readOnly, destructive, idempotent bool }

var (
	reads    = effect{readOnly: true, idempotent: true}
	adds     = effect{}
	changes  = effect{destructive: true}                   // again by each call
	replaces = effect{destructive: true, idempotent: true} // no more by the same call again
)

// longestWait is how long a tool waits at most: for an answer of the bank, for requests, or for a search.
const longestWait = 2 * time.Minute

// addTo adds the tool to a server.
func (t tool) addTo(s *sdk.Server, op operation, bank *api.Client) {
	arguments := t.arguments(op)
	s.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: arguments, OutputSchema: t.answer(op),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.does.readOnly, DestructiveHint: &t.does.destructive,
			IdempotentHint: t.does.idempotent, OpenWorldHint: new(bool)},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := decodeArguments(r.Params.Arguments, arguments)
		if err != nil {
			return refusal(fmt.Sprintf("%v; %s takes %s", err, t.name, listArguments(arguments))), nil
		}
		text, value, err := t.run(ctx, op, asCaller(bank, r.Extra), in)
		if err != nil {
			return refusal(err.Error()), nil
		}
		return result(text, value, cmp.Or(t.room, maxResult)), nil
	})
}

// asCaller returns a client with the token of a request over HTTP. Over standard input, the client has its own.
func asCaller(bank *api.Client, from *sdk.RequestExtra) *api.Client {
	if from == nil || from.Header == nil {
		return bank
	}
	return bank.WithToken(bearer(from.Header))
}

// bearer returns the bearer token of a request, or "".
func bearer(header http.Header) string {
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// run makes the tool's call. It returns a text for a reader in a hurry, and the value in full.
func (t tool) run(ctx context.Context, op operation, bank *api.Client, in object) (string, object, error) {
	for name, value := range t.defaults {
		in[name] = cmp.Or(in[name], any(value))
	}
	if t.complete != nil {
		if err := t.complete(ctx, bank, in); err != nil {
			return "", nil, err
		}
	}
	sent := maps.Clone(in)
	if t.items != nil {
		delete(sent, "skip")
		if delete(sent, "limit"); slices.Contains(op.query, "limit") {
			sent["limit"] = maxLooked
		}
	}
	answer, err := op.call(ctx, bank, sent, t.text)
	switch {
	case err != nil:
		return "", nil, err
	case t.items != nil:
		return list(in, t.items(in, answer), t.says, slices.Contains(op.query, "limit"))
	case t.tells != nil:
		return t.tells(in, answer)
	}
	return expand(t.says, answer), answer, nil
}

// arguments returns the schema of the tool's arguments.
func (t tool) arguments(op operation) *jsonschema.Schema {
	all := *op.arguments
	all.Properties = maps.Clone(all.Properties)
	all.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // there are no others
	maps.DeleteFunc(all.Properties, func(name string, _ *jsonschema.Schema) bool {
		return slices.Contains(t.without, name)
	})
	if t.items != nil {
		all.Properties["limit"] = &jsonschema.Schema{
			Type: "integer", Description: "1 to 100. Default: as many as a result has room for."}
		all.Properties["skip"] = &jsonschema.Schema{
			Type: "integer", Description: "How many to leave out at the beginning."}
	}
	for name, words := range t.words {
		described := jsonschema.Schema{Type: "string"}
		if known := all.Properties[name]; known != nil {
			described = *known
		}
		described.Description = words
		all.Properties[name] = &described
	}
	all.Required = slices.DeleteFunc(slices.Concat(all.Required, t.required), func(name string) bool {
		return t.defaults[name] != ""
	})
	return &all
}

// answer returns the schema of the tool's result.
func (t tool) answer(op operation) *jsonschema.Schema {
	switch {
	case t.items != nil:
		return listSchema
	case op.answer != nil && !t.edits:
		return op.answer
	}
	return &jsonschema.Schema{Type: "object"}
}

// decodeArguments returns the arguments of a call. It refuses those that the schema lacks, and the lack of a required
// one. The control API refuses what is wrong with their values. A number where a text is expected is its text.
func decodeArguments(data []byte, schema *jsonschema.Schema) (object, error) {
	if len(data) == 0 || string(data) == "null" {
		data = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := strictjson.Decode(data, &members); err != nil {
		return nil, err
	}
	in, err := decode(data)
	if err != nil {
		return nil, err
	}
	known := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		argument := schema.Properties[name]
		if argument == nil {
			return nil, fmt.Errorf("unknown argument %s%s", wording.Quote(name),
				wording.DidYouMean(name, known, "the arguments are"))
		}
		switch value := in[name].(type) {
		case nil: // the clients of some models send it for what they leave out
			delete(in, name)
		case json.Number:
			if integer, ok := strictjson.Integer(value.String()); ok {
				value = json.Number(integer)
			}
			if in[name] = value; argument.Type == "string" {
				in[name] = value.String()
			}
		}
	}
	for _, name := range schema.Required {
		if in[name] == nil || in[name] == "" {
			return nil, errors.New(name + " is missing")
		}
	}
	return in, nil
}

// listArguments lists arguments with their types.
func listArguments(schema *jsonschema.Schema) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		all = append(all, fmt.Sprintf("%s (%s)", name, schema.Properties[name].Type))
	}
	return strings.Join(all, ", ")
}

// result returns the result of a tool. Its text ends with the value, because some clients show the text alone.
func result(text string, value object, room int) *sdk.CallToolResult {
	if value == nil {
		value = object{} // clients expect a value where a tool has an output schema
	}
	text = clip(strings.TrimSpace(text), room-maxText, 0).(string)
	value = withoutNulls(value).(object)
	value = fit(value, room-len(text))
	text += "\n" + string(strictjson.MustEncode(value))
	return &sdk.CallToolResult{StructuredContent: value, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// refusal returns the result of a call that failed.
func refusal(text string) *sdk.CallToolResult {
	text = clip(text, maxResult-maxText, 0).(string)
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
