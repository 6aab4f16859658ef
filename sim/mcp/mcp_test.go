package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/mcp"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

func TestMain(m *testing.M) { simtest.Main(m) }

const token = "agents-only"

// start starts a simulator whose control API needs the token.
func start(t *testing.T) *simtest.Bank {
	return simtest.Start(t, server.Config{ControlToken: token, Agents: func(s *server.Server) http.Handler {
		return mcp.Handler(api.NewClient(s.ControlURL(), token, nil), "test")
	}})
}

// session is an agent's.
type session struct {
	*sdk.ClientSession
	t     *testing.T
	tools []*sdk.Tool
}

func connect(t *testing.T, to sdk.Transport) session {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "agent"}, nil).Connect(t.Context(), to, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	listed, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	return session{s, t, listed.Tools}
}

// withToken sends the token of the control API, and leaves no connection open.
type withToken struct{ *http.Transport }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return w.Transport.RoundTrip(r)
}

// overHTTP connects an agent to /mcp of a simulator.
func overHTTP(t *testing.T, b *simtest.Bank) session {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return connect(t, &sdk.StreamableClientTransport{
		Endpoint:             b.Server.ControlURL() + "/mcp",
		HTTPClient:           &http.Client{Transport: withToken{transport}},
		DisableStandaloneSSE: true,
	})
}

// overStreams connects an agent to a server of the protocol as banksim mcp does.
func overStreams(t *testing.T, b *simtest.Bank) session {
	in, out := serveStreams(t, b)
	return connect(t, &sdk.IOTransport{Reader: out, Writer: in})
}

// serveStreams serves the protocol until the input is closed. Closing the input waits for the server.
func serveStreams(t *testing.T, b *simtest.Bank) (in net.Conn, out io.ReadCloser) {
	client := api.NewClient(b.Server.ControlURL(), token, nil)
	t.Cleanup(client.Close)
	s, err := mcp.New(t.Context(), client, "test", readFile)
	require.NoError(t, err)
	theirs, in := net.Pipe()
	out, ours := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Run(context.Background(), mcp.Lines(theirs, ours))
		_ = ours.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		assert.NoError(t, <-ended)
	})
	return in, out
}

func readFile(_ context.Context, name string) ([]byte, error) { return os.ReadFile(name) }

