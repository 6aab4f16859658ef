package fault

import (
	"fmt"
	"net/http"
)

// deliverInStream is Deliver for a stream of HTTP/2.
func (c *Connection) deliverInStream(w http.ResponseWriter, r *http.Request, a Answer, draining <-chan struct{}) error {
	switch c.Kind {
	case Reset, Close:
		return http.ErrAbortHandler
	case Hang:
		c.keepWaiting(r, draining)
		return http.ErrAbortHandler
	case Truncate:
		return c.truncateStream(w, r, a)
	case Malformed:
		write(w, malformed(a))
		return nil
	case Trickle:
		return c.dribble(w, r, withoutBody(r, a), draining)
	}
	return fmt.Errorf("connection fault %q can't be delivered in a stream of HTTP/2", c.Kind)
}

// truncateStream sends a part of the body and resets the stream, unless nothing is cut.
func (c *Connection) truncateStream(w http.ResponseWriter, r *http.Request, a Answer) error {
	part := c.truncated(a)
	if r.Method == http.MethodHead || len(part.Body) == len(a.Body) {
		write(w, a)
		return nil
	}
	write(w, part)
	_ = http.NewResponseController(w).Flush() // if it fails, the client has disconnected
	return http.ErrAbortHandler
}
