package server

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/tlsca"
)

// However a connection ends, the listener forgets it.
func TestEndedConnectionsAreForgotten(t *testing.T) {
	t.Parallel()
	certificates, err := tlsca.Open(tlsca.Config{})
	require.NoError(t, err)
	s := &Server{log: slog.New(slog.DiscardHandler), certs: certificates}
	for name, speaks := range map[string]protocol{"http": plain{}, "https": s.speaksTLS("")} {
		on, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		l := s.newListener(on, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			kind := fault.Kind(r.URL.Path[1:])
			assert.NoError(t, (&fault.Connection{Kind: kind}).Deliver(w, r, fault.Answer{Status: 200}, nil))
		}), bankapi.WithConn, speaks)
		go func() { _ = l.serve() }()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		for _, kind := range []fault.Kind{fault.Reset, fault.Close, fault.Garbage} {
			_, err := client.Post(l.url()+"/"+string(kind), "text/plain", bytes.NewReader([]byte("x")))
			assert.Error(t, err, "%s: %s", name, kind)
		}
		for _, first := range []string{"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01"} {
			conn, err := net.Dial("tcp", on.Addr().String())
			require.NoError(t, err)
			_, err = io.WriteString(conn, first)
			require.NoError(t, err)
			require.NoError(t, conn.Close())
		}
		client.CloseIdleConnections()
		require.Eventually(t, func() bool {
			l.open.mu.Lock()
			defer l.open.mu.Unlock()
			return len(l.open.open) == 0
		}, time.Minute, time.Millisecond, name)
		require.NoError(t, l.http.Close())
	}
}