// call calls a tool with arguments in JSON, and returns its text and its value.
func (s session) call(tool, args string) (text string, value object, failed bool) {
	s.t.Helper()
	result, err := s.CallTool(s.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	require.NoError(s.t, err)
	require.Len(s.t, result.Content, 1)
	text = result.Content[0].(*sdk.TextContent).Text
	assert.LessOrEqual(s.t, len(text), 8<<10, tool)
	if require.Equal(s.t, result.IsError, result.StructuredContent == nil, tool); !result.IsError {
		value = result.StructuredContent.(object)
		i := slices.IndexFunc(s.tools, func(t *sdk.Tool) bool { return t.Name == tool })
		output, err := json.Marshal(s.tools[i].OutputSchema)
		require.NoError(s.t, err)
		var schema jsonschema.Schema
		require.NoError(s.t, json.Unmarshal(output, &schema))
		resolved, err := schema.Resolve(nil)
		require.NoError(s.t, err)
		assert.NoError(s.t, resolved.Validate(value), "%s: %v", tool, value)
		sentence, shown, _ := strings.Cut(text, "\n{")
		assert.JSONEq(s.t, simtest.JSON(value), "{"+shown, "the text has the value")
		text = sentence
	}
	return text, value, result.IsError
}

// does calls a tool that has to succeed.
func (s session) does(tool, args string) (text string, value object) {
	s.t.Helper()
	text, value, failed := s.call(tool, args)
	require.False(s.t, failed, text)
	return text, value
}

// says calls a tool that has to succeed, and whose text has to have a part.
func (s session) says(part, tool, args string) {
	s.t.Helper()
	text, _ := s.does(tool, args)
	assert.Contains(s.t, text, part)
}

type object = map[string]any

// An agent does a whole task with the tools alone.
func TestAgent(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *simtest.Bank) session{"HTTP": overHTTP,
		"streams": overStreams} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := open(t, start(t))
			assert.Contains(t, agent.InitializeResult().Instructions, "is at http://127.0.0.1:")

			created, _ := agent.does("create_sandbox", `{"name": "mine"}`)
			assert.Regexp(t, `^sandbox mine is at base URL http://127\.0\.0\.1:\d+/sandboxes/mine$`, created)
			_, form := agent.does("describe_operation", `{"operation": "estatements.updateUser"}`)
			send := form["example"].(object)
			send["sandbox"], send["path"] = "mine", strings.Replace(send["path"].(string), "1001", "1003", 1)
			agent.says("exchange 1: 400", "send_request", simtest.JSON(send))
			why, explained := agent.does("explain_request", `{"sandbox": "mine"}`)
			assert.Contains(t, why, `the user-level disclosure of user "1003" is not in status ACCEPTED`)
			assert.Contains(t, why, "\nWhat is answered where the disclosure is not in status ACCEPTED? ")
			assert.Len(t, explained["entries"], 1)
			assert.Contains(
				t,
				why,
				`next: change_user {"disclosureStatus":"ACCEPTED","institution":"02688","sandbox":"mine","user":"1003"}`,
			)
			agent.follow(explained)
			user, rows := agent.does("read_state", `{"sandbox": "mine", "institution": "02688", "user": "1003"}`)
			assert.Contains(t, fmt.Sprint(rows["items"]), "institutionDisclosureStatus:ACCEPTED")
			assert.Contains(t, user, "users of 02688: 1003")

			agent.does("take_snapshot", `{"sandbox": "mine", "name": "accepted"}`)
			added, _ := agent.does(
				"add_fault",
				`{"sandbox": "mine", "operation": "estatements.updateUser", "when": {"first": 1},
				"then": {"connection": "reset"}, "phase": "after"}`,
			)
			assert.Equal(t, "added: fault-1 (estatements.updateUser, first 1)", added)
			lost, _ := agent.does("send_request", simtest.JSON(send))
			assert.Equal(t, "exchange 2: the connection was reset", lost)
			agent.says(
				"fault-1 (estatements.updateUser, first 1): matched 1, fired for 1, with effect 1",
				"list_faults",
				`{"sandbox": "mine"}`,
			)
			_, explained = agent.does("explain_request", `{"sandbox": "mine"}`)
			agent.follow(explained)
			faults, _ := agent.does("list_faults", `{"sandbox": "mine"}`)
			assert.Equal(t, "there are none", faults)
			again, _ := agent.does("send_request", simtest.JSON(send))
			assert.Equal(t, "exchange 3: 204", again)
			agent.says(
				"verified: true",
				"verify_requests",
				`{"sandbox": "mine", "operation": "estatements.*", "exactly": 3}`,
			)
			agent.says("verified: false. expected requests (operation \"groups.create\", at least 1): the bank had 0",
				"verify_requests", `{"sandbox": "mine", "operation": "groups.create"}`)
			newest, _ := agent.does("list_requests", `{"sandbox": "mine", "limit": 2}`)
			assert.Regexp(
				t,
				`^3  PUT \S+ → 204, accepted by \S+\n2  PUT \S+ → 0, accepted by \S+  fault-1\n1 of 3 are left out: call again with "skip": 2$`,
				newest,
			)

			_, token := agent.does("mint_token", `{"sandbox": "mine"}`)
			send["headers"].(object)["Authorization"] = "Bearer " + token["accessToken"].(string)
			agent.does("change_user", `{"sandbox": "mine", "institution": "02688", "user": "1003", "active": false}`)
			agent.does("restore_snapshot", `{"sandbox": "mine", "snapshot": "accepted"}`)
			_, refused := agent.does("send_request", simtest.JSON(send))
			assert.Contains(t, fmt.Sprint(refused["response"]), "the access token is unknown or revoked")

			_, clock := agent.does("advance_clock", `{"sandbox": "mine", "advance": "90m"}`)
			assert.Equal(t, "2026-01-15T10:30:00Z", clock["now"])
			agent.does("reset", `{"sandbox": "mine"}`)
			none, _ := agent.does("list_requests", `{"sandbox": "mine"}`)
			assert.Equal(t, "there are none", none)
			agent.says("sandbox mine is at", "list_sandboxes", `{}`)
			agent.does("delete_sandbox", `{"sandbox": "mine"}`)
			all, _ := agent.does("list_sandboxes", `{}`)
			assert.NotContains(t, all, "sandbox mine is at")

			valid, summary := agent.does("validate_scenario", `{"yaml": "extends: retail"}`)
			assert.Equal(t, "valid", valid)
			assert.EqualValues(t, 2, summary["summary"].(object)["institutions"])
			valid, _ = agent.does(
				"validate_scenario",
				`{"yaml": "extends: base\nclock: {start: 2026-03-01T08:00:00Z}\n`+
					`faults: [{when: {during: {until: 2026-02-01T00:00:00Z}}, then: {status: 500}}]"}`,
			)
			assert.Contains(t, valid, "valid\nwarning: 3:26: this fault never fires")
			schema, err := agent.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "banksim://scenario-schema"})
			require.NoError(t, err)
			assert.True(t, json.Valid([]byte(schema.Contents[0].Text)))
			scenarios, err := agent.ReadResource(
				t.Context(), &sdk.ReadResourceParams{URI: "banksim://docs/scenarios.md"},
			)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(scenarios.Contents[0].Text, "# "))
		})
	}
}

