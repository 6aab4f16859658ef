package fault

import (
	"cmp"
	"net/http"
	"time"
)

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
