package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { simtest.Main(m) }

func TestLargeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.ListGroups.With("x-filler", strings.Repeat("x", 40<<10)).Expect(b, 431)
	simtest.ListGroups.With("x-filler", strings.Repeat("x", 30<<10)).Expect(b, 200)
}

// During a shutdown, requests under way get their answers, and no new ones are accepted.
func TestShutdownWaitsForRequests(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	call, conn := simtest.UpdateAccount, b.Dial()
	// The body is sent only once the handler reads it.
	_, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: %d\r\n",
		call.Method, call.Path, len(call.Body))
	require.NoError(t, err)
	require.NoError(t, call.Header.Write(conn))
	_, err = io.WriteString(conn, "\r\n")
	require.NoError(t, err)
	answers := bufio.NewReader(conn)
	line, err := answers.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue")
	_, err = answers.ReadString('\n')
	require.NoError(t, err)

	ended := make(chan error, 1)
	go func() { ended <- b.Server.Shutdown(context.Background()) }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(b.Server.ServiceURL(), "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, simtest.Patience, time.Millisecond, "the service listener closes")
	select {
	case err := <-ended:
		t.Fatalf("the server has ended with a request under way: %v", err)
	default:
	}
	b.Control(503, "GET /readyz", "")

	_, err = io.WriteString(conn, call.Body)
	require.NoError(t, err)
	res, err := http.ReadResponse(answers, nil)
	require.NoError(t, err)
	assert.Equal(t, 200, res.StatusCode)
	assert.NoError(t, <-ended)
}