// follow makes the first call that an explanation names.
func (s session) follow(explained object) {
	s.t.Helper()
	require.NotEmpty(s.t, explained["nextCalls"])
	next := explained["nextCalls"].([]any)[0].(object)
	s.does(next["tool"].(string), simtest.JSON(next["arguments"]))
}

// What a client may know of a tool before it asks the user.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	readOnly, destructive := []string{}, []string{}
	for _, tool := range overStreams(t, start(t)).tools {
		require.NotNil(t, tool.Annotations, tool.Name)
		assert.NotEmpty(t, tool.Title, tool.Name)
		assert.False(t, *tool.Annotations.OpenWorldHint, tool.Name)
		if tool.Annotations.ReadOnlyHint {
			readOnly = append(readOnly, tool.Name)
			assert.True(t, tool.Annotations.IdempotentHint, tool.Name)
		}
		if *tool.Annotations.DestructiveHint {
			destructive = append(destructive, tool.Name)
		}
	}
	assert.ElementsMatch(
		t,
		[]string{"describe_operation", "explain_request", "get_verdict", "infer_scenario", "list_changes",
			"list_faults", "list_operations", "list_requests", "list_sandboxes", "list_scenarios", "read_state",
			"validate_scenario", "verify_requests"},
		readOnly,
	)
	assert.ElementsMatch(
		t,
		[]string{"advance_clock", "change_account", "change_institution", "change_user", "delete_sandbox",
			"remove_fault", "reset", "restore_snapshot", "send_request"},
		destructive,
	)
}

// A new sandbox accepts the example of each operation, whatever the seed of the simulator. One operation is short.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"{name: retail, extends: retail, seed: 99}", "{name: retail, extends: retail}"} {
		agent := overStreams(
			t, simtest.Start(t, server.Config{ControlToken: token, Sandboxes: simtest.Registry(t, scenario)}),
		)
		_, all := agent.does("list_operations", `{}`)
		require.Len(t, all["items"], 28)
		for _, item := range all["items"].([]any) {
			operation := item.(object)["name"]
			text, form := agent.does("describe_operation", simtest.JSON(object{"operation": operation}))
			assert.LessOrEqual(t, len(text)+len(strictjson.MustEncode(form)), 3<<10, operation)
			assert.NotEmpty(t, form["errors"], operation)
			example := form["example"].(object)
			args := object{}
			if strings.Contains(scenario, "seed") {
				args["scenario"] = "retail"
			}
			_, created := agent.does("create_sandbox", simtest.JSON(args))
			example["sandbox"] = created["name"]
			_, sent := agent.does("send_request", simtest.JSON(example))
			assert.Less(t, sent["response"].(object)["status"], 300.0, "%v: %v", operation, sent)
			agent.does("delete_sandbox", simtest.JSON(object{"sandbox": created["name"]}))
		}
	}
}

// Clients write JSON in their own ways, and take what their models take.
func TestHabitsOfClients(t *testing.T) {
	t.Parallel()
	b := start(t)
	for _, accept := range []string{"application/json", "text/event-stream", "*/*"} {
		assert.Equal(t, 200, post(t, b.Server.ControlURL(), listTools, "Accept: "+accept).StatusCode, accept)
	}
	agent := overStreams(t, b)
	for _, tool := range agent.tools {
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			assert.NotContains(t, simtest.JSON(schema), `"type":[`, "%s: a list of types", tool.Name)
		}
	}
	agent.says("sandbox default", "list_sandboxes", `null`)
	agent.says("sandbox default", "list_sandboxes", `{"limit": 5.0, "text": null}`)
	agent.says("verified: true", "verify_requests", `{"operation": "groups.list", "exactly": 0.0}`)
}

