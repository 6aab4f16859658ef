package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/mcp"
	"github.com/digitalbanking-sim/banksim/sim/server"
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
	t *testing.T
}

func connect(t *testing.T, to sdk.Transport) session {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "agent"}, nil).Connect(t.Context(), to, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return session{s, t}
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
		Endpoint: b.Server.ControlURL() + "/mcp", HTTPClient: &http.Client{Transport: withToken{transport}}, DisableStandaloneSSE: true,
	})
}

// overStreams connects an agent to a server of the protocol as banksim mcp does.
func overStreams(t *testing.T, b *simtest.Bank) session {
	client := api.NewClient(b.Server.ControlURL(), token, nil)
	t.Cleanup(client.Close)
	s, err := mcp.New(t.Context(), client, "test")
	require.NoError(t, err)
	ours, theirs := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, ours) }()
	t.Cleanup(func() { cancel(); <-ended })
	return connect(t, theirs)
}

// call calls a tool, and returns the texts of its result.
func (s session) call(tool string, args any) (texts []string, failed bool) {
	s.t.Helper()
	result, err := s.CallTool(s.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	require.NoError(s.t, err)
	for _, c := range result.Content {
		texts = append(texts, c.(*sdk.TextContent).Text)
	}
	return texts, result.IsError
}

// does calls a tool that has to succeed.
func (s session) does(tool string, args any) []string {
	s.t.Helper()
	texts, failed := s.call(tool, args)
	require.False(s.t, failed, texts)
	return texts
}

type object = map[string]any

// An agent does a whole task with the tools alone.
func TestAgent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/agents.md")
	require.NoError(t, err)
	for name, open := range map[string]func(*testing.T, *simtest.Bank) session{"HTTP": overHTTP, "streams": overStreams} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := open(t, start(t))
			assert.Contains(t, agent.InitializeResult().Instructions, "is at http://127.0.0.1:")
			listed, err := agent.ListTools(t.Context(), nil)
			require.NoError(t, err)
			for _, tool := range listed.Tools {
				assert.Contains(t, string(page), "`"+tool.Name+"`")
			}

			made := agent.does("create_sandbox", object{"name": "mine"})
			assert.Regexp(t, `^sandbox mine is at base URL http://127\.0\.0\.1:\d+/sandboxes/mine$`, made[0])
			var operation struct{ Example object }
			form := agent.does("list_operations", object{"operation": "estatements.updateUser"})[1]
			require.NoError(t, json.Unmarshal([]byte(form), &operation))
			send := operation.Example
			send["sandbox"], send["path"] = "mine", strings.Replace(send["path"].(string), "1001", "1003", 1)
			assert.Contains(t, agent.does("send_request", send)[1], `"status":400`)
			why := agent.does("explain_request", object{"sandbox": "mine"})
			assert.Contains(t, why[0], `the user-level disclosure of user "1003" is not in status ACCEPTED`)
			row := regexp.MustCompile(`decided by row users/(\w+)/(\w+)`).FindStringSubmatch(why[0])
			require.Len(t, row, 3)

			agent.does("change_state", object{"sandbox": "mine", "institution": row[1], "user": row[2],
				"set": object{"disclosureStatus": "ACCEPTED"}})
			assert.Contains(t, agent.does("read_state", object{"sandbox": "mine", "institution": row[1], "user": row[2]})[1],
				`"institutionDisclosureStatus":"ACCEPTED"`)
			agent.does("add_fault", object{"sandbox": "mine", "operation": "estatements.updateUser", "when": object{"first": 1},
				"then": object{"connection": "reset"}, "phase": "after"})
			assert.Contains(t, agent.does("send_request", send)[1], `"lost":"the stream was reset without an answer"`)
			assert.NotContains(t, agent.does("send_request", send)[1], `"status":400`)
			assert.Contains(t, agent.does("verify_requests", object{"sandbox": "mine", "operation": "estatements.*", "exactly": 3})[0],
				"verified: true")
			missed := agent.does("verify_requests", object{"sandbox": "mine", "operation": "groups.create"})
			assert.Contains(t, missed[0], "verified: false. expected requests (operation \"groups.create\", at least 1): the bank had 0")
			assert.Regexp(t, `^2 requests\n2  PUT \S+ → 0, accepted by \S+\n3  PUT \S+ → 20[46], accepted by`,
				agent.does("list_requests", object{"sandbox": "mine", "limit": 2})[0])

			assert.Contains(t, agent.does("advance_clock", object{"sandbox": "mine", "advance": "90m"})[1], `"now":"2026-01-15T10:30:00Z"`)
			agent.does("reset", object{"sandbox": "mine"})
			assert.Equal(t, "0 requests", agent.does("list_requests", object{"sandbox": "mine"})[0])

			assert.Equal(t, "valid", agent.does("validate_scenario", object{"yaml": "extends: retail"})[0])
			assert.Contains(t, agent.does("validate_scenario", object{"yaml": "extends: base\nclock: {start: 2026-03-01T08:00:00Z}\n" +
				"faults: [{when: {during: {until: 2026-02-01T00:00:00Z}}, then: {status: 500}}]"})[0],
				"valid\nwarning: scenario.yaml:3:26: this fault never fires")
			schema, err := agent.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "banksim://scenario-schema"})
			require.NoError(t, err)
			assert.True(t, json.Valid([]byte(schema.Contents[0].Text)))
			scenarios, err := agent.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "banksim://docs/scenarios.md"})
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(scenarios.Contents[0].Text, "# "))
		})
	}
}

