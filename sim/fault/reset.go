package fault

import (
	"errors"
	"net"
	"net/http"
)

// Reset ends the connection by a TCP RST. The answer is lost.
type Reset struct{}

// Describe describes the kind.
func (Reset) Describe() Description {
	return Description{
		Name:  "reset",
		About: "A TCP RST, and no answer.",
		Done:  "reset the connection and sent no answer",
	}
}

// Deliver resets the connection of HTTP/1, or the stream of HTTP/2.
func (Reset) Deliver(d Delivery) error {
	if d.Request.ProtoMajor > 1 {
		return http.ErrAbortHandler
	}
	conn, _, err := http.NewResponseController(d.Writer).Hijack()
	if err != nil {
		return err
	}
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secured.NetConn() // to close the connection of TLS would send an alert
	}
	tcp, ok := conn.(interface{ SetLinger(seconds int) error })
	if !ok {
		return errors.Join(errors.New("a reset needs a TCP connection"), conn.Close())
	}
	return errors.Join(tcp.SetLinger(0), conn.Close()) // unsent bytes are lost, and the kernel sends a RST
}
