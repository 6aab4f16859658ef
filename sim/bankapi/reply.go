package bankapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// reply is the answer to a request, whole before any of it is sent.
type reply struct {
	status  int
	headers [][2]string
	body    []byte // JSON, unless a fault gives it; nil: none
	code    string // in the error body that a fault answers with

	decision journal.Decision // why the reply is what it is
	injected *injected        // the faults that fired; nil: none
}

// reply returns the reply to a request that is accepted, with a value as its body.
func (c *call) reply(body any) reply { return c.jsonReply(wire.MustEncode(body)) }

// jsonReply returns the reply to a request that is accepted, with a body that is JSON already.
func (c *call) jsonReply(body []byte) reply { return c.replyWith(c.answer(), body) }

// replyWith returns the reply to a request that is accepted with an answer of its operation.
func (c *call) replyWith(answer *contract.Answer, body []byte) reply {
	rep := reply{status: answer.Status, body: body}
	if c.NoStore {
		for _, h := range []contract.Header{contract.CacheControl, contract.Pragma} {
			rep.header(h.Name, h.About)
		}
	}
	return rep
}

// usualHeaders is how many headers an answer has: those that identify request and exchange, and those of the content.
const usualHeaders = 4

// emptyReply returns the reply to a request that is accepted, without a body.
func (c *call) emptyReply() reply { return reply{status: c.answer().Status} }

// withoutBody returns the reply as it is sent to HEAD: its headers are those of the whole (RFC 9110 9.3.2).
func (rep reply) withoutBody() reply {
	rep.body = nil
	return rep
}

// header adds a header, in the spelling given.
func (rep *reply) header(name, value string) {
	if rep.headers == nil {
		rep.headers = make([][2]string, 0, usualHeaders)
	}
	rep.headers = append(rep.headers, [2]string{name, value})
}

// frame adds the content headers, and replaces headers by those that a fault sets.
func (rep *reply) frame() {
	if rep.body != nil {
		rep.header(contract.ContentType.Name, mediaJSON)
	}
	if rep.status != http.StatusNoContent { // RFC 9110 8.6
		rep.header("Content-Length", strconv.Itoa(len(rep.body)))
	}
	if rep.injected == nil {
		return
	}
	for _, h := range rep.injected.headers {
		rep.headers = slices.DeleteFunc(rep.headers, func(own [2]string) bool { return strings.EqualFold(own[0], h[0]) })
		rep.header(h[0], h[1])
	}
}

// sent returns the reply as it goes over the wire, which a connection fault may cut, alter or lose.
func (rep *reply) sent() reply {
	connection := rep.connection()
	if connection == nil {
		return *rep
	}
	sent := *rep
	altered, ok := connection.Alter(rep.answer())
	if !ok {
		sent.status, sent.headers, sent.body = 0, nil, nil
		return sent
	}
	sent.status, sent.headers, sent.body = altered.Status, altered.Header, altered.Body
	return sent
}

func (rep *reply) answer() fault.Answer {
	return fault.Answer{Status: rep.status, Header: rep.headers, Body: rep.body}
}

// connection returns the connection fault by which the reply is delivered, or nil.
func (rep *reply) connection() *fault.Connection {
	if rep.injected == nil {
		return nil
	}
	return rep.injected.connection
}

// delay returns how long faults hold the reply back once it is decided.
func (rep *reply) delay() time.Duration {
	if rep.injected == nil {
		return 0
	}
	return rep.injected.after
}

// held returns how long a connection fault means to keep the client waiting while it delivers the reply.
func (rep *reply) held(method string) time.Duration {
	connection := rep.connection()
	if connection == nil {
		return 0
	}
	a := rep.answer()
	if method == http.MethodHead {
		a.Body = nil
	}
	return connection.Holds(a)
}

// wait waits out the delay of the reply. It fails when the client disconnects, and ends early when the server shuts down.
func (rep *reply) wait(ctx context.Context, draining <-chan struct{}) error {
	if delay := rep.delay(); delay > 0 {
		return fault.Wait(ctx, draining, delay)
	}
	return nil
}

// fault returns what the journal keeps of faults.
func (rep *reply) fault() *journal.Fault {
	if rep.injected == nil {
		return nil
	}
	return &rep.injected.Fault
}

// write sends the reply, or does what a connection fault makes of it. An error is the fault's, which could not be
// delivered.
func (rep *reply) write(w http.ResponseWriter, r *http.Request, draining <-chan struct{}) error {
	controller := http.NewResponseController(w)
	if connection := rep.connection(); connection != nil {
		_ = controller.SetWriteDeadline(time.Now().Add(rep.held(r.Method) + writeTimeout))
		return connection.Deliver(w, r, rep.answer(), draining)
	}
	header := w.Header()
	values := make([]string, len(rep.headers)) // one for all
	for i, h := range rep.headers {
		values[i] = h[1]
		header[h[0]] = values[i : i+1 : i+1]
	}
	w.WriteHeader(rep.status)
	if r.Method == http.MethodHead {
		return nil
	}
	for rest := rep.body; len(rest) > 0; {
		piece := rest[:min(len(rest), largeAnswer)]
		if rest = rest[len(piece):]; len(rest) > 0 {
			_ = controller.SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		if _, err := w.Write(piece); err != nil {
			return nil // the client has disconnected: nobody reads an error
		}
	}
	return nil
}

const (
	// largeAnswer is the size above which an answer is written in pieces, of this size, and needs room (choice).
	largeAnswer = 64 << 10
	// writeTimeout is how long a client may take to read a piece (choice).
	writeTimeout = 30 * time.Second
)
