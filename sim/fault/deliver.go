package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

const (
	maxUnread    = 1 << 20 // of a request's body that is read before its connection ends
	writeTimeout = 30 * time.Second
)

// Deliver delivers an answer the way the fault wants. A handler calls it last. Waiting ends when the client
// disconnects or draining closes. If it returns http.ErrAbortHandler, the handler must panic with that: it ends the
// connection of HTTP/1, and resets a stream of HTTP/2, whose connection stays, since it may carry other requests.
func (c *Connection) Deliver(w http.ResponseWriter, r *http.Request, a Answer, draining <-chan struct{}) error {
	if r.ProtoMajor == 1 {
		// Unread bytes would turn an orderly end into a reset and keep net/http from noticing that the client has
		// disconnected.
		_, _ = io.CopyN(io.Discard, r.Body, maxUnread)
	}
	sent, _ := c.Alter(a)
	if r.Method == http.MethodHead {
		sent.Body, a.Body = nil, nil
	}
	switch c.Kind {
	case Reset, Close:
		if c.Kind == Reset && r.ProtoMajor == 1 {
			return reset(w)
		}
		return http.ErrAbortHandler
	case Hang:
		_ = Wait(r.Context(), draining, c.Holds(a)) // if the client disconnects first, the fault has done its work
		return http.ErrAbortHandler
	case Truncate, Malformed:
		writeHead(w, sent)
		_, _ = w.Write(sent.Body) // an error means that the client has disconnected
		if c.Kind == Malformed || len(sent.Body) == len(a.Body) {
			return nil
		}
		_ = http.NewResponseController(w).Flush() // likewise
		return http.ErrAbortHandler
	case Trickle:
		return c.dribble(w, r, sent, draining)
	case Garbage:
		return garbage(w, sent)
	}
	return fmt.Errorf("unknown connection fault %s", phrase.Quote(string(c.Kind)))
}

// Wait waits for a time, or until draining closes. It fails if the context ends first.
func Wait(ctx context.Context, draining <-chan struct{}, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-draining:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func writeHead(w http.ResponseWriter, a Answer) {
	for _, h := range a.Header {
		w.Header()[h[0]] = append(w.Header()[h[0]], h[1])
	}
	w.WriteHeader(a.Status)
}

// reset ends the connection by a RST. Unsent bytes are lost.
func reset(w http.ResponseWriter) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok { // closing that of TLS would send an alert
		conn = secured.NetConn()
	}
	tcp, ok := conn.(interface{ SetLinger(seconds int) error })
	if !ok {
		return errors.Join(errors.New("a reset needs a TCP connection"), conn.Close())
	}
	return errors.Join(tcp.SetLinger(0), conn.Close())
}

// noise is sent before the status line. It is not HTTP.
const noise = "\x00\xff\x16\x03 this is not HTTP \xfe\r\n"

// garbage sends noise, then the answer, and ends the connection.
func garbage(w http.ResponseWriter, a Answer) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Now().Add(writeTimeout))
	var all bytes.Buffer
	fmt.Fprintf(&all, "%sHTTP/1.1 %d %s\r\n", noise, a.Status, http.StatusText(a.Status))
	for _, h := range a.Header {
		fmt.Fprintf(&all, "%s: %s\r\n", h[0], h[1])
	}
	all.WriteString("Connection: close\r\n\r\n")
	all.Write(a.Body)
	_, _ = conn.Write(all.Bytes()) // an error means that the client has disconnected
	return conn.Close()
}

// dribble sends the body in pieces. When it has taken too long, the rest is sent at once; when the server ends,
// without pauses.
func (c *Connection) dribble(w http.ResponseWriter, r *http.Request, a Answer, draining <-chan struct{}) error {
	piece, pause := c.Dribble.rhythm()
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(time.Now().Add(MaxDribble + writeTimeout)); err != nil {
		return err
	}
	writeHead(w, a)
	for rest, left := a.Body, MaxDribble; len(rest) > 0; left -= pause {
		if left <= 0 {
			piece = len(rest)
		}
		piece = min(piece, len(rest))
		if _, err := w.Write(rest[:piece]); err != nil || control.Flush() != nil {
			return nil // the client has disconnected
		}
		rest = rest[piece:]
		if len(rest) > 0 && Wait(r.Context(), draining, min(pause, left)) != nil {
			return nil
		}
	}
	return nil
}