// An agent tests what its app does when an answer is lost, with nothing but tools.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	agent := overStreams(t, start(t))
	agent.says("retail: ", "list_scenarios", `{}`)
	agent.does("create_sandbox", `{"name": "mine", "scenario": "retail"}`)
	agent.says("added: user 4711", "add_user",
		`{"sandbox": "mine", "institution": "02688", "hostUserId": "4711", "accounts": ["a-1"]}`)
	agent.says("users/02688/4711", "list_changes", `{"sandbox": "mine"}`)
	agent.does("take_snapshot", `{"sandbox": "mine", "name": "before"}`)
	agent.says("added: group ", "add_group", `{"sandbox": "mine", "institution": "02688", "groupName": "Owls"}`)
	agent.says("groups/02688/", "list_changes", `{"sandbox": "mine", "since": "before"}`)
	agent.does("add_fault", `{"sandbox": "mine", "path": "/rates", "then": {"status": 200, "body": {}}}`)
	agent.says("exchange 1: 200", "send_request", `{"sandbox": "mine", "path": "/rates"}`)
	agent.does("add_fault", `{"sandbox": "mine", "name": "lost", "operation": "groups.list", "when": {"first": 1},
		"then": {"connection": "close"}, "phase": "after"}`)
	list := `{"sandbox": "mine", "path": "/v3/groups",
		"headers": {"Authorization": "Bearer demo-token", "transactionId": "6f1f2d1e-3c1a-4a53-9d0c-000000000001"}}`
	agent.says("exchange 2: the connection was closed", "send_request", list)
	agent.says("exchange 3: 200", "send_request", list)
	agent.says("verified: true", "verify_requests",
		`{"sandbox": "mine", "after": "1", "within": "5s", "inOrder": [
			{"operation": "groups.list"}, {"operation": "groups.list", "status": 200.0}]}`)
	agent.says("passed: true, of 3 requests", "get_verdict", `{"sandbox": "mine"}`)
	agent.says("sandbox mine-2 is at", "fork_sandbox", `{"sandbox": "mine", "name": "mine-2", "before": "3"}`)
	text, _, failed := agent.call("read_state", `{"institution": "02688", "user": "nobody"}`)
	assert.True(t, failed)
	assert.Contains(t, text, `institution "02688" has no user "nobody": it has "`)
	page, err := agent.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "banksim://docs/faults.md"})
	require.NoError(t, err)
	assert.Contains(t, page.Contents[0].Text, "# Faults")
}

// A misspelt operation is answered with the one that was meant.
func TestOperations(t *testing.T) {
	t.Parallel()
	agent := overStreams(t, start(t))
	_, form := agent.does("describe_operation", `{"operation": "groups.create"}`)
	assert.Equal(t, `required. string. 1 to 50 characters, matches \S`, form["members"].(object)["groupName"])
	assert.Contains(t, form["errors"].(object)["400 2004"], "group-exists")
	text, _, failed := agent.call("describe_operation", `{"operation": "groups.craete"}`)
	assert.True(t, failed)
	assert.Equal(t, `there is no operation "groups.craete": did you mean "groups.create"?`, text)
}

// A list is cut between items, and skip gets the rest.
func TestListsAreCutBetweenItems(t *testing.T) {
	t.Parallel()
	agent := overStreams(t, start(t))
	for range 60 {
		agent.does(
			"send_request",
			simtest.JSON(object{"path": "/v3/groups", "headers": object{"X-Long": strings.Repeat("x", 5000)}}),
		)
	}
	for i := range 30 {
		agent.does("create_sandbox", simtest.JSON(object{"name": fmt.Sprint("bank-", i)}))
		agent.does(
			"add_fault",
			fmt.Sprintf(`{"operation": "groups.list", "when": {"nth": %d}, "then": {"status": 500}}`, i+1),
		)
	}
	for tool, count := range map[string]int{"list_requests": 60, "list_sandboxes": 31, "list_faults": 30,
		"list_operations": 28, "read_state": 35} {
		for _, limit := range []int{0, 7, 100} {
			var items []any
			for {
				page := object{"skip": len(items)}
				if limit > 0 {
					page["limit"] = limit
				}
				text, value := agent.does(tool, simtest.JSON(page))
				shown := value["items"].([]any)
				require.NotEmpty(t, shown, tool)
				items = append(items, shown...)
				require.EqualValues(t, count, value["total"], tool)
				if value["nextSkip"] == nil {
					break
				}
				assert.Contains(
					t,
					text,
					fmt.Sprintf(
						"%d of %d are left out: call again with \"skip\": %d", count-len(items), count, len(items),
					),
				)
				assert.EqualValues(t, len(items), value["nextSkip"], tool)
			}
			assert.Len(t, items, count, tool)
			if tool == "list_requests" {
				assert.Equal(t, "60", items[0].(object)["id"])
				assert.Equal(t, "1", items[59].(object)["id"])
			}
		}
	}

	agent.does("create_sandbox", `{"name": "large", "scenario": "crowd"}`)
	text, value := agent.does("read_state", `{"sandbox": "large", "skip": 1}`)
	assert.NotContains(t, value, "total")
	assert.Contains(t, text, "at most 1000 items of a kind are looked at: ask for less to find others")
	text, value = agent.does("read_state", `{"sandbox": "large", "institution": "02688", "user": "1009999"}`)
	assert.Contains(t, text, "users of 02688: 1009999")
	assert.NotContains(t, value, "more")

	headers := object{"Content-Type": "application/json"}
	for i := range 500 {
		headers[fmt.Sprint("X-", i)] = strings.Repeat("x", 100)
	}
	agent.does("send_request", simtest.JSON(object{"method": "POST", "path": "/v3/groups", "headers": headers,
		"body": strings.Repeat("x", 50_000)}))
	_, why := agent.does("explain_request", `{}`)
	assert.NotEmpty(t, why["nextCalls"])
}

