package server_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// openKeepalive opens a keepalive on a connection of its own.
func openKeepalive(t *testing.T, b *simtest.Bank) (*net.TCPConn, *http.Response) {
	t.Helper()
	conn := b.DialURL(b.Server.ControlURL(), "POST /v1/keepalive?linger=10ms HTTP/1.1\r\nHost: localhost\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	return conn, res
}

// A killed client ends its keepalive, whether its connection is closed (FIN) or reset (RST).
func TestKeepalivesEndWithTheirClients(t *testing.T) {
	t.Parallel()
	for name, linger := range map[string]int{"FIN": -1, "RST": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.Start(t, server.Config{IdleAfter: time.Hour})
			conn, res := openKeepalive(t, b)
			require.Equal(t, 200, res.StatusCode)
			require.NoError(t, conn.SetLinger(linger))
			require.NoError(t, conn.Close())
			select {
			case reason := <-b.Server.Idle():
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
	_, res := openKeepalive(t, b)
	ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
	defer cancel()
	require.NoError(t, b.Server.Shutdown(ctx))
	lines := bufio.NewScanner(res.Body)
	require.True(t, lines.Scan())
	assert.Equal(t, "held until this answer ends", lines.Text())
	assert.False(t, lines.Scan())
}
