package server

import (
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// unreadable is what net/http writes, in one Write and without a handler, to a request whose request line or headers
// it can't parse. net/http has other texts for other refusals; they stay.
const unreadable = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" +
	"400 Bad Request"

// bankListener is a listener of a bank: a request that can't be parsed gets an error of the interface there. It is not
// for TLS, because net/http speaks HTTP/2 only on a connection of its own type.
type bankListener struct{ net.Listener }

func (l bankListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if lingering, ok := conn.(*lingeringConn); ok {
		conn = &bankConn{lingeringConn: lingering}
	}
	return conn, err
}

type bankConn struct {
	*lingeringConn
	mu          sync.Mutex // net/http reads the next request while it writes an answer
	requestLine []byte     // the beginning of what was read since the last write
}

func (c *bankConn) Read(p []byte) (int, error) {
	const enough = 256 // of a longer path only the beginning decides the family
	n, err := c.lingeringConn.Read(p)
	c.mu.Lock()
	c.requestLine = append(c.requestLine, p[:min(n, enough-len(c.requestLine))]...)
	c.mu.Unlock()
	return n, err
}

func (c *bankConn) Write(p []byte) (int, error) {
	answer := p
	c.mu.Lock()
	if string(p) == unreadable {
		answer = refuseUnreadable(string(c.requestLine))
	}
	c.requestLine = c.requestLine[:0]
	c.mu.Unlock()
	n, err := c.TCPConn.Write(answer)
	return min(n, len(p)), err // the interface's answer is the longer one
}

// refuseUnreadable returns the error of the family of the path in a request line.
func refuseUnreadable(line string) []byte {
	_, path, _ := strings.Cut(line, " ")
	if below, ok := strings.CutPrefix(path, "/sandboxes/"); ok {
		_, below, _ = strings.Cut(below, "/")
		path = "/" + below
	}
	family, _ := contract.NearestFamily(path)
	r := family.Refusal(contract.RequestUnreadable)
	body := family.Error(
		r.Status,
		r.Code,
		"the request line or a header can't be parsed: look for a broken escape in the path, "+
			"and for characters that a header can't have",
	)
	return fmt.Appendf(nil, "HTTP/1.1 %d Bad Request\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", r.Status, contract.ContentType.About, len(body), body)
}
