package fault

import (
	"encoding/json"
	"net/http"
)

// Truncate sends the Content-Length of the whole body, but only the beginning of the body. Its JSON is the number of
// bytes.
type Truncate struct {
	Bytes *int // how many bytes of the body are sent, or nil for half of them
}

// Describe describes the kind.
func (Truncate) Describe() Description {
	return Description{
		Name:     "truncate",
		About:    "The full Content-Length, but only so many bytes of the body, by default half of them.",
		Done:     "sent only the beginning of the body and closed the connection",
		Delivers: true,
		Settings: []Setting{{Example: 20}},
	}
}

// MarshalJSON writes the settings.
func (t Truncate) MarshalJSON() ([]byte, error) { return json.Marshal(t.Bytes) }

// UnmarshalJSON reads the settings.
func (t *Truncate) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &t.Bytes) }

// Alter cuts the body.
func (t Truncate) Alter(whole Answer) (sent Answer) {
	length := len(whole.Body) / 2
	if t.Bytes != nil {
		length = min(*t.Bytes, len(whole.Body))
	}
	sent = whole
	sent.Body = whole.Body[:length]
	return sent
}

// Deliver sends the beginning of the answer and ends the connection, unless this is the whole answer.
func (Truncate) Deliver(d Delivery) error {
	d.writeHead()
	_, _ = d.Writer.Write(d.Sent.Body) // an error means that the client has disconnected
	if len(d.Sent.Body) == len(d.Whole.Body) {
		return nil
	}
	_ = http.NewResponseController(d.Writer).Flush() // likewise
	return http.ErrAbortHandler
}
