package bankapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Who expects the exchange of a connection learns which one it is, also if no answer came, and never takes another one for it.
func TestExpectedExchange(t *testing.T) {
	t.Parallel()
	sandboxes := simtest.Registry(t, simtest.FrozenRetail+"faults: [{name: slow, operation: groups.create, then: {delay: 5m}}, {name: lost, operation: tokens.issue, then: {connection: close}}]\n")
	defer sandboxes.Close()
	bank := bankapi.New(bankapi.Config{Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler)})
	listeners := [2]*httptest.Server{httptest.NewServer(bank), httptest.NewServer(bank.Only("default"))}
	for _, l := range listeners {
		defer l.Close()
	}
	dial := func(l *httptest.Server) net.Conn {
		conn, err := net.Dial("tcp", l.Listener.Addr().String())
		require.NoError(t, err)
		return conn
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		call      simtest.Call
		basePath  string
		isDropped bool // by the client, before there is an answer
	}{
		{call: listGroups}, {call: issueTokens}, {call: createGroup, isDropped: true}, {call: listGroups, basePath: "/sandboxes/nope"}, {call: getDisclosures},
	} {
		for _, l := range listeners {
			if l == listeners[1] && test.basePath != "" {
				continue // it serves one sandbox
			}
			conn, other := dial(l), dial(l)
			expected, forget := bank.Expect(conn)
			assert.Empty(t, expected.ID(ended), "nothing was sent")
			_, err := other.Write(listGroups.Raw("")) // an app's
			require.NoError(t, err)
			_, _ = io.ReadFull(other, make([]byte, 100))
			assert.Empty(t, expected.ID(ended), "that was another connection")

			_, err = conn.Write(test.call.Raw(test.basePath))
			require.NoError(t, err)
			if test.isDropped {
				_ = conn.Close()
			}
			id := expected.ID(t.Context())
			assert.Equal(t, id, expected.ID(ended))
			if test.basePath != "" {
				assert.Empty(t, id, "a sandbox that isn't there has no journal")
			} else {
				x, ok := sandboxes.Default().Now().Journal.Get(id)
				require.True(t, ok, "%s: %q", test.call, id)
				assert.Equal(t, test.call.Method, x.Request.Method)
				assert.True(t, strings.HasPrefix(test.call.Path, x.Request.Path), x.Request.Path)
			}
			forget()
			_, _ = conn.Close(), other.Close()
		}
	}

	conn := dial(listeners[0])
	defer func() { _ = conn.Close() }()
	expected, forget := bank.Expect(conn)
	defer forget()
	_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", simtest.GroupsPath)
	require.NoError(t, err)
	require.NotEmpty(t, expected.ID(t.Context()))
	sandboxes.Default().Reset()
	assert.Empty(t, expected.ID(t.Context()), "its journal is gone")
}
