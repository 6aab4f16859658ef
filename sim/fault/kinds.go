package fault

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// end ends the connection in an orderly way, without an answer.
func end(w http.ResponseWriter) error {
	conn, err := hijack(w)
	if err != nil {
		return err
	}
	return conn.Close()
}

// reset ends the connection by a RST. Unsent bytes are lost.
func reset(w http.ResponseWriter) error {
	conn, err := hijack(w)
	if err != nil {
		return err
	}
	if secured, ok := conn.(*tls.Conn); ok { // closing it would send an alert
		conn = secured.NetConn()
	}
	inner := conn
	for {
		wrapped, ok := inner.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		inner = wrapped.NetConn()
	}
	tcp, ok := inner.(*net.TCPConn)
	if !ok {
		return errors.Join(errors.New("a reset needs a TCP connection"), conn.Close())
	}
	return errors.Join(tcp.SetLinger(0), conn.Close()) // whoever has wrapped it notices the end
}

// How long a hang lasts (choice).
const (
	DefaultHang = 30 * time.Second // if the rule doesn't say
	MaxHang     = 5 * time.Minute
)

// hang keeps the client waiting, and then ends the connection.
func (c *Connection) hang(w http.ResponseWriter, r *http.Request, draining <-chan struct{}) error {
	c.keepWaiting(r, draining)
	return end(w)
}

// keepWaiting waits for as long as the fault wants.
func (c *Connection) keepWaiting(r *http.Request, draining <-chan struct{}) {
	_ = Wait(r.Context(), draining, c.length()) // if the client disconnects first, the fault has done its work
}

// length returns how long a hang lasts.
func (c *Connection) length() time.Duration {
	if c.Hang == 0 {
		return DefaultHang
	}
	return time.Duration(c.Hang)
}

// truncated returns an answer with the beginning of its body, under the Content-Length of the whole.
func (c *Connection) truncated(a Answer) Answer {
	kept := len(a.Body) / 2
	if c.Truncate != nil {
		kept = min(*c.Truncate, len(a.Body))
	}
	a.Body = a.Body[:kept]
	return a
}

// truncate sends a part of the body. Since the head promises more, net/http then ends the connection.
func (c *Connection) truncate(w http.ResponseWriter, a Answer) { write(w, c.truncated(a)) }

// malformed returns an answer whose body is not JSON, because its end is missing. If there is no body, or it would be JSON
// without its last byte, as a number would, the body is the beginning of an object.
func malformed(a Answer) Answer {
	body := bytes.TrimRight(a.Body, " \t\r\n")
	a.Body = []byte("{")
	if cut := body[:max(len(body)-1, 0)]; len(cut) > 0 && !json.Valid(cut) {
		a.Body = cut
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		a.Status = http.StatusOK
	}
	a.Header = resized(a, len(a.Body))
	if !slices.ContainsFunc(a.Header, func(h [2]string) bool { return strings.EqualFold(h[0], "Content-Type") }) {
		a.Header = append(a.Header, [2]string{"Content-Type", "application/json"})
	}
	return a
}

// noise is sent before the status line. It is not HTTP.
const noise = "\x00\xff\x16\x03 this is not HTTP \xfe\r\n"

// garbage sends noise, then the answer, and ends the connection.
func garbage(w http.ResponseWriter, a Answer) error {
	conn, err := hijack(w)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	all.WriteString(noise)
	fmt.Fprintf(&all, "HTTP/1.1 %d %s\r\n", a.Status, http.StatusText(a.Status))
	for _, h := range a.Header {
		fmt.Fprintf(&all, "%s: %s\r\n", h[0], h[1])
	}
	all.WriteString("Connection: close\r\n\r\n")
	all.Write(a.Body)
	_, _ = conn.Write(all.Bytes()) // an error means that the client has disconnected
	return conn.Close()
}

// How an answer dribbles if the rule doesn't say, and the longest that it may take (choice).
const (
	DefaultPiece = 16 // bytes
	DefaultPause = 100 * time.Millisecond
	MaxDribble   = time.Minute
)

// dribble sends the body in pieces. When it has taken too long, or the server ends, the rest is sent at once.
func (c *Connection) dribble(w http.ResponseWriter, r *http.Request, a Answer, draining <-chan struct{}) error {
	piece, pause := c.Dribble.rhythm()
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(time.Now().Add(MaxDribble + writeTimeout)); err != nil {
		return err
	}
	writeHead(w, a)
	left := MaxDribble
	for rest := a.Body; len(rest) > 0; {
		if left <= 0 || isClosed(draining) {
			piece = len(rest)
		}
		piece = min(piece, len(rest))
		if _, err := w.Write(rest[:piece]); err != nil {
			return nil // the client has disconnected
		}
		if err := control.Flush(); err != nil {
			return nil
		}
		if rest = rest[piece:]; len(rest) == 0 {
			return nil
		}
		if Wait(r.Context(), draining, min(pause, left)) != nil {
			return nil
		}
		left -= pause
	}
	return nil
}

// rhythm returns how many bytes are sent at a time, and the pause between two pieces.
func (d Dribble) rhythm() (piece int, pause time.Duration) {
	return cmp.Or(d.Bytes, DefaultPiece), cmp.Or(time.Duration(d.Every), DefaultPause)
}

// length returns how long it takes to send so many bytes.
func (d Dribble) length(bytes int) time.Duration {
	piece, pause := d.rhythm()
	pauses := max(0, (bytes-1)/piece)
	if pause > MaxDribble/time.Duration(max(1, pauses)) {
		return MaxDribble
	}
	return time.Duration(pauses) * pause
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