// After each refusal, the call that explain_request names gets past it.
func TestNextCalls(t *testing.T) {
	t.Parallel()
	agent := overStreams(t, start(t))
	example := func(operation string) object {
		_, form := agent.does("describe_operation", simtest.JSON(object{"operation": operation}))
		return form["example"].(object)
	}
	status := func(request object) float64 {
		_, sent := agent.does("send_request", simtest.JSON(request))
		return sent["response"].(object)["status"].(float64)
	}
	request := example("estatements.updateAccount")
	agent.does("change_account", `{"institution": "02688", "user": "1001", "account": "acc-1001-checking",
		"disclosureStatus": "NOT_ACCEPTED"}`)
	require.EqualValues(t, 400, status(request))
	_, why := agent.does("explain_request", `{}`)
	agent.follow(why)
	assert.Less(t, status(request), 300.0)

	request["headers"].(object)["Authorization"] = "Bearer wrong"
	require.GreaterOrEqual(t, status(request), 400.0)
	_, why = agent.does("explain_request", `{}`)
	next := why["nextCalls"].([]any)[0].(object)
	require.Equal(t, "mint_token", next["tool"])
	_, minted := agent.does("mint_token", simtest.JSON(next["arguments"]))
	request["headers"].(object)["Authorization"] = "Bearer " + minted["accessToken"].(string)
	assert.Less(t, status(request), 300.0)

	for path, want := range map[string][]any{
		"/digitalbanking/groups/v3/groups": {
			object{"tool": "describe_operation", "arguments": object{"operation": "groups.list"}}},
		"/v9/nothing": {object{"tool": "list_operations", "arguments": object{}}, object{"tool": "add_fault",
			"arguments": object{"path": "/v9/nothing", "then": object{"status": 200.0, "body": object{}}}}},
	} {
		require.GreaterOrEqual(t, status(object{"path": path}), 400.0)
		_, why = agent.does("explain_request", `{}`)
		assert.Equal(t, want, why["nextCalls"], path)
	}
}

// explain_request tells of a fault that the cause doesn't name.
func TestExplainedFaults(t *testing.T) {
	t.Parallel()
	agent := overStreams(t, start(t))
	for then, effect := range map[string]string{
		`{"delay": "1ms"}`:                `delayed the answer by 1ms`,
		`{"headers": {"x-test": "boom"}}`: `set headers of the answer`,
	} {
		agent.does("add_fault", `{"name": "mild", "operation": "groups.list", "then": `+then+`}`)
		agent.does("send_request", `{"path": "/digitalbanking/groups/v3/groups"}`)
		agent.says("\nfault mild: "+effect, "explain_request", `{}`)
		agent.does("remove_fault", `{"name": "mild"}`)
	}
}

// stream is an agent that writes and reads lines itself.
type stream struct {
	t   *testing.T
	in  net.Conn
	out *bufio.Reader
}

type answer struct {
	ID    any
	Error struct {
		Code    int
		Message string
	}
	Result any
}

// openStream returns a stream after the greeting.
func openStream(t *testing.T) stream {
	in, out := serveStreams(t, start(t))
	s := stream{t, in, bufio.NewReader(out)}
	s.write(
		`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},` +
			`"clientInfo":{"name":"raw","version":"1"}}}`,
	)
	require.Equal(t, "hello", s.read().ID)
	s.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s stream) write(line string) {
	s.t.Helper()
	_, err := io.WriteString(s.in, line+"\n")
	require.NoError(s.t, err)
}

