package fault

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
)

// reset ends the connection by a RST. Unsent bytes are lost.
func reset(w http.ResponseWriter) error {
	conn, err := hijack(w)
	if err != nil {
		return err
	}
	if secured, ok := conn.(*tls.Conn); ok { // closing it would send an alert
		conn = secured.NetConn()
	}
	inner := conn
	for {
		wrapped, ok := inner.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		inner = wrapped.NetConn()
	}
	tcp, ok := inner.(*net.TCPConn)
	if !ok {
		return errors.Join(errors.New("a reset needs a TCP connection"), conn.Close())
	}
	return errors.Join(tcp.SetLinger(0), conn.Close()) // whoever has wrapped it notices the end
}
