package bankapi

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// maxLoggedFaults is how many faults a line names (choice).
const maxLoggedFaults = 5

// logRequest writes the line of a request, once its answer has been sent, or whatever a fault has done in its place. So took is
// the time that the client waited. It bypasses slog.Logger, which would look up its caller for every line.
func (x *exchange) logRequest(sent *reply) {
	log, r, c := x.Log.Handler(), x.request, &x.call
	if !log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	now := time.Now()
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	attrs := [...]slog.Attr{
		slog.String("sandbox", r.sandbox),
		slog.String("exchange", x.id),
		slog.String("operation", c.operationName()),
		slog.String("method", r.Method),
		slog.String("path", r.prefix+r.URL.Path),
		slog.Int("status", sent.status),
		slog.Int("bytes", len(sent.body)),
		slog.Duration("took", now.Sub(x.started)),
	}
	if sent.injected == nil {
		line.AddAttrs(attrs[:]...)
	} else {
		line.AddAttrs(append(attrs[:], x.faultAttrs(sent.injected)...)...)
	}
	_ = log.Handle(r.Context(), line) // there is nowhere to report that the log can't be written
}

// faultAttrs says which faults fired, and what they did.
func (x *exchange) faultAttrs(fired *injected) []slog.Attr {
	attrs := []slog.Attr{slog.String("fault", faultNames(fired.Fired))}
	if fired.DelayMicros > 0 {
		attrs = append(attrs, slog.Duration("delay", time.Duration(fired.DelayMicros)*time.Microsecond))
	}
	if fired.Connection != "" {
		attrs = append(attrs, slog.String("connection", fired.Connection))
	}
	if (fired.DelayMicros > 0 || x.held > 0) && x.r.Context().Err() != nil {
		attrs = append(attrs, slog.Bool("disconnected", true))
	}
	return attrs
}

// faultNames returns the names of the faults that fired, as the journal has them.
func faultNames(names []string) string {
	more := len(names) - maxLoggedFaults
	if more <= 0 {
		return strings.Join(names, ",")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxLoggedFaults], ","), more)
}
