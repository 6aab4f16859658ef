package fault

import (
	"net/http"
	"time"
)

// How long a hang lasts at most, if the rule doesn't say, and whatever it says (choice).
const (
	DefaultHang = 30 * time.Second
	MaxHang     = 5 * time.Minute
)

// hang keeps the caller waiting, and then ends the connection.
func (c *Connection) hang(w http.ResponseWriter, r *http.Request, draining <-chan struct{}) error {
	length := time.Duration(c.Hang)
	if length == 0 {
		length = DefaultHang
	}
	_ = Wait(r.Context(), draining, length) // a caller who is gone has got what was wanted
	return end(w)
}