// What doesn't fit into a result can be asked for.
func TestLongResults(t *testing.T) {
	t.Parallel()
	agent := overStreams(t, start(t))
	for range 20 {
		agent.does("send_request", object{"path": "/v3/groups"})
	}
	whole, args := "", object{"limit": 20}
	for {
		texts := agent.does("list_requests", args)
		whole += texts[1]
		if len(texts) < 3 {
			break
		}
		assert.Contains(t, texts[2], fmt.Sprintf("call again with \"offset\": %d.", len(whole)))
		args["offset"] = len(whole)
	}
	assert.Greater(t, len(whole), 16<<10)
	assert.True(t, json.Valid([]byte(whole)))
	assert.Len(t, agent.does("list_requests", object{"offset": 1 << 60}), 1)
}

// Bad input gets an error that says what would be right, and changes nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	b := start(t)
	agent := overHTTP(t, b)
	long := strings.Repeat("x", 900<<10)
	state := func() string { return b.ControlSandbox(200, "GET /state", "", "Authorization: Bearer "+token).Body }
	for _, test := range []struct {
		tool string
		args object
		want string
	}{
		{"list_requests", object{"limit": "many"}, "limit is of another type; list_requests takes limit (integer) offset (integer)"},
		{"list_requests", object{"sandbx": "mine"}, "unknown member sandbx; list_requests takes"},
		{"list_requests", object{"operation": "groups.lst"}, `did you mean "groups.list"?`},
		{"list_requests", object{"limit": -1}, "limit"},
		{"list_operations", object{"operation": long}, "There are:\nestatements.getDisclosures: GET"},
		{"create_sandbox", object{"name": long}, "1 to 63"},
		{"create_sandbox", object{"scenario": "retial"}, `did you mean "retail"?`},
		{"create_sandbox", object{"scenarioYaml": "extends: retail\nfaults: 3"}, "scenario.yaml:2:9: "},
		{"explain_request", object{}, "the bank had no request"},
		{"explain_request", object{"request": "../../x"}, `the journal holds no exchange "../../x"`},
		{"read_state", object{"sandbox": "other"}, `there is no sandbox "other"`},
		{"reset", object{"sandbox": "other"}, `there is no sandbox "other"`},
		{"change_state", object{"institution": "02688", "user": "1001", "set": object{"activ": false}}, "the members are active"},
		{"change_state", object{"institution": "02688", "account": "acc-1", "set": object{}}, "no path"},
		{"change_state", object{"institution": "02688", "set": nil}, ""},
		{"add_fault", object{"operation": "groups.list", "then": object{"status": 999}}, "status"},
		{"verify_requests", object{}, "nothing is expected"},
		{"advance_clock", object{"advance": "tomorrow"}, "duration"},
		{"validate_scenario", object{"yaml": "extends: retial"}, `scenario.yaml:1:10: unknown scenario "retial": did you mean "retail"?`},
		{"send_request", object{"path": "v3/groups"}, "path must begin with /"},
	} {
		before := state()
		texts, failed := agent.call(test.tool, test.args)
		require.True(t, failed, "%s %.200v", test.tool, texts)
		assert.Contains(t, texts[0], test.want, test.tool)
		assert.Less(t, len(texts[0]), 20<<10, test.tool)
		assert.Equal(t, before, state(), test.tool)
	}
	_, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop_tables"})
	assert.ErrorContains(t, err, `unknown tool "drop_tables"`)
}

// Who may not call the control API gets nothing at /mcp.
func TestAccess(t *testing.T) {
	t.Parallel()
	b := start(t)
	for name, test := range map[string]struct {
		header, value string
		status        int
	}{
		"no token":       {"Authorization", "", 401},
		"another token":  {"Authorization", "Bearer other", 401},
		"another origin": {"Origin", "https://evil.example", 403},
		"another host":   {"Host", "evil.example", 421},
	} {
		r, err := http.NewRequest("POST", b.Server.ControlURL()+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set(test.header, test.value)
		if test.header == "Host" {
			r.Host = test.value
		}
		res, err := b.Client.Do(r)
		require.NoError(t, err)
		_ = res.Body.Close()
		assert.Equal(t, test.status, res.StatusCode, name)
	}
}
