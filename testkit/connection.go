package testkit

import (
	"encoding/json"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Connection is what happens to the connection of a request. The measure that belongs to its kind may be set.
type Connection struct {
	Kind     ConnectionKind
	Hang     time.Duration // of ConnectionHang: how long at most, up to 5m. Default: 30s
	Truncate *int          // of ConnectionTruncate: how many bytes of the body are sent. Default: half of them
	Dribble  Dribble       // of ConnectionDribble
}

// ConnectionKind names what happens to a connection.
type ConnectionKind string

// The kinds. The first three lose the answer; the others deliver it, damaged or slowly.
const (
	ConnectionReset     ConnectionKind = "reset"     // a TCP RST
	ConnectionClose     ConnectionKind = "close"     // the connection ends
	ConnectionHang      ConnectionKind = "hang"      // nothing is sent for a while, then the connection ends
	ConnectionTruncate  ConnectionKind = "truncate"  // the whole Content-Length, but a part of the body
	ConnectionMalformed ConnectionKind = "malformed" // a body that is not JSON
	ConnectionDribble   ConnectionKind = "dribble"   // small pieces
	ConnectionGarbage   ConnectionKind = "garbage"   // bytes that are not HTTP, before the status line
)

// Dribble is how an answer is sent in small pieces. What is left after a minute is sent at once.
type Dribble struct {
	Bytes int           // in each piece. Default: 16
	Every time.Duration // from one piece to the next, up to 1m. Default: 100ms
}

// The JSON of a connection fault with a measure.
type (
	measuredJSON struct {
		Hang     *duration    `json:"hang,omitzero"`
		Truncate *int         `json:"truncate,omitzero"`
		Dribble  *dribbleJSON `json:"dribble,omitzero"`
	}
	dribbleJSON struct {
		Bytes int      `json:"bytes,omitzero"`
		Every duration `json:"every,omitzero"`
	}
)

// MarshalJSON encodes the kind, as "close", or the kind with its measure, as {"truncate": 20}.
func (c Connection) MarshalJSON() ([]byte, error) {
	var measured measuredJSON
	switch {
	case c.Kind == ConnectionHang && c.Hang != 0:
		measured.Hang = (*duration)(&c.Hang)
	case c.Kind == ConnectionTruncate && c.Truncate != nil:
		measured.Truncate = c.Truncate
	case c.Kind == ConnectionDribble && c.Dribble != Dribble{}:
		measured.Dribble = &dribbleJSON{c.Dribble.Bytes, duration(c.Dribble.Every)}
	default:
		return wire.Encode(c.Kind)
	}
	return wire.Encode(measured)
}

// UnmarshalJSON decodes a kind, with its measure if it has one.
func (c *Connection) UnmarshalJSON(data []byte) error {
	*c = Connection{}
	if data[0] == '"' {
		return json.Unmarshal(data, &c.Kind)
	}
	var measured measuredJSON
	err := json.Unmarshal(data, &measured)
	switch {
	case measured.Hang != nil:
		c.Kind, c.Hang = ConnectionHang, time.Duration(*measured.Hang)
	case measured.Truncate != nil:
		c.Kind, c.Truncate = ConnectionTruncate, measured.Truncate
	case measured.Dribble != nil:
		c.Kind, c.Dribble = ConnectionDribble, Dribble{measured.Dribble.Bytes, time.Duration(measured.Dribble.Every)}
	}
	return err
}
