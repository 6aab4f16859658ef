// Package mcp lets a coding agent drive a simulator: it serves calls of the control API as tools of the Model Context
// Protocol, over standard input and output or over HTTP. It has no state and decides nothing: the control API does.
// Start at tool.go, then read a table of tools, such as the one in sandboxes.go.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/digitalbanking-sim/banksim/docs"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

const instructions = `banksim simulates a digital banking interface: e-statement preferences, disclosures, tokens,
experience groups, alert preferences. An app under test sends its requests to a base URL, and the bank answers as the
real one would. The bank of the sandbox "default" is at %s.

Begin with create_sandbox: it makes a bank of your own and returns its base URL. Run the app against it, or send an
example of list_operations with send_request. After a refusal, explain_request says why, and which tool call gets past
it. change_user, add_fault and advance_clock bring about what you want to test; verify_requests checks what the app
sent. End with delete_sandbox.`

// ReadFile returns the content of a file, or an error if the file is too large.
type ReadFile func(ctx context.Context, name string) ([]byte, error)

// New returns a server whose tools drive the simulator of a client. Tools take no paths of files if read is nil: over
// HTTP, a path would be one of the simulator's machine.
func New(ctx context.Context, client *api.Client, version string, read ReadFile) (*sdk.Server, error) {
	var info struct{ BaseURL string }
	if err := client.Get(ctx, "/v1/info", &info); err != nil {
		return nil, err
	}
	return newServer(info.BaseURL, client, version, read)
}

// newServer returns a server. Over HTTP, the client has no token of its own.
func newServer(bankURL string, client *api.Client, version string, read ReadFile) (*sdk.Server, error) {
	s := sdk.NewServer(&sdk.Implementation{Name: "banksim", Version: version},
		&sdk.ServerOptions{
			Instructions: fmt.Sprintf(instructions, bankURL), Capabilities: &sdk.ServerCapabilities{},
		})
	calls := operations()
	for _, t := range slices.Concat(interfaceTools, sandboxTools, requestTools, faultTools, bankTools) {
		if t.name == "infer_scenario" && read != nil {
			t = readingFiles(t, read)
		}
		t.addTo(s, calls[t.call], client.Patient(longestWait))
	}
	if err := addSchema(s); err != nil {
		return nil, err
	}
	return s, addPages(s)
}

// addSchema adds the JSON Schema of scenarios as a resource, and each of its definitions as one that refers to others.
func addSchema(s *sdk.Server) error {
	const uri, media = "banksim://scenario-schema", "application/schema+json"
	var schema bytes.Buffer
	if err := json.Compact(&schema, scenario.Schema()); err != nil {
		return err
	}
	addResource(s, uri, "The JSON Schema of scenarios", media, schema.String())
	var parts struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(schema.Bytes(), &parts); err != nil {
		return err
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: uri + "/{part}", Name: "A part of the JSON Schema of scenarios", MIMEType: media,
		Description: "Begin with the part scenario. Others are institution, user, group, faultRule and behavior.",
	}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		part, known := parts.Defs[strings.TrimPrefix(r.Params.URI, uri+"/")]
		if !known {
			return nil, sdk.ResourceNotFoundError(r.Params.URI)
		}
		text := strings.ReplaceAll(string(part), "#/$defs/", uri+"/")
		return textResource(r.Params.URI, media, text), nil
	})
	return nil
}

// addPages adds the pages of the documentation as resources. The name of each is its title.
func addPages(s *sdk.Server) error {
	return fs.WalkDir(docs.Pages, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := docs.Pages.ReadFile(file)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		addResource(s, "banksim://docs/"+file, title, "text/markdown", string(text))
		return err
	})
}

// Handler serves the protocol over HTTP without sessions. Each tool calls with the token of its request. While the
// control API doesn't answer, Handler answers 503 with the reason.
func Handler(client *api.Client, version string) http.Handler {
	var server atomic.Pointer[sdk.Server]
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server.Load() },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return refuseUnreadable(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if server.Load() == nil {
			var info struct{ BaseURL string }
			err := client.WithToken(bearer(r.Header)).Get(r.Context(), "/v1/info", &info)
			var s *sdk.Server
			if err == nil {
				s, err = newServer(info.BaseURL, client, version, nil)
			}
			if err != nil {
				refuseOverHTTP(w, http.StatusServiceUnavailable, jsonrpc.ID{},
					&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()})
				return
			}
			server.Store(s)
		}
		protocol.ServeHTTP(w, r)
	}))
}

func addResource(s *sdk.Server, uri, name, mediaType, text string) {
	s.AddResource(&sdk.Resource{URI: uri, Name: name, MIMEType: mediaType},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return textResource(uri, mediaType, text), nil
		})
}

// textResource returns a new result, because the SDK writes to it.
func textResource(uri, mediaType, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mediaType, Text: text}}}
}
