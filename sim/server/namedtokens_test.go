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

// rights are the statuses of a call for a team about its own sandbox, for the team about another one's, and for
// monitoring, which may read all sandboxes. An answer that isn't about the right is "ok".
type rights [3]string

var (
	forAll   = rights{"ok", "ok", "ok"}
	toRead   = rights{"ok", "404", "ok"}
	toChange = rights{"ok", "404", "403"}
	toWatch  = rights{"403", "403", "ok"} // all sandboxes together
)

// exceptions are the calls whose rights don't follow from their method and their path.
var exceptions = map[string]rights{
	"GET /metrics":          toWatch,
	"GET /v1/coverage":      toWatch,
	"GET /v1/export":        toWatch,
	"POST /v1/keepalive":    {"ok", "ok", "403"},
	"POST /v1/reset":        {"ok", "ok", "403"},
	"POST /v1/sandboxes":    {"403", "403", "403"}, // the example is named mine
	"POST …/fork":           {"403", "404", "403"}, // the example is named copy
	"POST …/journal/verify": toRead,
	"POST …/token-status":   toRead,
	"GET …/keys":            forAll, // public
}

// rightsOf returns the rights that a call has: GET reads a sandbox, other methods change it, and a call that is about
// no sandbox is for all.
func rightsOf(route string) rights {
	if special, isThere := exceptions[route]; isThere {
		return special
	}
	method, path, _ := strings.Cut(route, " ")
	switch {
	case !strings.HasPrefix(path, "…"):
		return forAll
	case method == http.MethodGet:
		return toRead
	}
	return toChange
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
		got := rights{
			call(c, "team-a-", "team-token"), call(c, "team-b-", "team-token"), call(c, "team-b-", "monitoring-token"),
		}
		assert.Equal(t, rightsOf(route), got, route)
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
	mine, everybody := bearer("team-token"), bearer("other-token")
	b.Control(201, "POST /v1/sandboxes", `{"name": "team-b"}`, everybody)
	b.Control(201, "POST /v1/sandboxes", `{"name": "team-a"}`, mine)
	const remedy = "the token team may use the sandboxes team-a, team-a-*: give the new sandbox such a name"
	assert.Contains(t, b.Control(403, "POST /v1/sandboxes", `{"name": "team-c"}`, mine).Body, remedy)
	named := simtest.Decode[api.Sandbox](t, b.Control(201, "POST /v1/sandboxes", `{}`, mine)).Name
	assert.Regexp(t, "^team-a-[a-z2-7]{8}$", named, "assigned")
	b.Control(204, "DELETE /v1/sandboxes/"+named, "", mine)
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
	assert.JSONEq(t, `{"reset": ["team-a", "team-a-2"]}`, b.Control(200, "POST /v1/reset", "", mine).Body)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/team-a-2", "", mine).Body, `"by":"team"`)
	assert.Contains(t, b.Control(200, "GET /v1/sandboxes/team-b", "", everybody).Body, `"lastReset":null`)
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
		one := line("one")
		for _, mistake := range [][2]string{
			{one + one, "line 2: the name one is there twice: give each token one of its own"},
			{"one two three", "line 1: it has 3 fields, not 4"},
			{strings.Replace(one, "write", "all", 1), "must be read or write"},
			{"one abc write *", "must be a SHA-256 in hexadecimal"},
			{strings.Replace(one, "*", "Team/*", 1), `"Team/*" is no pattern of sandboxes`},
			{one + strings.Replace(one, "one", "two", 1), "line 2: the token of two is there twice, also as that of one"},
		} {
			assert.ErrorContains(t, later(mistake[0]), mistake[1])
		}
		require.NoError(t, later(line("two")))
		require.NoError(t, later("# the last one is taken back, too\n"))
		assert.Equal(t, "2 <nil>", told[0])
		assert.Equal(t, "2 line 2: the name one is there twice: give each token one of its own", told[1])
		assert.Equal(t, []string{"1 <nil>", "0 <nil>"}, told[len(told)-2:])
		require.NoError(t, later("")) // what a file that can't be read has, too
		require.NoError(t, os.Remove(file))
		time.Sleep(3 * time.Second)
		assert.ErrorContains(t, tokens.Problem(), "no such file")
		assert.Contains(t, told[len(told)-1], "no such file")
	})
}
