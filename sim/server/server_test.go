package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

func TestResetPutsEverythingBack(t *testing.T) {
	b := startBank(t, frozenRetail)
	before, firstDraw := b.state(), createGroup.send(b).body
	for _, change := range []attempt{updateUser, issueTokens, revokeToken, createAlert} {
		change.send(b)
	}
	b.advance(time.Hour)
	require.NotEqual(t, before, b.state())

	require.Equal(t, 204, b.control(http.MethodPost, "/v1/sandboxes/default/reset", "").StatusCode)
	assert.Equal(t, before, b.state())
	assert.Equal(t, firstDraw, createGroup.send(b).body, "the clock and the ids are back at the start, too")
}

func TestStateShowsNoSecret(t *testing.T) {
	state := startBank(t, frozenRetail).state()
	for _, secret := range []string{"demo-token", "demo-refresh", "avery-token", "demo-secret", `"demo"`, "second-token"} {
		assert.NotContains(t, state, secret)
	}
	assert.Regexp(t, `"accessToken":"tok_[0-9a-f]{12}"`, state)
}

// A page of another origin can't change a simulator through somebody's browser.
func TestControlRefusesOtherOrigins(t *testing.T) {
	b := startBank(t, frozenRetail)
	res := b.send(http.MethodPost, b.server.ControlURL()+"/v1/sandboxes/default/reset", "", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site")
	assert.Equal(t, 403, res.StatusCode)
	assert.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
}

func TestPortTaken(t *testing.T) {
	b := startBank(t, frozenRetail)
	taken := strings.TrimPrefix(b.server.ControlURL(), "http://")
	sc, err := scenario.Load("empty")
	require.NoError(t, err)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	for _, cfg := range []server.Config{{Service: taken, Control: "127.0.0.1:0"}, {Service: "127.0.0.1:0", Control: taken}} {
		cfg.Sandboxes, cfg.Log = sandboxes, slog.New(slog.DiscardHandler)
		_, err := server.Start(t.Context(), cfg)
		assert.ErrorIs(t, err, syscall.EADDRINUSE)
		assert.ErrorContains(t, err, "listener")
	}
}

func TestLargeHeadersAreRefused(t *testing.T) {
	b := startBank(t, frozenRetail)
	assert.Equal(t, 431, listGroups.with("x-filler", strings.Repeat("x", 32<<10)).send(b).StatusCode)
	assert.Equal(t, 200, listGroups.with("x-filler", strings.Repeat("x", 30<<10)).send(b).StatusCode)
}

// A client that doesn't finish its header is cut off.
func TestSlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	b := startBank(t, frozenRetail)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.server.ServiceURL(), "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bank\r\n")
	require.NoError(t, err)
	_, err = io.ReadAll(conn) // until the server closes
	var timeout net.Error
	assert.False(t, errors.As(err, &timeout) && timeout.Timeout(), "the server waits without end")
}

// A request that is under way when the server is told to end is answered; new ones are not taken.
func TestShutdownWaitsForRequests(t *testing.T) {
	b := startBank(t, frozenRetail)
	body, writer := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), updateAccount.method, b.server.ServiceURL()+updateAccount.path, body)
	require.NoError(t, err)
	for _, h := range updateAccount.headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	r.Header.Set("Expect", "100-continue") // so that the body flows only when the handler reads it
	type result struct {
		status int
		err    error
	}
	answered := make(chan result, 1)
	go func() {
		res, err := b.client.Do(r)
		if err != nil {
			answered <- result{err: err}
			return
		}
		answered <- result{res.StatusCode, res.Body.Close()}
	}()
	_, err = io.WriteString(writer, updateAccount.body[:10])
	require.NoError(t, err)

	ended := make(chan error, 1)
	go func() { ended <- b.server.Shutdown(context.Background()) }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(b.server.ServiceURL(), "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, 10*time.Second, time.Millisecond, "the service listener closes")
	select {
	case err := <-ended:
		t.Fatalf("the server has ended with a request under way: %v", err)
	default:
	}
	assert.Equal(t, 503, b.control(http.MethodGet, "/readyz", "").StatusCode, "the control listener tells of it")

	_, err = io.WriteString(writer, updateAccount.body[10:])
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	assert.Equal(t, result{status: 200}, <-answered)
	assert.NoError(t, <-ended)
}

// syncBuffer is a log that goroutines may write to while it is read.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// There is a line per request, and no header, query or body value in it.
func TestTheLogHoldsNoSecret(t *testing.T) {
	const canary = "canary7d1f"
	var log syncBuffer
	b := startLoggingBank(t, frozenRetail, &log)
	operations := []attempt{getDisclosures, updateAccount, updateUser, issueTokens, revokeToken, createGroup, listGroups, createAlert}
	for _, op := range operations {
		for _, header := range []string{"authorization", "transactionId", "correlationid", "institutionId", "fiid", "userid", "content-type", "x-api-key"} {
			op.with(header, canary).send(b)
			op.with(header, "Bearer "+canary).send(b)
		}
		query := "?"
		if strings.Contains(op.path, "?") {
			query = "&"
		}
		op.at(op.path + query + "hostUserId=" + canary + "&access_token=" + canary).send(b)
		for _, member := range []string{"grant_type", "username", "password", "scopes", "refresh_token", "token", "groupName", "accountId", canary} {
			op.saying(`{"` + member + `":"` + canary + `"}`).send(b)
			op.saying(`{"` + member + `":["` + canary + `"]}`).send(b)
		}
	}
	assert.False(t, strings.Contains(log.String(), canary), "the log holds a value of a request")
	assert.Equal(t, len(operations)*(16+1+18), strings.Count(log.String(), "msg=request"))
	assert.True(t, strings.Contains(log.String(), "operation=tokens.revoke method=DELETE path=/digitalbanking/oauth2/v1/revoke status=401"))
}
