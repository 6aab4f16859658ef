package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/mcp"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// tokensOf returns a file with a token for each "name access sandboxes". The token is the name, and "-token".
func tokensOf(t *testing.T, lines ...string) *controlapi.TokenFile {
	t.Helper()
	text := "# of tests\n\n"
	for _, line := range lines {
		fields := strings.Fields(line)
		written, err := controlapi.TokenLine(fields[0], fields[0]+"-token", fields[1], fields[2])
		require.NoError(t, err)
		text += written + "\n"
	}
	tokens, err := controlapi.OpenTokens(func() ([]byte, error) { return []byte(text), nil }, nil)
	require.NoError(t, err)
	return tokens
}

// mayCall says what each token gets from each call: the statuses of a team about its own sandbox, of the team about
// another one's, and of monitoring, which may read all sandboxes. An answer that isn't about the right is "ok".
var mayCall = map[string][3]string{
	"GET /healthz":                       {"ok", "ok", "ok"},
	"GET /readyz":                        {"ok", "ok", "ok"},
	"GET /ca.pem":                        {"ok", "ok", "ok"},
	"GET /metrics":                       {"403", "403", "ok"},
	"GET /v1/info":                       {"ok", "ok", "ok"},
	"GET /v1/coverage":                   {"403", "403", "ok"},
	"GET /v1/export":                     {"403", "403", "ok"},
	"POST /v1/infer":                     {"ok", "ok", "ok"},
	"POST /v1/keepalive":                 {"ok", "ok", "403"},
	"GET /v1/openapi.json":               {"ok", "ok", "ok"},
	"GET /v1/operations":                 {"ok", "ok", "ok"},
	"GET /v1/scenarios":                  {"ok", "ok", "ok"},
	"GET /v1/scenarios/schema":           {"ok", "ok", "ok"},
	"POST /v1/scenarios/validate":        {"ok", "ok", "ok"},
	"GET /v1/sandboxes":                  {"ok", "ok", "ok"},
	"POST /v1/sandboxes":                 {"403", "403", "403"}, // the example is named mine
	"GET …":                              {"ok", "404", "ok"},
	"PATCH …":                            {"ok", "404", "403"},
	"DELETE …":                           {"ok", "404", "403"},
	"POST …/begin":                       {"ok", "404", "403"},
	"GET …/clock":                        {"ok", "404", "ok"},
	"POST …/clock":                       {"ok", "404", "403"},
	"GET …/diff":                         {"ok", "404", "ok"},
	"GET …/faults":                       {"ok", "404", "ok"},
	"POST …/faults":                      {"ok", "404", "403"},
	"PUT …/faults":                       {"ok", "404", "403"},
	"DELETE …/faults":                    {"ok", "404", "403"},
	"POST …/fork":                        {"403", "404", "403"}, // the example is named copy
	"PATCH …/institutions/{institution}": {"ok", "404", "403"},
	"POST …/institutions/{institution}/groups":                           {"ok", "404", "403"},
	"POST …/institutions/{institution}/users":                            {"ok", "404", "403"},
	"PATCH …/institutions/{institution}/users/{user}":                    {"ok", "404", "403"},
	"PATCH …/institutions/{institution}/users/{user}/accounts/{account}": {"ok", "404", "403"},
	"GET …/journal":                       {"ok", "404", "ok"},
	"DELETE …/journal":                    {"ok", "404", "403"},
	"GET …/journal.har":                   {"ok", "404", "ok"},
	"POST …/journal/verify":               {"ok", "404", "ok"},
	"GET …/journal/{exchange}":            {"ok", "404", "ok"},
	"GET …/journal/{exchange}/why":        {"ok", "404", "ok"},
	"GET …/keys":                          {"ok", "ok", "ok"}, // public
	"POST …/requests":                     {"ok", "404", "403"},
	"POST …/reset":                        {"ok", "404", "403"},
	"PUT …/resets":                        {"ok", "404", "403"},
	"DELETE …/resets":                     {"ok", "404", "403"},
	"POST /v1/reset":                      {"ok", "ok", "403"},
	"GET …/scenario":                      {"ok", "404", "ok"},
	"PUT …/scenario":                      {"ok", "404", "403"},
	"DELETE …/scenario":                   {"ok", "404", "403"},
	"GET …/snapshots":                     {"ok", "404", "ok"},
	"POST …/snapshots":                    {"ok", "404", "403"},
	"DELETE …/snapshots/{snapshot}":       {"ok", "404", "403"},
	"POST …/snapshots/{snapshot}/restore": {"ok", "404", "403"},
	"GET …/state":                         {"ok", "404", "ok"},
	"POST …/token-status":                 {"ok", "404", "ok"},
	"POST …/tokens":                       {"ok", "404", "403"},
	"GET …/users":                         {"ok", "404", "ok"},
	"GET …/verdict":                       {"ok", "404", "ok"},
}