// read returns the next answer. Its line has an id, maybe null.
func (s stream) read() (next answer) {
	s.t.Helper()
	line, err := s.out.ReadBytes('\n')
	require.NoError(s.t, err)
	require.NoError(s.t, json.Unmarshal(line, &next))
	assert.Contains(s.t, string(line), `"id":`)
	return next
}

// delay has the bank delay its answers.
func (s stream) delay(duration string) {
	s.t.Helper()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"fault","method":"tools/call","params":{"name":"add_fault","arguments":`+
		`{"then":{"delay":%q}}}}`, duration))
	require.Equal(s.t, "fault", s.read().ID)
}

// sendRequest is a call of send_request, by its id.
const sendRequest = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"send_request","arguments":{"path":"/v3/groups"}}}`

const maxCalls = 16

// A stream answers what it can't read with a small error, and goes on. At its end, answers that are under way arrive.
func TestStreams(t *testing.T) {
	t.Parallel()
	s := openStream(t)
	resource := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"banksim://scenario-schema"}}`
	for line, want := range map[string]int{
		"[" + strings.Repeat(resource+",", 999) + resource + "]": -32600,
		"[]":                       -32600,
		`{"jsonrpc":"2.0","id":`:   -32700,
		"hello":                    -32700,
		`{"id":1,"method":"ping"}`: -32600,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                             -32600,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:                                -32600,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                                            -32600,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":"` + strings.Repeat("x", 3<<20) + `"}`: -32600,
	} {
		s.write(line)
		answer := s.read()
		assert.Equal(t, want, answer.Error.Code, "%.60s", line)
		if len(line) > 1_000_000 && line[0] == '{' { // its id can be read all the same
			assert.EqualValues(t, 1, answer.ID)
		} else {
			assert.Nil(t, answer.ID)
		}
		assert.Less(t, len(answer.Error.Message), 100)
		assert.Equal(
			t, line[0] == '[', strings.HasPrefix(answer.Error.Message, "batches are not supported"),
			answer.Error.Message,
		)
	}

	s.delay("300ms")
	go func() {
		for i := range maxCalls {
			_, _ = fmt.Fprintf(s.in, sendRequest+"\n", i)
		}
		_ = s.in.Close()
	}()
	ids := map[any]bool{}
	for range maxCalls {
		answer := s.read()
		assert.NotNil(t, answer.Result, answer.Error)
		ids[answer.ID] = true
	}
	assert.Len(t, ids, maxCalls)
	_, err := s.out.ReadByte()
	assert.ErrorIs(t, err, io.EOF)
}

// A stream with as many calls as it takes refuses more, and reads on: pings are answered, and calls can be cancelled. A
// cancelled call gets no answer.
func TestBusyStream(t *testing.T) {
	t.Parallel()
	s := openStream(t)
	s.delay("5m")
	ping := func() {
		s.write(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	}
	for round := range 3 { // no round takes a place from the next one
		for i := range maxCalls {
			call := fmt.Sprintf(sendRequest, 100*round+i)
			for accepted := false; !accepted; { // it is refused until the cancelled calls have ended
				s.write(call)
				go ping() // a stream reads nothing while its refusal isn't read
				answer := s.read()
				if accepted = answer.ID == "alive"; !accepted {
					require.Equal(t, -32000, answer.Error.Code)
					require.Equal(t, "alive", s.read().ID)
				}
			}
			s.write(call)
			refused := s.read()
			require.Equal(t, -32600, refused.Error.Code)
			assert.Nil(t, refused.ID)
			assert.Contains(t, refused.Error.Message, "the id is in use")
		}
		s.write(fmt.Sprintf(sendRequest, maxCalls))
		refused := s.read()
		assert.EqualValues(t, maxCalls, refused.ID)
		assert.Equal(t, "at most 16 calls at a time: wait for an answer", refused.Error.Message)
		for i := range maxCalls {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`,
				100*round+i))
		}
		ping()
		assert.Equal(t, "alive", s.read().ID, "no answer to a cancelled call")
	}
}

// A stream reads few calls of an agent that reads no answer, whichever calls they are. It goes on when the agent reads.
func TestUnreadAnswers(t *testing.T) {
	t.Parallel()
	for _, method := range []string{`"ping"`, `"resources/read","params":{"uri":"banksim://scenario-schema"}`} {
		s := openStream(t)
		sent := 0
		for sent < 9000 {
			require.NoError(t, s.in.SetWriteDeadline(time.Now().Add(500*time.Millisecond)))
			if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%s}`+"\n", sent, method); err != nil {
				break
			}
			sent++
		}
		assert.Less(t, sent, 200, method)
		answered := 0
		for range sent {
			if next := s.read(); next.Result != nil {
				answered++
			}
		}
		assert.GreaterOrEqual(t, answered, maxCalls, method)
		require.NoError(t, s.in.SetWriteDeadline(time.Time{}))
	}
}

