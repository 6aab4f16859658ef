package bankapi

import (
	"fmt"
	"hash/maphash"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// FaultRetried is the lint for a request that comes again, on another connection, right after a fault has broken the
// connection of the first.
const FaultRetried = "fault-retried"

// connection returns what a fault breaks in place of the answer to the request: its connection or, for HTTP/2, its stream, which no
// other request has. Nil: the connection is not known.
func (x *exchange) connection() *connection {
	conn := connectionOf(x.r.Context())
	if conn != nil && x.r.ProtoMajor > 1 {
		return new(connection)
	}
	return conn
}

// lintRetry notes that the request is one whose connection a fault broke a moment ago. Many HTTP clients send such a request
// again by themselves, so that a fault that fires once never reaches the app. docs/faults.md says which.
func (x *exchange) lintRetry() {
	c := &x.call
	if c.generation == nil || c.generation.Faults().Broken.Empty() {
		return
	}
	conn := x.connection()
	if conn == nil {
		return
	}
	if was, ok := c.generation.Faults().Broken.RetryOf(c.identity(), conn, x.started); ok {
		where := "on another connection"
		if x.r.ProtoMajor > 1 {
			where = "in another stream"
		}
		c.lint(FaultRetried, fmt.Sprintf("the request is that of exchange %s again, %s, within a second of the fault %s (%s): "+
			"HTTP clients retry by themselves when a connection breaks, so the app may not have seen the fault; to make it reach the app, "+
			"let it fire for the retry too (when: {first: 2}, or more if the client has several connections), or hang for longer than the client waits",
			was.Exchange, where, was.Fault, was.Kind))
	}
}

// breaking remembers the request if its reply is lost, or cut, with the connection. The function that it returns is called
// once that is done.
func (x *exchange) breaking(rep *reply) (broken func()) {
	how := rep.connection()
	if how == nil || !how.Kind.Breaks(x.r.Method) || rep.injected.AnsweredBy == "" {
		return func() {}
	}
	c, conn := &x.call, x.connection()
	if conn == nil {
		return func() {}
	}
	ended := c.generation.Faults().Broken.Add(fault.Breakage{
		Request:    c.identity(),
		Connection: conn,
		Fault:      rep.injected.AnsweredBy,
		Kind:       how.Kind,
		Exchange:   x.id,
	})
	return func() { ended(time.Now()) }
}

var identitySeed = maphash.MakeSeed()

// identity returns a hash that two requests of an operation share if they ask for the same and call themselves the same.
func (c *call) identity() uint64 {
	var h maphash.Hash
	h.SetSeed(identitySeed)
	url := c.request.URL
	for _, part := range []string{c.request.Method, url.EscapedPath(), url.RawQuery, c.requestID()} {
		_, _ = h.WriteString(part)
		_ = h.WriteByte(0) // which none of them has
	}
	_, _ = h.Write(c.content.data)
	return h.Sum64()
}
