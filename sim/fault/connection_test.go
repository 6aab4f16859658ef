package fault_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

const payload = `{"groupName":"Night owls","groupId":"0123456789"}`

// answer is one with a JSON body, or without a body if that is empty.
func answer(status int, body string) fault.Answer {
	a := fault.Answer{
		Status: status,
		Body:   []byte(body),
		Header: [][2]string{{"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}},
	}
	if body != "" {
		length := strconv.Itoa(len(body))
		a.Header = append(a.Header, [][2]string{{"Content-Type", "application/json"}, {"Content-Length", length}}...)
	}
	return a
}

// effect is what a fault does to an answer with the payload.
type effect struct {
	kind  fault.Kind
	body  string // what is sent of it
	lost  bool   // whether nothing is sent
	abort bool   // whether the connection or the stream ends then
}

var effects = map[string]effect{
	"reset":          {kind: fault.Reset{}, lost: true},
	"close":          {kind: fault.Close{}, lost: true, abort: true},
	"hang":           {kind: fault.Hang{For: fault.Duration(time.Millisecond)}, lost: true, abort: true},
	"garbage":        {kind: fault.Garbage{}, body: payload},
	"half":           {kind: fault.Truncate{}, body: payload[:len(payload)/2], abort: true},
	"none":           {kind: fault.Truncate{Bytes: ptr(0)}, abort: true},
	"one is missing": {kind: fault.Truncate{Bytes: ptr(len(payload) - 1)}, body: payload[:len(payload)-1], abort: true},
	"uncut":          {kind: fault.Truncate{Bytes: ptr(1000)}, body: payload},
	"malformed":      {kind: fault.Malformed{}, body: payload[:len(payload)-1]},
	"dribble":        {kind: fault.Dribble{Bytes: 9, Every: 1}, body: payload},
}

// delivering is a handler that delivers an answer by a fault, without looking at the request.
type delivering struct {
	kind     fault.Kind
	draining chan struct{}
	ended    chan error // what each delivery returned
}

func deliver(kind fault.Kind) *delivering {
	return &delivering{kind, make(chan struct{}), make(chan error, 16)}
}

func (d *delivering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	connection := fault.Connection{Kind: d.kind}
	err := connection.Over(r.ProtoMajor).Deliver(w, r, answer(200, payload), d.draining)
	d.ended <- err
	if err == http.ErrAbortHandler {
		panic(err)
	}
}

// await returns what a delivery returned.
func (d *delivering) await(t *testing.T) error {
	t.Helper()
	select {
	case err := <-d.ended:
		return err
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the delivery doesn't end")
		return nil
	}
}

// dial starts a server for a handler, connects to it, and sends a request with so large a body.
func dial(t *testing.T, handler http.Handler, size int) net.Conn {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	const head = "POST / HTTP/1.1\r\nHost: bank\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
	_, err = fmt.Fprintf(conn, head+"%s", size, strings.Repeat("x", size))
	require.NoError(t, err)
	return conn
}

// A client of HTTP/1 gets these bytes, and the journal records the same answer.
func TestFaultsOfConnections(t *testing.T) {
	for name, want := range effects {
		for _, size := range []int{0, 100, 900_000} {
			d := deliver(want.kind)
			received, err := io.ReadAll(dial(t, d, size))
			if name == "reset" && runtime.GOOS == "windows" { // it has another error for that
				assert.Error(t, err)
			} else if name == "reset" {
				assert.ErrorIs(t, err, syscall.ECONNRESET)
			} else {
				assert.NoError(t, err, "%s: an orderly end", name)
			}
			assert.Equal(t, want.abort, d.await(t) == http.ErrAbortHandler, name)
			noise, text, _ := strings.Cut(string(received), "HTTP/1.1 200 OK\r\n")
			assert.Equal(t, name == "garbage", text != "" && noise != "", "bytes before the status line")
			head, body, _ := strings.Cut(text, "\r\n\r\n")
			assert.Equal(t, want.body, body, name)
			length := len(payload)
			if name == "malformed" {
				length = len(body)
			}
			hasLength := "Content-Length: " + strconv.Itoa(length)
			for _, header := range []string{hasLength, "Set-Cookie: a=1", "Set-Cookie: b=2"} {
				assert.Equal(t, !want.lost, strings.Contains(head, header), name)
			}
		}
		connection := fault.Connection{Kind: want.kind}
		sent, ok := connection.Alter(answer(200, payload))
		assert.Equal(t, !want.lost, ok, name)
		assert.Equal(t, want.body, string(sent.Body), name)
	}
}

// What a fault does to a connection of HTTP/1 happens to one stream of HTTP/2: the connection goes on.
func TestFaultsOfStreams(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewUnstartedServer(mux)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	local := ""
	ask := func(path string, size int) (body string, err error) {
		r, err := http.NewRequest("PUT", server.URL+"/"+path, strings.NewReader(strings.Repeat("x", size)))
		require.NoError(t, err)
		sameConnection := func(i httptrace.GotConnInfo) {
			now := i.Conn.LocalAddr().String()
			assert.True(t, local == "" || local == now, "%s: the connection before it goes on", path)
			local = now
		}
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: sameConnection})
		res, err := server.Client().Do(r.WithContext(ctx))
		if err != nil {
			return "", err
		}
		assert.Equal(t, 2, res.ProtoMajor)
		data, err := io.ReadAll(res.Body)
		assert.NoError(t, res.Body.Close())
		return string(data), err
	}
	_, err := ask("", 0)
	require.NoError(t, err)
	for name, want := range effects {
		if name == "garbage" || name == "reset" {
			want = effects["close"]
		}
		path, d := strings.ReplaceAll(name, " ", ""), deliver(effects[name].kind)
		mux.Handle("/"+path, d)
		for _, size := range []int{0, 300_000} {
			body, err := ask(path, size)
			assert.Equal(t, want.body, body, name)
			if want.abort {
				assert.ErrorContains(t, err, "INTERNAL_ERROR", "%s: the stream is reset", name)
				assert.Equal(t, http.ErrAbortHandler, d.await(t), name)
			} else {
				assert.NoError(t, err, name)
				assert.NoError(t, d.await(t), name)
			}
		}
		connection := fault.Connection{Kind: d.kind}
		_, ok := connection.Over(2).Alter(answer(200, payload))
		assert.Equal(t, !want.lost, ok, "%s: the journal records what is sent", name)
	}
	_, err = ask("", 0)
	assert.NoError(t, err)
}

