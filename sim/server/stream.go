package server

import (
	"net/http"
	"time"
)

// Limits of a connection of HTTP/2 (choice). Its streams are like connections of HTTP/1: each has a request, and takes memory.
const (
	maxStreams       = 100
	connectionBuffer = 256 << 10 // bytes of requests that nobody has read yet
	streamBuffer     = 64 << 10
)

// receivingStream is a stream of HTTP/2 whose request has not arrived completely.
type receivingStream struct {
	controller *http.ResponseController
	of         *connections
}

// cut ends the reading.
func (s *receivingStream) cut() { _ = s.controller.SetReadDeadline(time.Unix(1, 0)) }

// setReceived notes that the request has arrived completely, or that nobody waits for the rest.
func (s *receivingStream) setReceived() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	delete(s.of.streams, s)
}

// serveStream serves the request of a stream of HTTP/2.
func (c *connections) serveStream(w http.ResponseWriter, r *http.Request, next http.Handler) {
	paced := &pacedStream{ResponseWriter: w, controller: http.NewResponseController(w)}
	if r.Body != http.NoBody {
		stream := &receivingStream{paced.controller, c}
		defer stream.setReceived()
		r.Body = &receivedBody{r.Body, stream}
		c.mu.Lock()
		c.streams[stream] = true
		if c.over {
			stream.cut()
		}
		c.mu.Unlock()
	}
	next.ServeHTTP(paced, r)
	paced.bound() // what is not sent yet
}

// pacedStream is the answer of a stream whose client has stallTimeout to take a piece of it. A client that stops reading one
// stream doesn't stop the connection, so pacedConn doesn't notice.
type pacedStream struct {
	http.ResponseWriter
	controller *http.ResponseController
	deadline   time.Time // that was set for writing; zero: none
	unsent     int       // bytes that wait in the buffer of net/http at most
}

// unboundedPiece is how many bytes are written without a bound: they fit into the buffer of net/http.
const unboundedPiece = 2 << 10

// Unwrap returns the writer itself, for http.ResponseController.
func (s *pacedStream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// SetWriteDeadline sets a deadline for all that is written, in addition to that of each piece. net/http resets a stream when its
// deadline comes, also while nothing is written, unlike a connection. So it has one only while something is.
func (s *pacedStream) SetWriteDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

// Write writes in pieces.
func (s *pacedStream) Write(p []byte) (n int, err error) {
	if s.unsent += len(p); s.unsent <= unboundedPiece {
		return s.ResponseWriter.Write(p)
	}
	for {
		s.bound()
		written, err := s.ResponseWriter.Write(p[n:min(len(p), n+stallPiece)])
		n += written
		if err != nil || n == len(p) {
			s.unbound()
			return n, err
		}
	}
}

// FlushError sends what was written.
func (s *pacedStream) FlushError() error {
	s.bound()
	defer s.unbound()
	s.unsent = 0
	return s.controller.Flush()
}

// bound gives the client time to take a piece.
func (s *pacedStream) bound() {
	deadline := time.Now().Add(stallTimeout)
	if !s.deadline.IsZero() && s.deadline.Before(deadline) {
		deadline = s.deadline
	}
	_ = s.controller.SetWriteDeadline(deadline) // it fails if the stream is gone, and then so does the writing
}

// unbound takes the time off: nothing is being written.
func (s *pacedStream) unbound() { _ = s.controller.SetWriteDeadline(time.Time{}) }
