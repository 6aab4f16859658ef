package controlapi_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// configured records how a connection is configured.
type configured struct {
	net.Conn
	buffer    chan int
	keepAlive chan net.KeepAliveConfig
}

func (c configured) SetWriteBuffer(bytes int) error { c.buffer <- bytes; return nil }

func (c configured) SetKeepAliveConfig(config net.KeepAliveConfig) error {
	c.keepAlive <- config
	return nil
}

// wrapped is a connection as the server's listener gives it, which hides what the connection itself can do.
type wrapped struct {
	net.Conn
	inner net.Conn
}

func (w wrapped) NetConn() net.Conn { return w.inner }

// Streams configure the connection itself, whatever wraps it: an event stream holds little for a client that doesn't
// read, and a lifeline finds a client whose machine is gone.
func TestStreamsConfigureTheirConnections(t *testing.T) {
	t.Parallel()
	own := configured{buffer: make(chan int, 1), keepAlive: make(chan net.KeepAliveConfig, 1)}
	srv := httptest.NewUnstartedServer(controlapi.New(controlapi.Config{
		Sandboxes: simtest.Registry(t, simtest.FrozenRetail), Log: slog.New(slog.DiscardHandler),
	}))
	srv.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return controlapi.WithConn(ctx, wrapped{conn, own})
	}
	srv.Start()
	defer srv.Close()
	for _, path := range []string{"/v1/sandboxes/default/journal/stream", "/v1/lifeline"} {
		ctx, cancel := context.WithTimeout(t.Context(), simtest.Patience)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+path, nil)
		require.NoError(t, err)
		res, err := srv.Client().Do(r)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode)
		cancel()
		_ = res.Body.Close()
	}
	assert.Equal(t, 32<<10, <-own.buffer)
	probes := <-own.keepAlive
	assert.True(t, probes.Enable)
	assert.LessOrEqual(t, probes.Idle+time.Duration(probes.Count)*probes.Interval, 20*time.Second)
}
