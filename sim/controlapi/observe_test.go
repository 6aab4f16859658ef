package controlapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/metrics"
)

// line is a line of the log about a call.
type line struct {
	Level, Msg, Route, Sandbox, Client, Reason string
	Status                                     int
}

// Each call is logged by its route, who called, and how it ended. So is a call that is not let in, and the line says why
// a call is refused. Bodies and queries don't show.
func TestCallsAreObserved(t *testing.T) {
	t.Parallel()
	sandboxes := simtest.Registry(t, simtest.FrozenRetail)
	defer sandboxes.Close()
	var log bytes.Buffer
	handler := controlapi.New(controlapi.Config{
		Sandboxes: sandboxes, Ready: func() bool { return true },
		Access:  controlapi.Access{Token: controlToken, Local: true},
		Metrics: metrics.New(metrics.Config{Sandboxes: sandboxes}),
		Log:     slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	const in = "/v1/sandboxes/{sandbox}"
	call := func(request, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
		method, path, _ := strings.Cut(request, " ")
		r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+controlToken)
		for _, c := range change {
			c(r)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for _, test := range []struct {
		request, body string
		change        func(*http.Request)
		level, route  string
		sandbox       string
		status        int
	}{
		{"POST /v1/sandboxes/default/reset", "", nil, "INFO", "POST " + in + "/reset", "default", 204},
		{"GET /v1/sandboxes/nope/journal?operation=hush", "", nil, "INFO", "GET " + in + "/journal", "nope", 404},
		{"POST /v1/sandboxes/default/snapshots", `{"name":"Hush"}`, nil, "INFO", "POST " + in + "/snapshots", "default", 400},
		{"GET /nope", "", nil, "INFO", "/", "", 404},
		{"PUT /v1/info", "", nil, "INFO", "/", "", 405},
		{"HUSH /v1/info", "", nil, "INFO", "/", "", 405},
		{"DELETE /v1/sandboxes/default/journal", "", func(r *http.Request) { r.Header.Del("Authorization") }, "WARN", "DELETE " + in +
			"/journal", "", 401},
		{"GET /v1/info?token=hush", "", func(r *http.Request) { r.Host = "evil.example" }, "WARN", "GET /v1/info", "", 421},
		{"POST /v1/sandboxes", "", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, "WARN", "POST /v1/sandboxes",
			"", 403},
		{"GET /v1/sandboxes/" + strings.Repeat("x", 100) + "/state", "", nil, "INFO", "GET " + in + "/state",
			strings.Repeat("x", 80) + "…", 404},
		{"GET /healthz", "", nil, "DEBUG", "GET /healthz", "", 200},
		{"GET /readyz", "", nil, "DEBUG", "GET /readyz", "", 200},
		{"GET /metrics", "", nil, "DEBUG", "GET /metrics", "", 200},
	} {
		log.Reset()
		change := test.change
		if change == nil {
			change = func(*http.Request) {}
		}
		assert.Equal(t, test.status, call(test.request, test.body, change).Code, test.request)
		var got line
		require.NoError(t, json.Unmarshal(log.Bytes(), &got), "one line: %s", &log)
		assert.Equal(t, test.status >= 400, got.Reason != "", test.request)
		want := line{test.level, "control request", test.route, test.sandbox, "192.0.2.1", got.Reason, test.status}
		assert.Equal(t, want, got)
		assert.Contains(t, log.String(), `"took":`)
		assert.NotContains(t, strings.ToLower(log.String()), "hush")
		assert.NotContains(t, log.String(), controlToken)
	}
}
