package fault

import (
	"net/http"
	"time"
)

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
