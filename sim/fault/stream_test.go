package fault_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// streams is a server of HTTP/2 whose handler delivers by the fault that the path of a request names, and otherwise
// answers.
func streams(t *testing.T, faults map[string]*deliveries) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d := faults[strings.Trim(r.URL.Path, "/")]; d != nil {
			d.ServeHTTP(w, r)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	server.Client().Timeout = 20 * time.Second
	return server
}

// onConnection sends a request, and returns the answer, its body, the address of the connection, and the error.
func onConnection(t *testing.T, client *http.Client, method, url string, size int) (
	res *http.Response, body, local string, err error,
) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(strings.Repeat("x", size)))
	require.NoError(t, err)
	r = r.WithContext(httptrace.WithClientTrace(r.Context(),
		&httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { local = i.Conn.LocalAddr().String() }}))
	if res, err = client.Do(r); err != nil {
		return nil, "", local, err
	}
	defer func() { assert.NoError(t, res.Body.Close()) }()
	require.Equal(t, 2, res.ProtoMajor)
	data, err := io.ReadAll(res.Body)
	return res, string(data), local, err
}

// What a fault does to a connection of HTTP/1 happens to one stream of HTTP/2: the connection goes on.
func TestFaultsInStreams(t *testing.T) {
	connections := map[string]fault.Connection{
		"reset":     {Kind: fault.Reset{}},
		"close":     {Kind: fault.Close{}},
		"hang":      {Kind: fault.Hang{For: fault.Duration(time.Millisecond)}},
		"garbage":   {Kind: fault.Garbage{}},
		"truncate":  {Kind: fault.Truncate{Bytes: ptr(20)}},
		"cut":       {Kind: fault.Truncate{Bytes: ptr(0)}},
		"uncut":     {Kind: fault.Truncate{Bytes: ptr(1000)}},
		"malformed": {Kind: fault.Malformed{}},
		"dribble":   {Kind: fault.Dribble{Bytes: 9, Every: 1}},
	}
	faults := map[string]*deliveries{}
	for path, c := range connections {
		faults[path] = deliver(c, answer(200, payload))
	}
	server := streams(t, faults)
	_, _, local, err := onConnection(t, server.Client(), "GET", server.URL, 0)
	require.NoError(t, err)
	for path, want := range map[string]struct {
		body string
		lost bool // whether there is no answer
		cut  bool // whether it is not whole
	}{
		"reset": {lost: true}, "close": {lost: true}, "hang": {lost: true}, "garbage": {lost: true},
		"truncate": {body: payload[:20], cut: true}, "cut": {cut: true},
		"uncut": {body: payload}, "malformed": {body: payload[:len(payload)-1]}, "dribble": {body: payload},
	} {
		for _, size := range []int{0, 100, 300_000} {
			res, body, on, err := onConnection(t, server.Client(), "PUT", server.URL+"/"+path, size)
			assert.Equal(t, local, on, "%s: the connection before it goes on", path)
			delivered := faults[path].await(t)
			if want.lost || want.cut {
				assert.ErrorContains(t, err, "INTERNAL_ERROR", "%s: the stream is reset", path)
				assert.Equal(t, http.ErrAbortHandler, delivered, path)
			} else {
				assert.NoError(t, err, path)
				assert.NoError(t, delivered, path)
				assert.Equal(t, json.Valid([]byte(want.body)), json.Valid([]byte(body)), path)
			}
			if assert.Equal(t, want.lost, res == nil, path); res != nil {
				assert.Equal(t, 200, res.StatusCode, path)
				assert.Equal(t, want.body, body, path)
			}
		}
		connection := connections[path]
		sent, ok := connection.Over(2).Alter(faults[path].answer)
		assert.Equal(t, !want.lost, ok, "%s: the journal records what is sent", path)
		assert.Equal(t, want.body, string(sent.Body), path)
	}
	_, _, on, err := onConnection(t, server.Client(), "GET", server.URL, 0)
	assert.NoError(t, err)
	assert.Equal(t, local, on)
}
