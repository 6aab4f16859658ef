package fault

import (
	"cmp"
	"net/http"
	"time"
)

// DefaultHang and MaxHang bound how long a hang lasts (choice).
const (
	DefaultHang = 30 * time.Second
	MaxHang     = 5 * time.Minute
)

// Hang sends nothing for a while and then ends the connection. The answer is lost. Its JSON is the text of For.
type Hang struct {
	For Duration // how long at most, or 0 for DefaultHang
}

// Describe describes the kind.
func (Hang) Describe() Description {
	return Description{
		Name: "hang",
		About: "No answer: the connection stays open until the client disconnects, or for a time (by default 30s, " +
			"at most 5m), and then ends.",
		Done:     "kept the client waiting, closed the connection and sent no answer",
		Settings: []Setting{{Example: Duration(10 * time.Second)}},
	}
}

// MarshalText writes the settings.
func (h Hang) MarshalText() ([]byte, error) { return h.For.MarshalText() }

// UnmarshalText reads the settings.
func (h *Hang) UnmarshalText(text []byte) error { return h.For.UnmarshalText(text) }

func (h Hang) check(c *check, at string) {
	tooLong := time.Duration(h.For) > MaxHang
	c.reject(tooLong, at, "hang must be longer than 0 and at most %s, not %s", MaxHang, h.For)
}

// Holds returns how long the hang lasts.
func (h Hang) Holds(Answer) time.Duration { return cmp.Or(time.Duration(h.For), DefaultHang) }

// Deliver waits and sends nothing.
func (h Hang) Deliver(d Delivery) error {
	_ = d.wait(h.Holds(d.Whole)) // the connection ends in any case, even if the client has disconnected first
	return http.ErrAbortHandler
}
