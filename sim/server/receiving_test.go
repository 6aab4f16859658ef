package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// beforeBodies is less than the time after which half-sent bodies end by themselves.
const beforeBodies = 25 * time.Second

// A shutdown waits for requests that were received, and not for those that are half sent, whose clients may never go on.
func TestShutdownDoesNotWaitForHalfSentRequests(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, "extends: retail\ninstitutions: [{institutionId: '02688', generate: {groups: 40000}}]\n")
	groups := simtest.ListGroups.Request(b).URL
	const header = "Host: localhost\r\ntransactionId: t-1\r\nContent-Type: application/json\r\n"
	service, control := strings.TrimPrefix(b.Server.ServiceURL(), "http://"), strings.TrimPrefix(b.Server.ControlURL(), "http://")
	dial := func(address, text string) net.Conn {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, text)
		require.NoError(t, err)
		return conn
	}
	var halfSent []net.Conn
	for _, sent := range []struct{ address, text string }{
		{service, ""},
		{service, "POST " + groups.Path},
		{service, "POST " + groups.Path + " HTTP/1.1\r\n" + header + "Content-Length: 30\r\n\r\n{\"groupName\""},
		{service, "POST " + groups.Path + " HTTP/1.1\r\n" + header + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"gro"},
		{control, "GET /v1/in"},
		{control, "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n{"},
	} {
		halfSent = append(halfSent, dial(sent.address, sent.text))
	}
	// A request that was received, and whose client takes its time to read the answer.
	reading := dial(control, "GET /v1/sandboxes/default/state HTTP/1.1\r\nHost: localhost\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReaderSize(reading, 16), nil)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), beforeBodies)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- b.Server.Shutdown(ctx) }()
	for i, conn := range halfSent {
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(beforeBodies)))
		if _, err := io.Copy(io.Discard, conn); err != nil {
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "connection %d is still open", i)
		}
	}
	state, err := io.ReadAll(res.Body)
	require.NoError(t, err, "what was received is answered")
	assert.True(t, json.Valid(state))
	require.NoError(t, <-ended)
}

// The listeners of sandboxes end together with the service listener, also while one still answers, and half-sent requests
// hold none of them. Nor does one hold the control listener that comes while the others end.
func TestShutdownWithListenersOfSandboxes(t *testing.T) {
	t.Parallel()
	// A list of 60,000 groups is more than a connection holds.
	b := simtest.StartScenario(t, "extends: retail\nbehavior: {groups: {maxPageSize: 60000}}\n"+
		"institutions: [{institutionId: '02688', generate: {groups: 60000}}]\n")
	_, url, _ := serving(t, b)
	_, other, _ := serving(t, b)
	const header = "Host: localhost\r\ntransactionId: t-1\r\n"
	dial := func(url, text string) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, text)
		require.NoError(t, err)
		return conn
	}
	ended := func(conn net.Conn) {
		require.NoError(t, conn.SetDeadline(time.Now().Add(beforeBodies)))
		if _, err := io.Copy(io.Discard, conn); err != nil {
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is still open")
		}
	}
	body := "POST " + simtest.GroupsPath + " HTTP/1.1\r\n" + header + "Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{"
	halfSent := []net.Conn{dial(url, "GET /dig"), dial(url, body), dial(other, ""), dial(other, body)}
	// A client that takes its time to read the answer.
	reading := dial(url, "GET "+simtest.GroupsPath+"?size=60000 HTTP/1.1\r\n"+header+"\r\n")
	res, err := http.ReadResponse(bufio.NewReaderSize(reading, 16), nil)
	require.NoError(t, err)

	done := make(chan error, 1)
	go func() { done <- b.Server.Shutdown(t.Context()) }()
	for _, conn := range halfSent {
		ended(conn)
	}
	for _, closed := range []string{b.Server.ServiceURL(), other, url} {
		_, err := net.Dial("tcp", strings.TrimPrefix(closed, "http://"))
		assert.ErrorContains(t, err, "connection refused", "no more connections are accepted")
	}
	late := dial(b.Server.ControlURL(), "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n{")
	list, err := io.ReadAll(res.Body)
	require.NoError(t, err, "what was received is answered")
	assert.True(t, json.Valid(list))
	ended(late)
	require.NoError(t, <-done)
}
