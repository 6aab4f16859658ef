package fault

import (
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
	inner := conn
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok { // closing the TLS connection would send an alert
		inner = secured.NetConn()
	}
	tcp, ok := inner.(*net.TCPConn)
	if !ok {
		return errors.Join(errors.New("a reset needs a TCP connection"), conn.Close())
	}
	return errors.Join(tcp.SetLinger(0), tcp.Close())
}
