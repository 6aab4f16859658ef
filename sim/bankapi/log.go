package bankapi

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// maxLoggedFaults is how many faults a line of the log names (choice).
const maxLoggedFaults = 5

// traceHeaders are by what an app names a request to find it again: W3C Trace Context, and a name that many proxies
// use.
var traceHeaders = []string{"Traceparent", "X-Request-Id"}

// log writes the line of a request. It bypasses slog.Logger, because that looks up its caller for every line.
func (h *Handler) log(req *request, out exchange) {
	log, ctx, now := h.Log.Handler(), req.Context(), time.Now()
	if !log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	path := req.url.Path
	if out.op == nil {
		path = fault.PathPattern(req.path()) // as a stub has it
	}
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("sandbox", phrase.Shorten(req.sandbox)),
		slog.String("exchange", out.id),
		slog.String("operation", nameOf(out.op)),
		slog.String("method", phrase.Shorten(req.Method)),
		slog.String("path", phrase.Message(req.prefix+path)),
		slog.Int("status", out.sent.status),
		slog.Int("bytes", len(out.sent.body)),
		slog.Duration("took", now.Sub(req.started)),
	)
	for _, name := range traceHeaders {
		if id := req.header(name); id != "" {
			line.AddAttrs(slog.String(strings.ToLower(name), phrase.Shorten(id)))
		}
	}
	if f := out.faults; len(f.fired) > 0 {
		names := strings.Join(f.fired[:min(len(f.fired), maxLoggedFaults)], ",")
		if more := len(f.fired) - maxLoggedFaults; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		line.AddAttrs(slog.String("fault", names))
		if f.delay > 0 {
			line.AddAttrs(slog.Duration("delay", f.delay))
		}
		if f.answer != nil && f.answer.Rule.Then.Connection != nil {
			line.AddAttrs(slog.String("connection", f.answer.Rule.Then.Connection.Name()))
		}
		if (f.delay > 0 || out.held > 0) && ctx.Err() != nil {
			line.AddAttrs(slog.Bool("disconnected", true))
		}
	}
	_ = log.Handle(ctx, line) // there is nowhere to report that the log can't be written
}
