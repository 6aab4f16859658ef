package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Kind is a kind of connection fault.
type Kind string

// The kinds. The first three lose the answer; the others deliver one, badly.
const (
	Reset     Kind = "reset"     // a TCP RST
	Close     Kind = "close"     // the end of the connection
	Hang      Kind = "hang"      // nothing, for a while, then the end of the connection
	Truncate  Kind = "truncate"  // the whole Content-Length, but part of the body
	Malformed Kind = "malformed" // a body that is not JSON
	Trickle   Kind = "dribble"   // small pieces
	Garbage   Kind = "garbage"   // bytes that are not HTTP, before the status line
)

// Kinds are all of them.
var Kinds = []Kind{Reset, Close, Hang, Truncate, Malformed, Trickle, Garbage}

// Delivers reports whether a fault of the kind needs an answer to deliver. The others lose it.
func (k Kind) Delivers() bool { return k != Reset && k != Close && k != Hang }

// Connection is what happens to the connection. Its JSON is the name of a kind, or an object of a kind and its
// measure: {"hang": "10s"}, {"truncate": 20}, {"dribble": {"bytes": 16, "every": "50ms"}}.
type Connection struct {
	Kind     Kind
	Hang     Duration // of a hang: how long at most; 0: DefaultHang
	Truncate *int     // of a truncation: how many bytes of the body are sent; nil: half of them
	Dribble  Dribble
}

// Dribble is how an answer trickles.
type Dribble struct {
	Bytes int      `json:"bytes,omitzero"` // in a piece; 0: DefaultPiece
	Every Duration `json:"every,omitzero"` // from one piece to the next; 0: DefaultPause
}

// measured is the JSON of a connection fault with its measure.
type measured struct {
	Hang     *Duration `json:"hang,omitzero"`
	Truncate *int      `json:"truncate,omitzero"`
	Dribble  *Dribble  `json:"dribble,omitzero"`
}

// MarshalJSON writes the fault.
func (c Connection) MarshalJSON() ([]byte, error) {
	switch {
	case c.Kind == Hang && c.Hang != 0:
		return json.Marshal(measured{Hang: &c.Hang})
	case c.Kind == Truncate && c.Truncate != nil:
		return json.Marshal(measured{Truncate: c.Truncate})
	case c.Kind == Trickle && c.Dribble != (Dribble{}):
		return json.Marshal(measured{Dribble: &c.Dribble})
	}
	return json.Marshal(string(c.Kind))
}

// UnmarshalJSON reads a fault.
func (c *Connection) UnmarshalJSON(data []byte) error {
	*c = Connection{}
	if data[0] == '"' {
		return json.Unmarshal(data, &c.Kind)
	}
	var m measured
	if err := wire.DecodeKnown(data, &m); err != nil {
		return err
	}
	given := 0
	if m.Hang != nil {
		c.Kind, c.Hang, given = Hang, *m.Hang, given+1
	}
	if m.Truncate != nil {
		c.Kind, c.Truncate, given = Truncate, m.Truncate, given+1
	}
	if m.Dribble != nil {
		c.Kind, c.Dribble, given = Trickle, *m.Dribble, given+1
	}
	if given != 1 {
		return errors.New("connection must have exactly one of hang, truncate and dribble")
	}
	return nil
}

// Answer is an answer, whole before any of it is sent.
type Answer struct {
	Status int
	Header [][2]string // all, with the Content-Length
	Body   []byte
}

// Alter returns the HTTP answer that is sent; ok is false where none is.
func (c *Connection) Alter(a Answer) (sent Answer, ok bool) {
	switch c.Kind {
	case Truncate:
		return c.truncated(a), true
	case Malformed:
		return malformed(a), true
	case Trickle, Garbage:
		return a, true
	}
	return Answer{}, false
}

// Holds returns how long the fault keeps a client waiting that takes all that is sent.
func (c *Connection) Holds(a Answer) time.Duration {
	switch c.Kind {
	case Hang:
		return c.length()
	case Trickle:
		return c.Dribble.length(len(a.Body))
	}
	return 0
}

// Over returns the fault that a rule means for a request of a version of HTTP. What goes before a status line can't be sent in a
// stream of HTTP/2, and what isn't HTTP would end the connection for other requests, too: there the answer is lost instead.
func (c *Connection) Over(major int) *Connection {
	if major > 1 && c != nil && c.Kind == Garbage {
		return &Connection{Kind: Reset}
	}
	return c
}

// Deliver delivers an answer the way the fault wants. A handler calls it last. Waiting ends when the client disconnects or
// draining closes. If it returns http.ErrAbortHandler, the handler must panic with that: what a fault does to a connection of
// HTTP/1 happens to the stream of a request of HTTP/2, and this resets it. Its connection stays, since it may carry other
// requests.
func (c *Connection) Deliver(w http.ResponseWriter, r *http.Request, a Answer, draining <-chan struct{}) error {
	if r.ProtoMajor > 1 {
		return c.deliverInStream(w, r, a, draining)
	}
	drain(r)
	switch c.Kind {
	case Reset:
		return reset(w)
	case Close:
		return end(w)
	case Hang:
		return c.hang(w, r, draining)
	case Truncate:
		c.truncate(w, a)
		return nil
	case Malformed:
		write(w, malformed(a))
		return nil
	case Trickle:
		return c.dribble(w, r, withoutBody(r, a), draining)
	case Garbage:
		return garbage(w, withoutBody(r, a))
	}
	return fmt.Errorf("unknown connection fault %q", c.Kind)
}

// withoutBody returns the answer as it is sent to HEAD. Kinds that send a body in one piece leave that to net/http.
func withoutBody(r *http.Request, a Answer) Answer {
	if r.Method == http.MethodHead {
		a.Body = nil
	}
	return a
}

// write sends an answer.
func write(w http.ResponseWriter, a Answer) {
	writeHead(w, a)
	_, _ = w.Write(a.Body) // an error means that the client has disconnected
}

func writeHead(w http.ResponseWriter, a Answer) {
	for _, h := range a.Header {
		w.Header()[h[0]] = append(w.Header()[h[0]], h[1])
	}
	w.WriteHeader(a.Status)
}

// resized returns the headers of an answer with the length of another body.
func resized(a Answer, length int) [][2]string {
	headers := make([][2]string, 0, len(a.Header)+1)
	for _, h := range a.Header {
		if !strings.EqualFold(h[0], "Content-Length") {
			headers = append(headers, h)
		}
	}
	return append(headers, [2]string{"Content-Length", strconv.Itoa(length)})
}

// maxUnread is how much of a request's body is read before its connection ends.
const maxUnread = 1 << 20

// drain reads the rest of the request that the operation has not read, unless it is too large. Unread bytes would turn an
// orderly end into a reset and keep net/http from noticing that the client has disconnected.
func drain(r *http.Request) { _, _ = io.CopyN(io.Discard, r.Body, maxUnread) }

// hijack takes the connection out of net/http's hands.
func hijack(w http.ResponseWriter) (net.Conn, error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, fmt.Errorf("a connection fault needs a connection of HTTP/1: %w", err)
	}
	return conn, conn.SetDeadline(time.Now().Add(writeTimeout))
}

// writeTimeout bounds the writing of the rest of an answer.
const writeTimeout = 30 * time.Second
