package server_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A path that doesn't parse gets the error of its family, also in the second request of a connection.
func TestUnreadablePaths(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for path, body := range map[string]string{
		"/v3/groups/7%":                    `{"code":"2000",`,
		"/sandboxes/a/v1/user-status/%zz":  `{"code":"ISR_11007",`,
		"/v1/e-statements/%/disclosures":   `{"status":400,"code":"UXESTMT_11018",`,
		"/digitalbanking/oauth2/v1/token%": `{"code":"CMN_90011",`,
	} {
		conn := b.Dial("GET /v3/groups HTTP/1.1\r\nHost: a\r\n\r\n")
		first, err := conn.Read(make([]byte, 4<<10))
		require.NoError(t, err)
		require.Positive(t, first)
		_, err = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
		require.NoError(t, err)
		answer, err := io.ReadAll(conn)
		require.NoError(t, err, "the connection ends")
		const head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
		assert.True(t, strings.HasPrefix(string(answer), head))
		assert.Contains(t, string(answer), "\r\n\r\n"+body, path)
	}
}