// While the control API fails, the HTTP endpoint says why. It needs no new start then.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 2)
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if body := <-answers; body == "" {
			w.WriteHeader(http.StatusInternalServerError)
		} else {
			_, _ = io.WriteString(w, body)
		}
	}))
	defer control.Close()
	client := api.NewClient(control.URL, "", nil)
	defer client.Close()
	agents := httptest.NewServer(mcp.Handler(client, "test"))
	defer agents.Close()
	for _, test := range []struct {
		info   string
		status int
		want   string
	}{
		{"", 503, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"` + control.URL + ` answered GET /v1/info with 500`},
		{`{"baseUrl": "http://x"}`, 200, `"name":"create_sandbox"`},
	} {
		answers <- test.info
		answer := post(t, agents.URL, listTools)
		assert.Equal(t, test.status, answer.StatusCode)
		assert.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		assert.Contains(t, answer.Body, test.want)
	}
}

// post sends a message to /mcp of a URL, with the headers of an agent and others.
func post(t *testing.T, url, body string, headers ...string) simtest.Answer {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	r, err := http.NewRequest("POST", url+"/mcp", strings.NewReader(body))
	require.NoError(t, err)
	r.Header = simtest.NewCall(
		"POST", url, body, "Content-Type: application/json", "Accept: application/json, text/event-stream",
		"Authorization: Bearer "+token,
	).Header
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	r.Host = r.Header.Get("Host")
	res, err := transport.RoundTrip(r)
	require.NoError(t, err)
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	_ = res.Body.Close()
	return simtest.Answer{Response: res, Body: string(answer)}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// Over HTTP, a batch and what is no message are answered with a small error before any work.
func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	b := start(t)
	for body, want := range map[string]string{
		"[" + listTools + "," + listTools + "]":      `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":`:                     `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`,
		`{"x":"` + strings.Repeat("x", 2<<20) + `"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message has at most`,
	} {
		answer := post(t, b.Server.ControlURL(), body)
		assert.Equal(t, 400, answer.StatusCode)
		assert.Contains(t, answer.Body, want, "%.60s", body)
		assert.Less(t, len(answer.Body), 200)
	}
}

