package fault

import (
	"fmt"
	"strings"
	"time"
)

// Statuses that come with the error body of the operation's family.
const (
	LeastError = 400
	MostError  = 599
)

// Phases are all phases.
var Phases = []Phase{Before, After}

// About describes the phase in a sentence.
func (p Phase) About() string {
	switch p {
	case Before:
		return "Nothing is carried out."
	case After:
		return "The operation is carried out and its change is committed; then its answer is late, lost or replaced."
	}
	return ""
}

// About describes the kind in a sentence: what is on the wire.
func (k Kind) About() string {
	switch k {
	case Reset:
		return "A TCP RST, and no answer."
	case Close:
		return "The connection ends without an answer."
	case Hang:
		return fmt.Sprintf("No answer: the connection stays open until the client disconnects, or for a time (by default %s, at most %s), and then ends.",
			short(DefaultHang), short(MaxHang))
	case Truncate:
		return "The full Content-Length, but only so many bytes of the body, by default half of them."
	case Malformed:
		return "An answer whose body is not valid JSON."
	case Trickle:
		return fmt.Sprintf("The answer in small pieces, by default of %d bytes every %s.", DefaultPiece, short(DefaultPause))
	case Garbage:
		return "Bytes that are not HTTP, before the status line."
	}
	return ""
}

// short returns a duration without the units that are 0.
func short(d time.Duration) string {
	text := d.String()
	for _, unit := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, unit) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Example returns a fault of the kind with its measure; ok is false if the kind has none.
func (k Kind) Example() (c Connection, ok bool) {
	c.Kind = k
	switch k {
	case Hang:
		c.Hang = Duration(10 * time.Second)
	case Truncate:
		bytes := 20
		c.Truncate = &bytes
	case Trickle:
		c.Dribble = Dribble{Bytes: 16, Every: Duration(50 * time.Millisecond)}
	default:
		return c, false
	}
	return c, true
}
