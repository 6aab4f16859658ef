package bankapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

const (
	// largeAnswer is the size above which an answer is written in pieces, of this size, and needs room (choice).
	largeAnswer = 64 << 10
	// writeTimeout is how long a client may take to read a piece (choice).
	writeTimeout = 30 * time.Second
)

// write waits out the delay of the answer, counts it and sends it, or does what a connection fault makes of it. The log's line
// comes last, so that it knows what the client waited.
func (x *exchange) write() {
	if x.injected == nil || x.wait(x.injected.after) == nil { // the answer stands, even if the client gives up
		x.meet()
	}
	if x.id != "" && x.behavior.Headers.Exchange && !x.at.Journal.Closed() {
		x.reply.header(contract.ExchangeHeader.Name, x.id)
	}
	var err error
	if broken := x.connection(); broken != nil {
		_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(x.held + writeTimeout))
		err = broken.Deliver(x.w, x.r, x.reply.plain(), x.handler.Draining)
	} else {
		x.send()
	}
	if err != nil && err != http.ErrAbortHandler {
		x.handler.Log.Error("a fault was not delivered", "fault", x.injected.AnsweredBy, "exchange", x.id, "error", err)
	}
	x.log()
	x.handler.duration.WithLabelValues(x.operationName()).Observe(time.Since(x.started).Seconds())
	if x.isUnframed() && err == nil && x.r.Context().Value(http.ServerContextKey) != nil { // it has a connection
		endUnframed(x.w)
	}
	if err == http.ErrAbortHandler { // a fault
		panic(err)
	}
}

// plain returns the reply as a connection fault takes it.
func (rep reply) plain() fault.Answer {
	return fault.Answer{Status: rep.status, Header: rep.headers, Body: rep.body}
}

func (x *exchange) send() {
	header := x.w.Header()
	values := make([]string, len(x.reply.headers)) // one for all
	for i, h := range x.reply.headers {
		values[i] = h[1]
		header[h[0]] = values[i : i+1 : i+1]
	}
	x.w.WriteHeader(x.reply.status)
	for rest := x.withoutBodyOfHEAD(x.reply).body; len(rest) > 0; {
		piece := rest[:min(len(rest), largeAnswer)]
		if rest = rest[len(piece):]; len(rest) > 0 {
			_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		if _, err := x.w.Write(piece); err != nil {
			return // the client has disconnected: nobody reads an error
		}
	}
}

// maxLoggedFaults is how many faults a line of the log names (choice).
const maxLoggedFaults = 5

// traceHeaders are by what an app names a request to find it again: W3C Trace Context, and a name that many proxies use.
var traceHeaders = []string{"Traceparent", "X-Request-Id"}

// log writes the line of the request. It bypasses slog.Logger, which would look up its caller for every line.
func (x *exchange) log() {
	log, ctx, now := x.handler.Log.Handler(), x.r.Context(), time.Now()
	if !log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("sandbox", phrase.Shorten(x.sandboxName)),
		slog.String("exchange", x.id),
		slog.String("operation", x.operationName()),
		slog.String("method", phrase.Shorten(x.r.Method)),
		slog.String("path", phrase.Message(x.prefix+fault.PathPattern(x.request.URL.EscapedPath()))),
		slog.Int("status", x.sent.status),
		slog.Int("bytes", len(x.sent.body)),
		slog.Duration("took", now.Sub(x.started)),
	)
	for _, name := range traceHeaders {
		if id := x.r.Header.Get(name); id != "" {
			line.AddAttrs(slog.String(strings.ToLower(name), phrase.Shorten(id)))
		}
	}
	if fired := x.injected; fired != nil {
		names := strings.Join(fired.Fired[:min(len(fired.Fired), maxLoggedFaults)], ",")
		if more := len(fired.Fired) - maxLoggedFaults; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		line.AddAttrs(slog.String("fault", names))
		if fired.DelayMicros > 0 {
			line.AddAttrs(slog.Duration("delay", time.Duration(fired.DelayMicros)*time.Microsecond))
		}
		if fired.Connection != "" {
			line.AddAttrs(slog.String("connection", fired.Connection))
		}
		if (fired.DelayMicros > 0 || x.held > 0) && ctx.Err() != nil {
			line.AddAttrs(slog.Bool("disconnected", true))
		}
	}
	_ = log.Handle(ctx, line) // there is nowhere to report that the log can't be written
}

// isUnframed reports whether the request is one with a body, but doesn't say where its body ends. Then HTTP/1 takes it for one
// without a body (RFC 9112 6.3), and bytes that its client sent all the same for the connection's next request. In HTTP/2, a
// stream has its own end (RFC 9113 8.1).
func (x *exchange) isUnframed() bool {
	r := x.r
	if r.ProtoMajor > 1 || r.ContentLength != 0 || len(r.Header["Content-Length"]) > 0 {
		return false
	}
	if x.op != nil {
		return x.op.Request != nil
	}
	// A body that is sent to another path by mistake does the same harm.
	return r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodDelete
}

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
