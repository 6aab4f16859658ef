package bankapi

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Choices about how long a client may take.
const (
	writeTimeout = 30 * time.Second // to read a piece of a large answer
	pieceTimeout = 30 * time.Second // to send a piece of a body that may be forwarded
	uploadTime   = 10 * time.Minute // to send all of such a body
)

// deliver waits for the fault's delay, counts the answer for coverage, and sends it, or breaks the connection as a
// fault says. The log's line comes last, so that it has the time that the client has waited.
func (h *Handler) deliver(w http.ResponseWriter, req *request, out exchange) {
	name := nameOf(out.op)
	h.Meter.FaultsFired(name, len(out.effects.all.Fired))
	h.Meter.Answered(name, out.sent.Status)
	if out.isUnexplained(req) {
		h.Meter.Unexplained(name)
	}
	journal.SenderIn(req.Context()).Note(out.id)
	if _, after := out.effects.Delays(); h.wait(req, after) == nil { // an answer that nobody waited for is not counted
		out.countCoverage()
	}
	rep := out.reply
	if out.id != "" && out.policy.Headers.Exchange && !out.Journal.Closed() {
		rep = rep.with(contract.ExchangeHeader.Name, out.id)
	}
	var err error
	if broken := out.effects.connection; broken != nil {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(out.holdFor + writeTimeout))
		err = broken.Deliver(w, req.Request, rep.plain(), h.Draining)
	} else {
		if out.effects.totalDelay() > 0 || out.effects.Forward != nil { // the server's own deadline may be over
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		send(w, withoutBodyOfHEAD(req.Method, rep.plain()))
	}
	streamed := 0
	if err == nil && rep.rest != nil {
		streamed, err = rep.rest.copyTo(w)
	}
	switch {
	case err == nil, err == http.ErrAbortHandler:
	case rep.rest != nil: // the client sees that the answer isn't whole
		if req.Context().Err() == nil { // else it has gone
			h.Log.Warn("a forwarded answer was broken off", "exchange", out.id, "error", err)
		}
		err = http.ErrAbortHandler
	default:
		h.Log.Error("a fault was not delivered", "fault", out.fault.Fired[0], "exchange", out.id, "error", err)
	}
	h.log(req, out, streamed)
	h.Meter.Took(name, time.Since(req.started))
	if err == http.ErrAbortHandler {
		panic(err)
	}
}

// isUnexplained reports whether the simulator itself or its store has failed, and a client reads that.
func (out *outcome) isUnexplained(req *request) bool {
	decision := out.reply.decision
	if decision.Outcome != journal.Refused || out.sent.Status < 500 {
		return false
	}
	hasGone := req.Context().Err() != nil // then the store was given up, and has not failed
	rule := sim.Code(decision.Rule)
	return rule == contract.InternalFault || rule == contract.NotStored && !hasGone
}

// send writes an answer. It writes a large one in pieces.
func send(w http.ResponseWriter, a fault.Answer) {
	header := w.Header()
	values := make([]string, len(a.Header)) // one slice for all headers
	for i, h := range a.Header {
		values[i] = h[1]
		if i > 0 && a.Header[i-1][0] == h[0] { // one more value of the same header
			header[h[0]] = append(header[h[0]], h[1])
			continue
		}
		header[h[0]] = values[i : i+1 : i+1]
	}
	w.WriteHeader(a.Status)
	for rest := a.Body; len(rest) > 0; {
		piece := rest[:min(len(rest), largeAnswer)]
		if rest = rest[len(piece):]; len(rest) > 0 {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		if _, err := w.Write(piece); err != nil {
			return // the client has disconnected: nobody reads an error
		}
	}
}

// countCoverage counts the answer of an operation for coverage. That comes before the answer is sent, so whoever has an
// answer finds it counted.
func (out *outcome) countCoverage() {
	if out.op == nil || out.World == nil { // the request is no operation's, or its sandbox was deleted
		return
	}
	point := coverage.Point{
		Operation: out.op.Name, Dialect: dialectOf(out.op), Kind: coverage.Accepted, Status: out.sent.Status,
	}
	switch firing := out.effects.Answer; {
	case firing != nil && firing.Rule.Then.Connection != nil:
		point.Kind, point.Status, point.Connection = coverage.Connection, 0, firing.Rule.Then.Connection.Name()
		if out.op.Changes { // for others the phases are the same
			point.Phase = string(firing.Phase)
		}
	case firing != nil:
		point.Kind, point.Code = coverage.Injected, out.reply.code
	case out.sent.Status == 0: // the client disconnected while a fault delayed its request
		return
	case out.reply.decision.Outcome == journal.Refused:
		point.Kind, point.Rule, point.Code = coverage.Refused, out.reply.decision.Rule, out.reply.code
	}
	out.sandbox.Coverage().Count(point, out.reply.decision.Entries, out.World.Policies())
}

// maxLoggedFaults is how many faults a line of the log names (choice).
const maxLoggedFaults = 5

// traceHeaders name a request, so that an app finds it again. One is of W3C Trace Context, and many proxies use the
// other.
var traceHeaders = []string{"Traceparent", "X-Request-Id"}

// clientOf returns the address of the caller without its port.
func clientOf(req *request) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		return req.RemoteAddr
	}
	return host
}

// log writes the line of a request, whose answer went on for some streamed bytes. It bypasses slog.Logger, because that
// looks up its caller for every line.
func (h *Handler) log(req *request, out exchange, streamed int) {
	log, ctx, now := h.Log.Handler(), req.Context(), time.Now()
	if !log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	path := req.below.Path
	if out.op == nil {
		path = fault.PathPattern(req.path()) // as a stub writes the path
	}
	number, _ := journal.ParseID(out.id)
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("sandbox", wording.Shorten(req.sandboxName)), slog.Uint64("exchange", number),
		slog.String("operation", nameOf(out.op)), slog.String("method", wording.Shorten(req.Method)),
		slog.String("path", wording.Message(req.prefix+path)), slog.Int("status", out.sent.Status),
		slog.Int("bytes", len(out.sent.Body)+streamed),
		slog.Float64("tookMs", wording.Milliseconds(now.Sub(req.started))),
		slog.String("client", clientOf(req)),
	)
	if decision := out.reply.decision; decision.Outcome != journal.Accepted {
		line.AddAttrs(slog.String("rule", decision.Rule))
	}
	if out.reply.code != "" && out.sent.Status != 0 {
		line.AddAttrs(slog.String("code", out.reply.code))
	}
	for _, name := range traceHeaders {
		if id := req.header(name); id != "" {
			line.AddAttrs(slog.String(strings.ToLower(name), wording.Shorten(id)))
		}
	}
	if e := out.effects; out.fault != nil {
		fired, delay := out.fault.Fired, e.totalDelay()
		names := strings.Join(fired[:min(len(fired), maxLoggedFaults)], ",")
		if more := len(fired) - maxLoggedFaults; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		line.AddAttrs(slog.String("fault", names))
		if delay > 0 {
			line.AddAttrs(slog.Duration("delay", delay))
		}
		if e.Answer != nil && e.Answer.Rule.Then.Connection != nil {
			line.AddAttrs(slog.String("connection", e.Answer.Rule.Then.Connection.Name()))
		}
		if (delay > 0 || out.holdFor > 0) && ctx.Err() != nil {
			line.AddAttrs(slog.Bool("disconnected", true))
		}
	}
	_ = log.Handle(ctx, line) // there is nowhere to report that the log can't be written
}
