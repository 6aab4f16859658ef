package fault_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

func TestReset(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has another error for a reset")
	}
	for _, request := range []string{get, post(100), post(900_000)} {
		d := deliver(fault.Connection{Kind: fault.Reset{}}, answer(200, payload))
		server := serve(t, d)
		received, err := io.ReadAll(dial(t, server, request))
		assert.ErrorIs(t, err, syscall.ECONNRESET)
		assert.Empty(t, received)
		assert.NoError(t, d.await(t))

		_, err = server.Client().Post(server.URL, "text/plain", strings.NewReader("x"))
		assert.ErrorIs(t, err, syscall.ECONNRESET)
	}
}

func TestClose(t *testing.T) {
	for _, request := range []string{get, post(100), post(900_000)} {
		d := deliver(fault.Connection{Kind: fault.Close{}}, answer(200, payload))
		server := serve(t, d)
		received, err := io.ReadAll(dial(t, server, request))
		assert.NoError(t, err, "an orderly end")
		assert.Empty(t, received)
		assert.Equal(t, http.ErrAbortHandler, d.await(t))

		_, err = server.Client().Post(server.URL, "text/plain", strings.NewReader("x"))
		assert.ErrorIs(t, err, io.EOF)
	}
}

// A hang ends when the caller gives up, whether or not the operation has read the request.
func TestHangEndsWithTheCaller(t *testing.T) {
	for name, request := range map[string]string{
		"without a body": get, "with a body": post(100), "with a large body": post(900_000),
	} {
		d := deliver(fault.Connection{Kind: fault.Hang{For: fault.Duration(fault.MaxHang)}}, answer(200, payload))
		conn := dial(t, serve(t, d), request)
		require.NoError(t, conn.Close())
		assert.Equal(t, http.ErrAbortHandler, d.await(t), name)
	}
	d := deliver(fault.Connection{Kind: fault.Hang{}}, answer(200, payload))
	server := serve(t, d)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "PUT", server.URL, strings.NewReader("x"))
	require.NoError(t, err)
	_, err = server.Client().Do(request)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, http.ErrAbortHandler, d.await(t))
}

func TestHangEndsWithTheServer(t *testing.T) {
	d := deliver(fault.Connection{Kind: fault.Hang{For: fault.Duration(fault.MaxHang)}}, answer(200, payload))
	conn := dial(t, serve(t, d), get)
	close(d.draining)
	received, err := io.ReadAll(conn)
	assert.NoError(t, err)
	assert.Empty(t, received)
}
