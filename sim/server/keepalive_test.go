package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// openKeepalive opens a keepalive on a connection of its own.
func openKeepalive(t *testing.T, srv *server.Server) (*net.TCPConn, *http.Response) {
	t.Helper()
	address := strings.TrimPrefix(srv.ControlURL(), "http://")
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /v1/keepalive?linger=10ms HTTP/1.1\r\nHost: %s\r\n\r\n", address)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	return conn.(*net.TCPConn), res
}

// A killed client ends its keepalive, whether its connection is closed (FIN) or reset (RST).
func TestKeepalivesEndWithTheirClients(t *testing.T) {
	t.Parallel()
	for name, linger := range map[string]int{"FIN": -1, "RST": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := simtest.Start(t, server.Config{IdleAfter: time.Hour}).Server
			conn, res := openKeepalive(t, srv)
			require.Equal(t, 200, res.StatusCode)
			require.NoError(t, conn.SetLinger(linger))
			require.NoError(t, conn.Close())
			select {
			case reason := <-srv.Idle():
				assert.Equal(t, "the program that started it has ended", reason)
			case <-time.After(simtest.Patience):
				t.Fatal("the keepalive's end was not noticed")
			}
		})
	}
}

// A shutdown doesn't wait for keepalives.
func TestShutdownEndsKeepalives(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	_, res := openKeepalive(t, b.Server)
	ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
	defer cancel()
	require.NoError(t, b.Server.Shutdown(ctx))
	lines := bufio.NewScanner(res.Body)
	require.True(t, lines.Scan())
	assert.Equal(t, "held until this answer ends", lines.Text())
	assert.False(t, lines.Scan())
}