// Bad input gets an error that says what would be right, and changes nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	b := start(t)
	agent := overHTTP(t, b)
	long := strings.Repeat("x", 900<<10)
	agent.does("take_snapshot", `{"name": "before"}`)
	state := func() string { return b.ControlSandbox(200, "GET /state", "", "Authorization: Bearer "+token).Body }
	for _, test := range []struct {
		tool string
		args string
		want string
	}{
		{"list_requests", `{"limit": "many"}`, "limit must be 1 to 100"},
		{"list_requests", `{"limit": 100000}`, "limit must be 1 to 100: skip gets more"},
		{"list_requests", `{"skip": 5}`, "skip must be 0 to 0"},
		{"list_requests", `{"sandbx": "mine"}`, `unknown argument "sandbx": did you mean "sandbox"?; list_requests takes limit (integer), q (string)`},
		{"describe_operation", simtest.JSON(object{"operation": long}), `the operations are "estatements.getDisclosures", `},
		{"create_sandbox", simtest.JSON(object{"name": long}), "1 to 63"},
		{"create_sandbox", `{"scenario": "retial"}`, `did you mean "retail"?`},
		{"create_sandbox", `{"scenarioYaml": "extends: retail\nfaults: 3"}`, "scenario.yaml:2:9: "},
		{"explain_request", `{}`, "the bank had no request"},
		{"create_sandbox", `{"seed": -1}`, "member \"seed\" must be a whole number, 0 or more"},
		{"read_state", `{"sandbox": "other"}`, `there is no sandbox "other": create_sandbox creates one, list_sandboxes lists them`},
		{"change_user", `{"institution": "02688", "user": "1001", "activ": false}`, `did you mean "active"?; change_user takes`},
		{"change_user", `{"institution": "02688", "user": "1001", "multistatement": false}`, `unknown argument "multistatement"`},
		{"change_user", `{"institution": "02688", "user": "1001", "disclosureStatus": "YES"}`, `it can be "ACCEPTED", "NOT_ACCEPTED"`},
		{"change_account", `{"institution": "02688", "account": "acc-1", "updateFails": false}`, "user is missing"},
		{"change_institution", `{"institution": "02688"}`, "the patch is empty, and changes nothing: give multistatement"},
		{"change_user", `{"active": true}`, "institution is missing; change_user takes"},
		{"create_sandbox", `{"name": "default"}`, `a sandbox of this name exists: there are "default"`},
		{"explain_request", `{"exchange": "../../x"}`, `the journal holds no exchange "../../x"`},
		{"mint_token", `{"institutionId": "1"}`, `there is no institution "1"`},
		{"restore_snapshot", `{"snapshot": "befor"}`, `there is no snapshot "befor": there are "before", "start"`},
		{"remove_fault", `{"name": "falut-1"}`, `there is no fault "falut-1": list_faults lists them`},
		{"delete_sandbox", `{}`, "the default sandbox can't be deleted"},
		{"mint_token", `{"hostUserId": "9"}`, "hostUserId is not one of the institution's users: read_state lists them"},
		{"add_fault", `{"operation": "groups.list", "then": {"status": 999}}`, "status"},
		{"verify_requests", `{}`, "nothing is expected"},
		{"validate_scenario", `{}`, "yaml is missing; validate_scenario takes yaml (string)"},
		{"send_request", `{"path": "v3/groups"}`, "path must begin with /"},
		{"infer_scenario", `{"capture": "x"}`, "this simulator finds no banks behind captures"},
		{"verify_requests", `{"inOrder": [{"operation": "groups.list", "status": 0}]}`, "inOrder[0]: status can't be 0"},
		{"verify_requests", `{"operation": "groups.list", "status": 0}`, "status can't be 0"},
		{"infer_scenario", `{"capture": "{}"}`, "this simulator finds no banks behind captures"},
	} {
		before := state()
		text, _, failed := agent.call(test.tool, test.args)
		require.True(t, failed, "%s %.200v", test.tool, text)
		assert.Contains(t, text, test.want, test.tool)
		assert.NotRegexp(t, `/v1/|…/|\b(GET|POST|PATCH|DELETE) `, text, "a call of the control API")
		assert.Equal(t, before, state(), test.tool)
	}
	_, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop_tables"})
	assert.ErrorContains(t, err, `unknown tool "drop_tables"`)
}

// Who may not call the control API gets nothing at /mcp.
func TestAccess(t *testing.T) {
	t.Parallel()
	b := start(t)
	for header, status := range map[string]int{
		"Authorization: ": 401, "Authorization: Bearer other": 401, "Origin: https://evil.example": 403,
		"Host: evil.example": 421,
	} {
		assert.Equal(t, status, post(t, b.Server.ControlURL(), listTools, header).StatusCode, header)
	}
}

// A capture becomes a bank: from the path of a file where the agent runs the command, else from its text.
func TestInfer(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{ControlToken: token, Inference: infer.Inference()})
	agent := overStreams(t, b)
	_, form := agent.does("describe_operation", `{"operation": "groups.list"}`)
	agent.says("exchange 1: 200", "send_request", simtest.JSON(form["example"]))
	capture := b.ControlSandbox(200, "GET /journal.har", "", "Authorization: Bearer "+token).Body
	file := filepath.Join(t.TempDir(), "capture.har")
	require.NoError(t, os.WriteFile(file, []byte(capture), 0o600))
	_, found := agent.does("infer_scenario", simtest.JSON(object{"file": file, "name": "mine"}))
	assert.EqualValues(t, 1, found["agree"])
	_, other := agent.does("infer_scenario", simtest.JSON(object{"capture": capture, "name": "mine"}))
	assert.Equal(t, found, other)
	agent.does("create_sandbox", simtest.JSON(object{"name": "mine", "scenarioYaml": found["yaml"]}))
	for args, want := range map[string]string{
		`{"file": "/nowhere.har"}`:            "open /nowhere.har: ",
		`{"file": "/x.har", "capture": "{}"}`: "give one of capture and file",
		`{"capture": "x"}`:                    "the capture is no HTTP archive",
	} {
		text, _, failed := agent.call("infer_scenario", args)
		assert.True(t, failed, args)
		assert.Contains(t, text, want)
	}
	part, err := agent.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "banksim://scenario-schema/user"})
	require.NoError(t, err)
	assert.Contains(t, part.Contents[0].Text, `"$ref":"banksim://scenario-schema/account"`)
	_, err = agent.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "banksim://scenario-schema/nobody"})
	assert.ErrorContains(t, err, "Resource not found")
}