// Whatever the body is, it is no JSON then, and there is one.
func TestMalformed(t *testing.T) {
	for body, want := range map[string]string{
		"{\"a\":1}\r\n": `{"a":1`, `[1,2]`: `[1,2`, `"a"`: `"a`, `1234`: `{`, `1`: `{`, `null`: `nul`,
		`{"a":1}}`: `{`, `{"a":1,"a":2}x`: `{`,
		`<html>`: `<html`, ``: `{`, "\n": `{`,
	} {
		for status, altered := range map[int]int{500: 500, 204: 200} {
			whole := answer(status, body)
			sent := fault.Malformed{}.Alter(whole)
			assert.False(t, json.Valid(sent.Body))
			assert.Equal(t, want, string(sent.Body))
			assert.Equal(t, altered, sent.Status)
			assert.Contains(t, sent.Header, [2]string{"Content-Type", "application/json"})
			assert.Contains(t, sent.Header, [2]string{"Content-Length", strconv.Itoa(len(want))})
			assert.Equal(t, body, string(whole.Body), "the answer stays as it is")
		}
	}
}

// pieces notes what is written and flushed at once.
type pieces struct {
	*httptest.ResponseRecorder
	flushed []string
}

func (p *pieces) Flush() {
	p.flushed = append(p.flushed, p.Body.String())
	p.Body.Reset()
}

func (*pieces) SetWriteDeadline(time.Time) error { return nil }

func TestDribble(t *testing.T) {
	for bytes, count := range map[int]int{1: 49, 7: 7, 16: 4, 48: 2, 49: 1, 1000: 1} {
		p := &pieces{ResponseRecorder: httptest.NewRecorder()}
		dribble := fault.Dribble{Bytes: bytes, Every: 1}
		deliver(dribble).ServeHTTP(p, httptest.NewRequest("GET", "/", nil))
		assert.EqualValues(t, count-1, dribble.Holds(answer(200, payload)), "a pause between two pieces each")
		assert.Len(t, p.flushed, count, "%d bytes each", bytes)
		assert.Len(t, p.flushed[0], min(bytes, len(payload)))
		assert.Equal(t, payload, strings.Join(p.flushed, ""))
	}
}

// A hang ends when the caller gives up, whether or not the operation has read the request, and when the server ends.
func TestHangEnds(t *testing.T) {
	for _, size := range []int{0, 100, 900_000} {
		d := deliver(fault.Hang{For: fault.Duration(fault.MaxHang)})
		require.NoError(t, dial(t, d, size).Close())
		assert.Equal(t, http.ErrAbortHandler, d.await(t), size)
	}
	d := deliver(fault.Hang{})
	conn := dial(t, d, 0)
	close(d.draining)
	received, err := io.ReadAll(conn)
	assert.NoError(t, err)
	assert.Empty(t, received)
}