// Each call asks what the caller's token may do. Nobody gets in without a token, and the single token may do all.
func TestNamedTokens(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{ControlToken: controlToken,
		ControlTokens: tokensOf(t, "team write team-a,team-a-*", "monitoring read *")})
	in := strings.NewReplacer("{institution}", "02688", "{user}", "1001", "{account}", "acc-1001-checking",
		"{exchange}", "1", "{snapshot}", "one")
	number := 0
	call := func(c controlapi.Call, sandboxPrefix, token string) string {
		number++
		name := fmt.Sprint(sandboxPrefix, number)
		made, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: name})
		require.NoError(t, err)
		simtest.ListGroups.Send(b.In(name))
		_, err = made.Snapshot(t.Context(), "one")
		require.NoError(t, err)
		path := in.Replace(strings.ReplaceAll(c.Path, "{sandbox}", name))
		body := c.Example
		if c.Name == "takeSnapshot" {
			body = `{"name": "two"}`
		}
		r := b.Request(c.Method, b.Server.ControlURL()+path, body, bearer(token))
		res, err := http.DefaultClient.Do(r) // the answer of keepalive has no end
		require.NoError(t, err)
		if c.Name != "holdSimulator" {
			_, _ = io.Copy(io.Discard, res.Body)
		}
		require.NoError(t, res.Body.Close())
		switch res.StatusCode {
		case 401, 403:
			return fmt.Sprint(res.StatusCode)
		case 404:
			if c.Name != "getCA" && c.Name != "getMetrics" && c.Name != "inferScenario" { // this simulator has none
				return "404"
			}
		}
		return "ok"
	}
	requests := 0
	for _, c := range controlapi.Calls() {
		route := strings.Replace(c.Method+" "+c.Path, "/v1/sandboxes/{sandbox}", "…", 1)
		want, isThere := mayCall[route]
		if !assert.True(t, isThere, "say in mayCall who may call %s", route) {
			continue
		}
		got := [3]string{
			call(c, "team-a-", "team-token"), call(c, "team-b-", "team-token"), call(c, "team-b-", "monitoring-token"),
		}
		assert.Equal(t, want, got, route)
		assert.Equal(t, "ok", call(c, "team-b-", controlToken), route)
		stranger := call(c, "team-b-", "no-token")
		isOpen := c.IsPublic || strings.HasSuffix(c.Path, "/keys")
		assert.Equal(t, map[bool]string{true: "ok", false: "401"}[isOpen], stranger, route)
		requests += 5
	}
	assert.Greater(t, requests, 200)
}

