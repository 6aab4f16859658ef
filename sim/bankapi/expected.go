package bankapi

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Expected is the exchange of the next request on a connection, for whoever has opened the connection within the program: an
// answer that a fault loses doesn't name its exchange.
type Expected struct {
	known   chan struct{} // closed once the exchange is recorded
	id      string
	journal *journal.Journal // nil: the exchange is in none
}

// Expect returns the exchange of the first request on a connection to a listener of the handler. It must be called before the
// request is sent, and forget once nobody waits for it.
func (h *Handler) Expect(conn net.Conn) (e *Expected, forget func()) {
	e = &Expected{known: make(chan struct{})}
	ends := ends{conn.LocalAddr().String(), conn.RemoteAddr().String()}
	h.expected.of.Store(ends, e)
	h.expected.count.Add(1)
	return e, func() {
		h.expected.of.Delete(ends)
		h.expected.count.Add(-1)
	}
}

// ID waits for the exchange and returns its id, empty if the journal that had it is gone. If the context is over, it doesn't wait.
func (e *Expected) ID(ctx context.Context) string {
	select {
	case <-e.known:
	default:
		select {
		case <-e.known:
		case <-ctx.Done():
			return ""
		}
	}
	if e.journal == nil || e.journal.Closed() {
		return ""
	}
	return e.id
}

// ends are the addresses of both ends of a connection, which no other one has while it is open.
type ends struct{ client, server string }

// expectations are the connections whose exchanges are expected.
type expectations struct {
	count atomic.Int64 // almost always 0: then requests look no further
	of    sync.Map     // *Expected by ends
}

// note notes an exchange if it is expected.
func (all *expectations) note(x *exchange) {
	if all.count.Load() == 0 {
		return
	}
	server, ok := x.r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return
	}
	found, ok := all.of.LoadAndDelete(ends{x.r.RemoteAddr, server.String()})
	if !ok {
		return
	}
	e := found.(*Expected)
	e.id, e.journal = x.id, x.call.Journal
	close(e.known)
}
