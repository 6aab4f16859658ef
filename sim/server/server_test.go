package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

func TestMain(m *testing.M) { simtest.Main(m) }

func TestPortTaken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has another error for a port that is taken")
	}
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	taken := strings.TrimPrefix(b.Server.ControlURL(), "http://")
	for flag, cfg := range map[string]server.Config{
		"--listen":  {Listen: []string{"127.0.0.1:0", taken}, Control: "127.0.0.1:0"},
		"--control": {Listen: []string{"127.0.0.1:0"}, Control: taken},
	} {
		cfg.Sandboxes, cfg.Log = b.Sandboxes, slog.New(slog.DiscardHandler)
		_, err := server.Start(t.Context(), cfg)
		assert.ErrorIs(t, err, syscall.EADDRINUSE)
		assert.EqualError(t, err, flag+" "+taken+": address already in use: choose another with "+flag)
	}
}

func TestLargeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, 431, simtest.ListGroups.With("x-filler", strings.Repeat("x", 40<<10)).Send(b).StatusCode)
	assert.Equal(t, 200, simtest.ListGroups.With("x-filler", strings.Repeat("x", 30<<10)).Send(b).StatusCode)
}

// During a shutdown, requests under way get their answers, and no new ones are accepted.
func TestShutdownWaitsForRequests(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	body, writer := io.Pipe()
	call := simtest.UpdateAccount
	r, err := http.NewRequestWithContext(t.Context(), call.Method, b.BaseURL()+call.Path, body)
	require.NoError(t, err)
	r.Header = call.With("Expect", "100-continue").Header // so that the body is sent only once the handler reads it
	type result struct {
		status int
		err    error
	}
	answered := make(chan result, 1)
	go func() {
		res, err := b.Client.Do(r)
		if err != nil {
			answered <- result{err: err}
			return
		}
		answered <- result{res.StatusCode, res.Body.Close()}
	}()
	_, err = io.WriteString(writer, call.Body[:10])
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

	_, err = io.WriteString(writer, call.Body[10:])
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	assert.Equal(t, result{status: 200}, <-answered)
	assert.NoError(t, <-ended)
}
