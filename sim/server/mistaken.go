package server

import (
	"fmt"
	"io"
	"net"
	"time"
)

// How much of what a client of the wrong protocol sends is read, and for how long (choice).
const (
	maxMistaken     = 64 << 10 // bytes
	mistakenTimeout = time.Second
)

// answerMistaken answers a client that speaks http where https is spoken, or the other way round, in plain HTTP: that is what
// it speaks, or what its TLS library recognizes. Many then say that the port speaks no TLS. Closing a connection with unread
// bytes would lose the answer.
func (s *Server) answerMistaken(conn net.Conn, text string) {
	s.tls.mistaken.log(s.log, text, "client", conn.RemoteAddr().String())
	_ = conn.SetDeadline(time.Now().Add(mistakenTimeout))
	text += "\n"
	_, err := fmt.Fprintf(conn, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(text), text)
	if err == nil && closeWrite(conn) == nil {
		_, _ = io.CopyN(io.Discard, conn, maxMistaken)
	}
}
