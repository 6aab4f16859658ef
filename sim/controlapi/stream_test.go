package controlapi

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// A stream on which nothing happens shows that it lives, every 15 seconds.
func TestStreamHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sc, err := scenario.Load("empty")
		require.NoError(t, err)
		sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
		defer sandboxes.Close()
		handler := New(Config{Sandboxes: sandboxes, Version: "test", Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/v1/sandboxes/default/journal/stream", nil).WithContext(ctx))
		assert.Equal(t, 4, strings.Count(w.Body.String(), ": heartbeat\n\n"), w.Body)
	})
}
