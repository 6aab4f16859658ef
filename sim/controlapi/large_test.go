package controlapi_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/semaphore"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

const manyUsers = simtest.FrozenRetail + "institutions:\n- institutionId: \"02688\"\n  generate: {users: 2000, accountsPerUser: 3, groups: 50}\n"

// newControl returns a control API that nobody listens for, with room for so many large answers at a time.
func newControl(t *testing.T, yaml string, answers int64) (http.Handler, *sandbox.Sandbox) {
	t.Helper()
	sandboxes := simtest.Registry(t, yaml)
	t.Cleanup(sandboxes.Close)
	return controlapi.New(controlapi.Config{
		Sandboxes: sandboxes,
		Access:    controlapi.Access{Local: true, Host: "127.0.0.1"},
		Log:       slog.New(slog.NewTextHandler(io.Discard, nil)),
		Answers:   semaphore.NewWeighted(answers << 20),
	}), sandboxes.Default()
}

func getting(path string) *http.Request {
	return httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/sandboxes/default"+path, nil)
}

// stalled is a client that doesn't read until it is released.
type stalled struct {
	*httptest.ResponseRecorder
	release chan struct{}
}

func (s *stalled) Write(data []byte) (int, error) {
	<-s.release
	return s.ResponseRecorder.Write(data)
}

// A large answer is refused where there is no room for it, and the room is free again once another one is read.
func TestLargeAnswersNeedRoom(t *testing.T) {
	t.Parallel()
	simtest.Scenario(t, manyUsers)
	synctest.Test(t, func(t *testing.T) {
		control, _ := newControl(t, manyUsers, 1)
		first := &stalled{httptest.NewRecorder(), make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			control.ServeHTTP(first, getting("/state"))
		}()
		synctest.Wait()

		second := httptest.NewRecorder()
		control.ServeHTTP(second, getting("/state"))
		assert.Equal(t, http.StatusServiceUnavailable, second.Code)
		assert.Equal(t, "5", second.Header().Get("Retry-After"))
		assert.Equal(t, "application/problem+json", second.Header().Get("Content-Type"))

		small := httptest.NewRecorder()
		control.ServeHTTP(small, getting("/clock"))
		assert.Equal(t, http.StatusOK, small.Code)

		close(first.release)
		<-done
		assert.True(t, json.Valid(first.Body.Bytes()))
		third := httptest.NewRecorder()
		control.ServeHTTP(third, getting("/state"))
		assert.Equal(t, first.Body.String(), third.Body.String(), "there is room again")
	})
}
