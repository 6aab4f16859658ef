package controlapi_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

// A handler that panics is answered with a problem document. If its answer was begun, or it asks for that, the
// connection is aborted. The log has one stack.
func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := newGuarded(t, controlapi.Config{
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})),
		Console: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch path.Base(r.URL.Path) {
			case "begun":
				_, _ = w.Write([]byte("{"))
			case "head":
				w.WriteHeader(http.StatusOK)
			case "aborting":
				panic(http.ErrAbortHandler)
			}
			panic("boom")
		}),
	})
	abort := func(page string) {
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() { g.call(0, "GET /console/"+page, "bank") })
	}
	abort("aborting")
	assert.Empty(t, log.String(), "that is no failure")
	abort("begun")
	abort("head")
	res := g.call(500, "GET /console/", "bank")
	assert.Equal(t, "application/problem+json", res.Header().Get("Content-Type"))
	assert.JSONEq(t, `{"title":"Internal Server Error","status":500,"detail":"the simulator failed: see its log"}`,
		res.Body.String())
	assert.Equal(t, 3, strings.Count(log.String(), "panic=boom stack="))
}
