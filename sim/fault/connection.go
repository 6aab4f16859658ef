package fault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
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

// How long a hang and a dribble last, and how an answer dribbles (choice).
const (
	DefaultHang  = 30 * time.Second
	MaxHang      = 5 * time.Minute
	DefaultPiece = 16 // bytes
	DefaultPause = 100 * time.Millisecond
	MaxDribble   = time.Minute
)

var aboutKinds = map[Kind]string{
	Reset: "A TCP RST, and no answer.",
	Close: "The connection ends without an answer.",
	Hang: "No answer: the connection stays open until the client disconnects, or for a time (by default 30s, at most 5m), " +
		"and then ends.",
	Truncate:  "The full Content-Length, but only so many bytes of the body, by default half of them.",
	Malformed: "An answer whose body is not valid JSON.",
	Trickle:   "The answer in small pieces, by default of 16 bytes every 100ms.",
	Garbage:   "Bytes that are not HTTP, before the status line.",
}

// About describes the kind in a sentence: what is on the wire.
func (k Kind) About() string { return aboutKinds[k] }

// Delivers reports whether a fault of the kind needs an answer to deliver. The others lose it.
func (k Kind) Delivers() bool { return k != Reset && k != Close && k != Hang }

// Example returns a fault of the kind with its measure; ok is false if the kind has none.
func (k Kind) Example() (c Connection, ok bool) {
	kept := 20
	c, ok = map[Kind]Connection{
		Hang:     {Kind: Hang, Hang: Duration(10 * time.Second)},
		Truncate: {Kind: Truncate, Truncate: &kept},
		Trickle:  {Kind: Trickle, Dribble: Dribble{Bytes: 16, Every: Duration(50 * time.Millisecond)}},
	}[k]
	return c, ok
}

// Connection is what happens to the connection. Its JSON is the name of a kind, or an object of a kind and its
// measure: {"hang": "10s"}, {"truncate": 20}, {"dribble": {"bytes": 16, "every": "50ms"}}.
type Connection struct {
	Kind     Kind     `json:"-"`
	Hang     Duration `json:"hang,omitzero"`     // of a hang: how long at most; 0: DefaultHang
	Truncate *int     `json:"truncate,omitzero"` // of a truncation: how many bytes of the body are sent; nil: half of them
	Dribble  Dribble  `json:"dribble,omitzero"`
}

// Dribble is how an answer trickles.
type Dribble struct {
	Bytes int      `json:"bytes,omitzero"` // in a piece; 0: DefaultPiece
	Every Duration `json:"every,omitzero"` // from one piece to the next; 0: DefaultPause
}

// MarshalJSON writes the fault.
func (c Connection) MarshalJSON() ([]byte, error) {
	measure := map[Kind]any{Hang: c.Hang, Truncate: c.Truncate, Trickle: c.Dribble}[c.Kind]
	if c == (Connection{Kind: c.Kind}) || measure == nil {
		return json.Marshal(string(c.Kind))
	}
	return json.Marshal(map[Kind]any{c.Kind: measure})
}

// UnmarshalJSON reads a fault.
func (c *Connection) UnmarshalJSON(data []byte) error {
	*c = Connection{}
	if data[0] == '"' {
		return json.Unmarshal(data, &c.Kind)
	}
	type measured Connection
	var given map[Kind]any // by the kind, of which there is one
	err := json.Unmarshal(data, &given)
	for kind := range given {
		c.Kind = kind
	}
	return errors.Join(err, json.Unmarshal(data, (*measured)(c)))
}

// Over returns the fault that a rule means for a request of a version of HTTP. What goes before a status line can't
// be sent in a stream of HTTP/2, and what isn't HTTP would end the connection for other requests, too: there the
// answer is lost instead.
func (c *Connection) Over(major int) *Connection {
	if major > 1 && c != nil && c.Kind == Garbage {
		return &Connection{Kind: Reset}
	}
	return c
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
		kept := len(a.Body) / 2
		if c.Truncate != nil {
			kept = min(*c.Truncate, len(a.Body))
		}
		a.Body = a.Body[:kept]
	case Malformed:
		a = malformed(a)
	case Trickle, Garbage:
	default:
		return Answer{}, false
	}
	return a, true
}

// malformed returns an answer whose body is not JSON, because its end is missing. If there is no body, or it would be
// JSON without its last byte, as a number would, the body is the beginning of an object.
func malformed(a Answer) Answer {
	body := bytes.TrimRight(a.Body, " \t\r\n")
	a.Body = []byte("{")
	if cut := body[:max(len(body)-1, 0)]; len(cut) > 0 && !json.Valid(cut) {
		a.Body = cut
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		a.Status = http.StatusOK
	}
	header := [][2]string{{"Content-Length", strconv.Itoa(len(a.Body))}}
	typed := false
	for _, h := range a.Header {
		typed = typed || strings.EqualFold(h[0], "Content-Type")
		if !strings.EqualFold(h[0], "Content-Length") {
			header = append(header, h)
		}
	}
	if !typed {
		header = append(header, [2]string{"Content-Type", "application/json"})
	}
	a.Header = header
	return a
}

// Holds returns how long the fault keeps a client waiting that takes all that is sent.
func (c *Connection) Holds(a Answer) time.Duration {
	switch c.Kind {
	case Hang:
		return cmp.Or(time.Duration(c.Hang), DefaultHang)
	case Trickle:
		piece, pause := c.Dribble.rhythm()
		pauses := max(0, (len(a.Body)-1)/piece)
		return min(MaxDribble, time.Duration(pauses)*pause)
	}
	return 0
}

// rhythm returns how many bytes are sent at a time, and the pause between two pieces.
func (d Dribble) rhythm() (piece int, pause time.Duration) {
	return cmp.Or(d.Bytes, DefaultPiece), cmp.Or(time.Duration(d.Every), DefaultPause)
}
