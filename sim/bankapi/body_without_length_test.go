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
	b := simtest.NewBank(t, simtest.FrozenRetail)
	request := "GET " + simtest.GroupsPath + " HTTP/1.1\r\nHost: bank.test\r\ntransactionId: t-2\r\n\r\n"
	for i, test := range []struct {
		simtest.Call
		status int
	}{
		{revokeTokens, 400},
		{revokeTokens.WithBody(request), 400},
		{revokeTokens.WithBody(strings.Repeat("x", 200_000)), 400},
		{revokeTokens.WithBody(""), 400},
		{revokeTokens.At(""), 404},
		{createGroup, 400},
	} {
		// Without its body, a call has no header that says how long the body is.
		head := raw(test.WithBody(""), "/sandboxes/"+b.Sandbox.Name())
		isLate := len(test.Body) > 100_000 // the body is sent after the answer
		conn := b.Dial(head)
		if !isLate {
			_, err := io.WriteString(conn, test.Body)
			require.NoError(t, err)
		}
		reader := bufio.NewReader(conn)
		res := answerOn(t, reader)
		assert.Equal(t, test.status, res.StatusCode)
		assert.True(t, res.Close, "%v", res.Header)
		if isLate {
			_, err := io.WriteString(conn, test.Body)
			require.NoError(t, err)
		}
		_, err := reader.ReadByte()
		assert.ErrorIs(t, err, io.EOF, "in order, and nothing else is answered")
		assert.EqualValues(t, i+1, b.Journal().Last())
	}
}
