package fault

import (
	"cmp"
	"net/http"
	"time"
)

// These are the defaults of a dribble, and the most time that it takes (choice).
const (
	DefaultPiece = 16 // bytes
	DefaultPause = 100 * time.Millisecond
	MaxDribble   = time.Minute
)

// Dribble sends the body in small pieces.
type Dribble struct {
	Bytes int      `json:"bytes,omitzero"` // the size of a piece, or 0 for DefaultPiece
	Every Duration `json:"every,omitzero"` // the pause between two pieces, or 0 for DefaultPause
}

// Describe describes the kind.
func (Dribble) Describe() Description {
	return Description{
		Name:      "dribble",
		About:     "The answer in small pieces, by default of 16 bytes every 100ms.",
		Done:      "sent the body in small pieces",
		Delivers:  true,
		Completes: true,
		Settings: []Setting{
			{Member: "bytes", About: "The size of a piece in bytes.", Example: 16, Minimum: 1},
			{Member: "every", About: "The pause between two pieces.", Example: Duration(50 * time.Millisecond)},
		},
	}
}

func (b Dribble) check(c *check, at string) {
	tooLong := time.Duration(b.Every) > MaxDribble
	c.reject(tooLong, at+".every", "every must be longer than 0 and at most %s, not %s", MaxDribble, b.Every)
}

// Holds returns how long all pauses are together.
func (b Dribble) Holds(whole Answer) time.Duration {
	piece, pause := b.rhythm()
	pauses := max(0, (len(whole.Body)-1)/piece)
	return min(MaxDribble, time.Duration(pauses)*pause)
}

// rhythm returns the size of a piece, and the pause between two pieces.
func (b Dribble) rhythm() (piece int, pause time.Duration) {
	return cmp.Or(b.Bytes, DefaultPiece), cmp.Or(time.Duration(b.Every), DefaultPause)
}

// Deliver sends the pieces. After MaxDribble it sends the rest at once. When the server ends, the pauses end, too.
func (b Dribble) Deliver(d Delivery) error {
	piece, pause := b.rhythm()
	control := http.NewResponseController(d.Writer)
	if err := control.SetWriteDeadline(time.Now().Add(MaxDribble + writeTimeout)); err != nil {
		return err
	}
	d.writeHead()
	for rest, left := d.Sent.Body, MaxDribble; len(rest) > 0; left -= pause {
		if left <= 0 {
			piece = len(rest)
		}
		piece = min(piece, len(rest))
		if _, err := d.Writer.Write(rest[:piece]); err != nil || control.Flush() != nil {
			return nil // the client has disconnected
		}
		rest = rest[piece:]
		if len(rest) > 0 && d.wait(min(pause, left)) != nil {
			return nil
		}
	}
	return nil
}
