package bankapi_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// head returns the header of a call as it goes over the wire, without one that says how long the body is.
func head(b *simtest.Bank, call simtest.Call) string {
	return string(raw(call.WithBody(""), "/sandboxes/"+b.Sandbox.Name()))
}

// answerOn reads one answer from a connection.
func answerOn(t *testing.T, from *bufio.Reader) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(from, nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	return res
}

// A DELETE whose body has no length is answered, and its connection ends: nobody takes the body for the next request.
// The end is an orderly one, wherever the body is by then, so the client doesn't lose the answer.
func TestBodyWithoutLength(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		simtest.Call
		late   bool // whether the body is sent after the answer
		status int
	}{
		"body": {revokeTokens, false, 400},
		"body that is a request": {revokeTokens.WithBody("GET " + simtest.GroupsPath +
			" HTTP/1.1\r\nHost: bank.test\r\ntransactionId: t-2\r\n\r\n"), false, 400},
		"large, after the answer":   {revokeTokens.WithBody(strings.Repeat("x", 200_000)), true, 400},
		"no body":                   {revokeTokens.WithBody(""), false, 400},
		"refused for its header":    {revokeTokens.Without("institutionId"), false, 400},
		"to the root of a sandbox":  {revokeTokens.At(""), false, 404},
		"of a method with a length": {createGroup, false, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			conn := b.Dial()
			first := head(b, test.Call)
			if !test.late {
				first += test.Body
			}
			_, err := io.WriteString(conn, first)
			require.NoError(t, err)
			reader := bufio.NewReader(conn)
			res := answerOn(t, reader)
			assert.Equal(t, test.status, res.StatusCode)
			assert.True(t, res.Close, "%v", res.Header)
			if test.late {
				_, err = io.WriteString(conn, test.Body)
				require.NoError(t, err)
			}
			_, err = reader.ReadByte()
			assert.ErrorIs(t, err, io.EOF, "in order, and nothing else is answered")
			assert.EqualValues(t, 1, b.Journal().Last())
			assert.Equal(t, []string{"close"}, b.Last().Response.Headers["Connection"])
		})
	}
}

// A request that says where it ends leaves its connection to the next one.
func TestConnectionStaysBehindBodiesWithLength(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for name, call := range map[string]simtest.Call{
		"length":              revokeTokens,
		"no body, but length": revokeTokens.WithBody("").With("Content-Length", "0"),
		"chunked":             revokeTokens.With("Transfer-Encoding", "chunked").WithBody("2\r\n{}\r\n0\r\n\r\n"),
		"form":                revokeTokens.WithForm("refresh_token=x"),
		"post":                createGroup,
		"get":                 listGroups,
		"options":             listGroups.WithMethod("OPTIONS"),
	} {
		conn := b.Dial()
		reader := bufio.NewReader(conn)
		for range 2 {
			_, err := conn.Write(raw(call, "/sandboxes/"+b.Sandbox.Name()))
			require.NoError(t, err)
			res := answerOn(t, reader)
			assert.False(t, res.Close, name)
			assert.Empty(t, res.Header.Values("Connection"), name)
		}
	}
}
