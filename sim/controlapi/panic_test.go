package controlapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A handler that panics is answered with a problem document. If its answer was begun, or it asks for that, the
// connection is aborted. The log has one stack.
func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}))
	c := control{Config: Config{Log: log}}
	h := c.observe(http.NewServeMux(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/begun":
			_, _ = w.Write([]byte("{"))
		case "/head":
			w.WriteHeader(http.StatusOK)
		case "/aborting":
			panic(http.ErrAbortHandler)
		}
		panic("boom")
	}))
	ask := func(path string) *httptest.ResponseRecorder {
		res := httptest.NewRecorder()
		h.ServeHTTP(res, httptest.NewRequest(http.MethodGet, path, nil))
		return res
	}
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { ask("/aborting") })
	assert.Empty(t, out.String(), "that is no failure")
	for range 100 {
		res := ask("/")
		assert.Equal(t, http.StatusInternalServerError, res.Code)
		assert.Equal(t, "application/problem+json", res.Header().Get("Content-Type"))
		assert.JSONEq(
			t,
			`{"title":"Internal Server Error","status":500,"detail":"the simulator failed: see its log"}`,
			res.Body.String(),
		)
	}
	for _, path := range []string{"/begun", "/head"} {
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() { ask(path) })
	}
	assert.Equal(t, 102, strings.Count(out.String(), "stack="))
	assert.Contains(t, out.String(), "panic=boom")
}
