package bankapi_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// BenchmarkHandler measures an exchange in process, with the log and the metrics of banksim serve. The log is formatted
// and thrown away.
func BenchmarkHandler(b *testing.B) {
	for _, op := range besideBare {
		b.Run(op.name, func(b *testing.B) {
			sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: simtest.Scenario(b, "extends: retail\n")})
			b.Cleanup(sandboxes.Close)
			handler := bankapi.New(bankapi.Config{
				Sandboxes: sandboxes,
				Meter:     metrics.New(metrics.Config{Sandboxes: sandboxes}),
				Log:       slog.New(slog.NewTextHandler(io.Discard, nil)),
			})
			r := httptest.NewRequest(op.Method, op.Path, nil)
			r.Header = op.Header
			r.ContentLength = int64(len(op.Body))
			w := discarded{header: http.Header{}}
			var body bytes.Reader
			r.Body = io.NopCloser(&body)
			text := []byte(op.Body)
			name := bytes.Index(text, []byte("Night owls")) // a name of its own for each group
			b.ReportAllocs()
			for sent := 0; b.Loop(); sent++ {
				if name >= 0 {
					copy(text[name:], fmt.Appendf(nil, "%010d", sent))
				}
				body.Reset(text)
				clear(w.header)
				handler.ServeHTTP(&w, r)
			}
			if w.status >= 300 {
				b.Fatalf("the status is %d", w.status)
			}
		})
	}
}

// discarded is an answer of which only the status is kept.
type discarded struct {
	header http.Header
	status int
}

// Header returns the header.
func (d *discarded) Header() http.Header { return d.header }

// WriteHeader keeps the status.
func (d *discarded) WriteHeader(status int) { d.status = status }

// Write discards a part of the body.
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
