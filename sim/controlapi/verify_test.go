package controlapi_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// A comparison ends with the time that it may take, with its caller, and with the server.
func TestVerifyIsBounded(t *testing.T) {
	t.Parallel()
	sandboxes := newRegistry(simtest.Scenario(t, simtest.FrozenRetail))
	defer sandboxes.Close()
	draining := make(chan struct{})
	handler := controlapi.New(controlapi.Config{Sandboxes: sandboxes, Draining: draining, Log: slog.New(slog.DiscardHandler)})
	verify := func(ctx context.Context) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		const body = `{"body":{"groupDescription":"~(a?){400}c"}}`
		handler.ServeHTTP(w, httptest.NewRequest("POST", "/v1/sandboxes/default/journal/verify", strings.NewReader(body)).WithContext(ctx))
		return w
	}
	body := []byte(`{"groupDescription":"` + strings.Repeat("a", 1_000) + `"}`)
	for range 4000 { // more than 5 seconds of comparing
		sandboxes.Default().Now().Journal.Add(journal.Raw{Operation: "groups.create", RequestBody: body})
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for ctx, remedy := range map[context.Context]string{late: "name the operation, simplify the regular expressions, or clear the journal", gone: "disconnected"} {
		w := verify(ctx)
		assert.Equal(t, 503, w.Code)
		assert.Contains(t, w.Body.String(), remedy)
		assert.Equal(t, "5", w.Header().Get("Retry-After"))
	}
	close(draining)
	began := time.Now()
	w := verify(t.Context())
	assert.Equal(t, 503, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), "shutting down")
	assert.Less(t, time.Since(began), 5*time.Second)
}
