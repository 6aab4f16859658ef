package fault

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Malformed sends a body that is not JSON.
type Malformed struct{}

// Describe describes the kind.
func (Malformed) Describe() Description {
	return Description{
		Name:      "malformed",
		About:     "An answer whose body is not valid JSON.",
		Done:      "sent a body that is not JSON",
		Delivers:  true,
		Completes: true,
	}
}

// Alter cuts the last byte of the body. The body becomes the beginning of an object if it is empty, or if it would
// still be JSON, like a number.
func (Malformed) Alter(whole Answer) (sent Answer) {
	body := bytes.TrimRight(whole.Body, " \t\r\n")
	cut := body[:max(len(body)-1, 0)]
	if len(cut) == 0 || json.Valid(cut) {
		cut = []byte("{")
	}
	sent = Answer{Status: whole.Status, Body: cut}
	if whole.Status == http.StatusNoContent || whole.Status == http.StatusNotModified {
		sent.Status = http.StatusOK // an answer with the other two has no body
	}
	sent.Header = [][2]string{{"Content-Length", strconv.Itoa(len(cut))}}
	typed := false
	for _, h := range whole.Header {
		typed = typed || strings.EqualFold(h[0], "Content-Type")
		if !strings.EqualFold(h[0], "Content-Length") {
			sent.Header = append(sent.Header, h)
		}
	}
	if !typed {
		sent.Header = append(sent.Header, [2]string{"Content-Type", "application/json"})
	}
	return sent
}

// Deliver sends the answer. The connection stays.
func (Malformed) Deliver(d Delivery) error {
	d.writeHead()
	_, _ = d.Writer.Write(d.Sent.Body) // an error means that the client has disconnected
	return nil
}
