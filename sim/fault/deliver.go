package fault

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Answer is a whole HTTP answer. It exists before any part of it is sent.
type Answer struct {
	Status int
	Header [][2]string // all headers, with the Content-Length
	Body   []byte
}

// Delivery is an answer that a kind of fault delivers to a client.
type Delivery struct {
	Writer   http.ResponseWriter
	Request  *http.Request
	Whole    Answer          // the answer without the fault
	Sent     Answer          // the answer that the kind sends; the zero Answer if it loses the answer
	Draining <-chan struct{} // closes when the server ends
}

// writeTimeout is how long a client may take to read an answer (choice).
const writeTimeout = 30 * time.Second

// writeHead sends the status and the headers.
func (d Delivery) writeHead() {
	header := d.Writer.Header()
	for _, h := range d.Sent.Header {
		header[h[0]] = append(header[h[0]], h[1])
	}
	d.Writer.WriteHeader(d.Sent.Status)
}

// wait waits for a time. It fails if the client disconnects first.
func (d Delivery) wait(pause time.Duration) error {
	return Wait(d.Request.Context(), d.Draining, pause)
}

// Wait waits for a time, or until draining closes. It fails if the context ends first.
func Wait(ctx context.Context, draining <-chan struct{}, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-draining:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxUnread is how many bytes of a request's body are read before its connection ends (choice).
const maxUnread = 1 << 20

// readRequest reads the body of a request of HTTP/1. Unread bytes would turn an orderly end into a reset, and keep
// net/http from noticing that the client has disconnected.
func readRequest(r *http.Request) { _, _ = io.CopyN(io.Discard, r.Body, maxUnread) }
