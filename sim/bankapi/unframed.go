package bankapi

import (
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// unframed reports whether the request is one with a body, but doesn't say where its body ends. Then HTTP/1 takes it for one
// without a body (RFC 9112 6.3), and bytes that its client sent all the same for the connection's next request. In HTTP/2, a
// stream has its own end (RFC 9113 8.1).
func (x *exchange) unframed() bool {
	r := x.r
	if r.ProtoMajor > 1 || r.ContentLength != 0 || len(r.Header["Content-Length"]) > 0 {
		return false
	}
	if x.call.route != nil {
		return x.call.Request != nil
	}
	return slices.ContainsFunc(contract.AllSpoken(), func(op *contract.Operation) bool {
		return op.Method == r.Method && op.Request != nil // a body that is sent to another path by mistake does the same harm
	})
}

// closeUnframed adds the header by which an answer to an unframed request ends the connection.
func (rep *reply) closeUnframed() { rep.header("Connection", "close") }

// How much is read of what follows an unframed request, and for how long (choice). A client that got its answer closes the
// connection at once.
const (
	maxUnframed     = 1 << 20 // bytes
	unframedTimeout = time.Second
)

// endUnframed ends the connection of an unframed request once its answer is written. Closing a connection with unread bytes
// would reset it, and the client might lose the answer. So the simulator says that nothing more will come, and reads
// until the client has closed its side.
func endUnframed(w http.ResponseWriter) {
	controller := http.NewResponseController(w)
	if controller.Flush() != nil {
		return // the client has disconnected
	}
	conn, _, err := controller.Hijack()
	if err != nil {
		return // a connection fault has taken the connection
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(unframedTimeout))
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, conn, maxUnframed)
	}
}
