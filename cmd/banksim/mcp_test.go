package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An agent starts the program, writes JSON-RPC a line each and reads the answers, and ends its input when it is done.
func TestMCP(t *testing.T) {
	t.Parallel()
	service, control := startSimulator(t, "--control-token=s3cr.t")
	for name, args := range map[string]string{"of its own": "mcp", "running": "mcp --control-token=s3cr.t --control=" + control} {
		program, err := exec.LookPath("banksim") // this test binary, see TestMain
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), program, strings.Fields(args)...)
		input, err := cmd.StdinPipe()
		require.NoError(t, err)
		output, err := cmd.StdoutPipe()
		require.NoError(t, err)
		errs := &strings.Builder{}
		cmd.Stderr = errs
		require.NoError(t, cmd.Start())
		answers := bufio.NewReader(output)
		ask := func(request string) string {
			_, err := io.WriteString(input, request+"\n")
			require.NoError(t, err)
			answer, err := answers.ReadString('\n')
			require.NoError(t, err, errs)
			return answer
		}
		call := func(tool, args string) string {
			return ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`)
		}
		hello := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"raw","version":"1"}}}`)
		url := regexp.MustCompile(`is at (http://127\.0\.0\.1:\d+)`).FindStringSubmatch(hello)
		require.Len(t, url, 2, hello)
		_, err = io.WriteString(input, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		require.NoError(t, err)
		res, err := http.Get(url[1] + "/v3/groups")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Contains(t, call("explain_request", `{}`), "header Authorization is missing", name)
		assert.Contains(t, call("reset", `{"sandbox":7}`), `"isError":true`)
		assert.Contains(t, ask(`{"jsonrpc":"2.0","id":3,"method":"tools/explode"}`), `"error":{`)
		assert.Contains(t, ask(`[{"jsonrpc":"2.0","id":4,"method":"tools/list"}]`), `"error":{"code":-32600,`)
		assert.Contains(t, ask(`{"jsonrpc":`), `"error":{"code":-32700,`)
		_, err = io.WriteString(input, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"list_requests"}}`+"\n")
		require.NoError(t, err)
		require.NoError(t, input.Close())
		last, err := io.ReadAll(answers)
		require.NoError(t, err)
		assert.Contains(t, string(last), `"id":5,"result":`, name)
		assert.NoError(t, cmd.Wait(), errs)
		if name == "running" {
			assert.Equal(t, service, url[1])
			assert.Empty(t, errs.String())
		} else {
			assert.Contains(t, errs.String(), "banksim: the bank is at "+url[1]+", and what it is asked shows http://127.0.0.1:")
		}
	}
}