// A team sees its own sandboxes alone, creates none for others, and its name is where others ask who did it.
func TestATeamIsAlone(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := simtest.Start(t, server.Config{Log: slog.New(slog.NewTextHandler(&log, nil)),
		ControlTokens: tokensOf(t, "team write team-a,team-a-*", "other write *"),
		Agents: func(s *server.Server) http.Handler {
			return mcp.Handler(api.NewClient(s.ControlURL(), "", nil), "test")
		}})
	mine, all := bearer("team-token"), bearer("other-token")
	b.Control(201, "POST /v1/sandboxes", `{"name": "team-b"}`, all)
	b.Control(201, "POST /v1/sandboxes", `{"name": "team-a"}`, mine)
	const remedy = "the token team may use the sandboxes team-a, team-a-*: give the new sandbox such a name"
	assert.Contains(t, b.Control(403, "POST /v1/sandboxes", `{"name": "team-c"}`, mine).Body, remedy)
	assert.Contains(t, b.Control(403, "POST /v1/sandboxes", `{}`, mine).Body, remedy)
	assert.Contains(t, b.Control(403, "POST /v1/sandboxes/team-a/fork", `{"name": "team-c"}`, mine).Body, remedy)
	b.Control(201, "POST /v1/sandboxes/team-a/fork", `{"name": "team-a-2"}`, mine)
	list := b.Control(200, "GET /v1/sandboxes", "", mine).Body
	assert.Contains(t, list, `"total":2`)
	assert.NotContains(t, list, "team-b")
	assert.Contains(t, b.Control(404, "GET /v1/sandboxes/team-b", "", mine).Body, "did you mean \\\"team-a\\\"?")
	assert.Contains(t, b.Control(409, "POST /v1/sandboxes", `{"name": "team-a"}`, mine).Body, `\"team-a\"`)
	b.Control(200, "GET /v1/coverage?sandbox=team-a", "", mine)
	b.Control(404, "GET /v1/coverage?sandbox=team-b", "", mine)

	b.Control(204, "POST /v1/sandboxes/team-a/reset", "", mine)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/team-a", "", mine).Body, `"by":"team"`)
	b.Control(200, "POST /v1/sandboxes/team-a/requests", `{"path": "/v3/groups"}`, mine)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/team-a/journal", "", mine).Body, `"sentBy":"team"`)
	assert.Regexp(t, `route="POST /v1/sandboxes/\{sandbox\}/reset".* token=team\n`, log.String())
	assert.NotContains(t, log.String(), "-token")

	tool := func(token, name, arguments string) string {
		body := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "` + name + `", "arguments": ` +
			arguments + `}}`
		r := b.Request("POST", b.Server.ControlURL()+"/mcp", body, "Content-Type: application/json", bearer(token))
		res, err := http.DefaultClient.Do(r) // the bank's own client wants calls of the document
		require.NoError(t, err)
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return string(answer)
	}
	assert.NotContains(t, tool("team-token", "list_sandboxes", `{}`), "team-b")
	assert.Contains(t, tool("other-token", "list_sandboxes", `{}`), "team-b")
	assert.Contains(t, tool("team-token", "delete_sandbox", `{"sandbox": "team-b"}`), "there is no sandbox")
	b.Control(401, "POST /mcp", `{}`, "Content-Type: application/json")
}

// A file of tokens is read again when it changes. While it has a mistake, the tokens stay, and the log and /readyz say
// so.
func TestTokensAreReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tokens")
	line := func(name string) string {
		text, err := controlapi.TokenLine(name, name+"-token", "write", "*")
		require.NoError(t, err)
		return text + "\n"
	}
	synctest.Test(t, func(t *testing.T) {
		var told []string
		require.NoError(t, os.WriteFile(file, []byte(line("one")), 0o600))
		tokens, err := controlapi.OpenTokens(func() ([]byte, error) { return os.ReadFile(file) },
			func(count int, problem error) { told = append(told, fmt.Sprint(count, " ", problem)) })
		require.NoError(t, err)
		later := func(text string) error {
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			time.Sleep(3 * time.Second)
			return tokens.Problem()
		}
		require.NoError(t, later(line("one")))
		require.NoError(t, later(line("one")+line("two")))
		assert.EqualError(t, later(line("one")+line("one")),
			"line 2: the name one is there twice: give each token one of its own")
		assert.ErrorContains(t, later("one two three"), "line 1: it has 3 fields, not 4")
		assert.ErrorContains(t, later(strings.Replace(line("one"), "write", "all", 1)), "must be read or write")
		assert.ErrorContains(t, later("one abc write *"), "must be a SHA-256 in hexadecimal")
		noPattern := strings.Replace(line("one"), "*", "Team/*", 1)
		assert.ErrorContains(t, later(noPattern), `"Team/*" is no pattern of sandboxes`)
		assert.ErrorContains(t, later(line("one")+strings.Replace(line("one"), "one", "two", 1)),
			"line 2: the token of two is there twice, also as that of one")
		require.NoError(t, later(line("two")))
		require.NoError(t, later("# the last one is taken back, too\n"))
		assert.Equal(t, "2 <nil>", told[0])
		assert.Equal(t, "2 line 2: the name one is there twice: give each token one of its own", told[1])
		assert.Equal(t, []string{"1 <nil>", "0 <nil>"}, told[len(told)-2:])
		require.NoError(t, os.Remove(file))
		time.Sleep(3 * time.Second)
		assert.ErrorContains(t, tokens.Problem(), "no such file")
	})
}
