package fault

import (
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
	piece, pause := c.Dribble.Bytes, time.Duration(c.Dribble.Every)
	if piece == 0 {
		piece = DefaultPiece
	}
	if pause == 0 {
		pause = DefaultPause
	}
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

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
