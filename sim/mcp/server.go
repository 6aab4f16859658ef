// Package mcp lets a coding agent drive a simulator: it serves calls of the control API as tools of the Model Context Protocol, over
// standard input and output or over HTTP. It has no state and decides nothing: what a tool says comes from the control API.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/docs"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// maxPart is how much of a text or of JSON a result has at most, in bytes (choice): what an agent reads costs it room.
const maxPart = 16 << 10

const instructions = `banksim simulates a digital banking interface: e-statement preferences, disclosures, tokens, experience groups,
alert preferences. An app under test sends its requests to a base URL, and the bank answers as the real one would. The bank of the
sandbox "default" is at %s.

create_sandbox gives you a bank of your own. list_operations has an example request for each operation, which send_request sends as it
is, and explain_request says why it was answered as it was. change_state, add_fault and advance_clock bring about what you want to test,
and verify_requests checks what the app sent. The resources say how to describe a bank in YAML.`

// New returns a server whose tools drive the simulator of a client.
func New(ctx context.Context, client *api.Client, version string) (*sdk.Server, error) {
	var info map[string]any
	if err := client.Get(ctx, "/v1/info", &info); err != nil {
		return nil, err
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "banksim", Version: version},
		&sdk.ServerOptions{Instructions: fmt.Sprintf(instructions, info["baseUrl"]), Capabilities: &sdk.ServerCapabilities{}})
	addTools(s, client)
	addResource(s, "banksim://scenario-schema", "The JSON Schema of scenarios", "application/schema+json", string(scenario.Schema()))
	addResource(s, "banksim://docs/scenarios.md", "How to write scenarios", "text/markdown", docs.Scenarios)
	return s, nil
}

// Handler serves the protocol over HTTP without sessions: each request has a server of its own. Who may call is not its to decide.
func Handler(client *api.Client, version string) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		s, _ := New(r.Context(), client, version) // nil, which is answered with 400, if the control API doesn't answer
		return s
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func addResource(s *sdk.Server, uri, name, media, text string) {
	s.AddResource(&sdk.Resource{URI: uri, Name: name, MIMEType: media},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: media, Text: text}}}, nil
		})
}

// part is embedded in the arguments of tools whose JSON may be long.
type part struct {
	Offset int `json:"offset,omitzero" jsonschema:"Where to go on in the JSON of a result that was cut, in bytes."`
}

// addTool adds a tool that returns a text for a reader in a hurry, and JSON with all of it. Where it fails, nothing has changed.
func addTool[Args any](s *sdk.Server, name, about string, run func(context.Context, Args) (string, []byte, error)) {
	schema, err := jsonschema.For[Args](nil)
	if err != nil {
		panic(err) // the type is this package's own
	}
	takes := name + " takes"
	for _, argument := range slices.Sorted(maps.Keys(schema.Properties)) {
		takes += fmt.Sprintf(" %s (%s)", argument, schema.Properties[argument].Type)
	}
	s.AddTool(&sdk.Tool{Name: name, Description: about, InputSchema: schema},
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var args Args
			var text string
			var data []byte
			err := wire.DecodeKnown([]byte(cmp.Or(string(r.Params.Arguments), "{}")), &args)
			if err == nil {
				text, data, err = run(ctx, args)
			} else {
				err = fmt.Errorf("%w; %s", err, takes)
			}
			if err != nil {
				return &sdk.CallToolResult{IsError: true, Content: content(err.Error())}, nil
			}
			var p part
			_ = json.Unmarshal(r.Params.Arguments, &p) // 0 where the tool takes no offset
			return result(text, data, p.Offset), nil
		})
}

// result returns the text, and the JSON from an offset. It says how to get what there was no room for.
func result(text string, data []byte, from int) *sdk.CallToolResult {
	from = min(max(from, 0), len(data))
	to := min(from+maxPart, len(data))
	for to < len(data) && !utf8.RuneStart(data[to]) {
		to--
	}
	cut := ""
	if to < len(data) {
		cut = fmt.Sprintf("The JSON is cut: for the rest ask for less, or call again with \"offset\": %d.", to)
	}
	return &sdk.CallToolResult{Content: content(text, string(data[from:to]), cut)}
}

// content returns texts, of which each is cut that is too long, and none is empty.
func content(texts ...string) (all []sdk.Content) {
	for _, text := range texts {
		if len(text) > maxPart {
			text = strings.ToValidUTF8(text[:maxPart], "") + "…"
		}
		if text != "" {
			all = append(all, &sdk.TextContent{Text: text})
		}
	}
	return all
}
