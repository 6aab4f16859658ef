package fault_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

func TestWait(t *testing.T) {
	const length, early = time.Minute, 20 * time.Second
	for name, test := range map[string]struct {
		cancelled, drained bool
		length             time.Duration
		want               time.Duration
		err                error
	}{
		"to the end":                   {length: length, want: length},
		"no time":                      {length: 0, want: 0},
		"until the server ends":        {drained: true, length: length, want: early},
		"until the client disconnects": {cancelled: true, length: length, want: early, err: context.Canceled},
		"the server ends too late":     {drained: true, length: early / 2, want: early / 2},
		"the caller goes too late":     {cancelled: true, length: early / 2, want: early / 2},
		"shorter than no time":         {length: -length, want: 0},
		"for long, until both come":    {cancelled: true, length: fault.MaxDelay, want: early, err: context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var draining chan struct{} // nil: never
			if test.drained {
				draining = make(chan struct{})
				time.AfterFunc(early, func() { close(draining) })
			}
			if test.cancelled {
				time.AfterFunc(early, cancel)
			}
			began := time.Now()
			assert.Equal(t, test.err, fault.Wait(ctx, draining, test.length), name)
			assert.Equal(t, test.want, time.Since(began), name)
		})
	}
}

// pipes is a listener for the connections that dial makes, within a bubble of time of its own.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipes) Close() error { close(l.closed); return nil }

func (l pipes) Addr() net.Addr { return &net.UnixAddr{Name: "bank", Net: "pipe"} }

// exchange sends a request to a server that delivers an answer by a fault, and hands the connection to a client. The
// server has timeouts that are shorter than what the faults may take.
func exchange(t *testing.T, c fault.Connection, client func(net.Conn)) {
	d := deliver(c, answer(200, payload))
	l := pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: d, ReadTimeout: 30 * time.Second, WriteTimeout: 60 * time.Second}
	go server.Serve(l)
	theirs, ours := net.Pipe()
	l.accepted <- theirs
	_, err := io.WriteString(ours, post(100))
	require.NoError(t, err)
	client(ours)
	if err := <-d.ended; err != http.ErrAbortHandler {
		assert.NoError(t, err)
	}
	require.NoError(t, ours.Close())
	require.NoError(t, server.Close())
	synctest.Wait()
}

func TestHowLongAHangLasts(t *testing.T) {
	for hang, want := range map[time.Duration]time.Duration{0: fault.DefaultHang, 10 * time.Second: 10 * time.Second, fault.MaxHang: fault.MaxHang} {
		synctest.Test(t, func(t *testing.T) {
			exchange(t, fault.Connection{Kind: fault.Hang, Hang: fault.Duration(hang)}, func(conn net.Conn) {
				began := time.Now()
				received, err := io.ReadAll(conn)
				assert.NoError(t, err)
				assert.Empty(t, received)
				assert.Equal(t, want, time.Since(began))
			})
		})
	}
}

func TestHowLongADribbleLasts(t *testing.T) {
	for name, test := range map[string]struct {
		dribble fault.Dribble
		want    time.Duration
	}{
		"by default":            {fault.Dribble{}, 3 * 100 * time.Millisecond}, // 16 + 16 + 16 + 1 bytes
		"byte by byte":          {fault.Dribble{Bytes: 1, Every: fault.Duration(time.Second)}, 48 * time.Second},
		"a pause of a minute":   {fault.Dribble{Bytes: 40, Every: fault.Duration(time.Minute)}, time.Minute},
		"no longer than that":   {fault.Dribble{Bytes: 1, Every: fault.Duration(time.Minute)}, time.Minute},
		"in many short pauses":  {fault.Dribble{Bytes: 1, Every: fault.Duration(1500 * time.Millisecond)}, time.Minute},
		"nor in uneven ones":    {fault.Dribble{Bytes: 1, Every: fault.Duration(25 * time.Second)}, time.Minute},
		"one piece, no pauses":  {fault.Dribble{Bytes: 49, Every: fault.Duration(time.Minute)}, 0},
		"two pieces, one pause": {fault.Dribble{Bytes: 48, Every: fault.Duration(time.Second)}, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			exchange(t, fault.Connection{Kind: fault.Trickle, Dribble: test.dribble}, func(conn net.Conn) {
				began := time.Now()
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err, name)
				data, err := io.ReadAll(res.Body)
				require.NoError(t, err, name)
				assert.Equal(t, payload, string(data), name)
				assert.Equal(t, test.want, time.Since(began), name)
			})
		})
	}
}

// A client that doesn't read can't block for ever: writing has a time limit, too.
func TestNobodyReads(t *testing.T) {
	for kind, bound := range map[fault.Kind]time.Duration{
		fault.Truncate: 60 * time.Second, fault.Malformed: 60 * time.Second, // those of the server
		fault.Garbage: 30 * time.Second, fault.Trickle: fault.MaxDribble + 30*time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			exchange(t, fault.Connection{Kind: kind}, func(conn net.Conn) {
				for {
					if _, err := conn.Write([]byte{'x'}); err != nil {
						break // it has been closed
					}
				}
			})
			assert.Equal(t, bound, time.Since(began), kind)
		})
	}
}
