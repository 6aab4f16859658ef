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
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
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

// largest is a client that notes how large the pieces of its answer are.
type largest struct {
	*httptest.ResponseRecorder
	piece int
}

func (l *largest) Write(data []byte) (int, error) {
	l.piece = max(l.piece, len(data))
	return l.ResponseRecorder.Write(data)
}

// What is large is sent piece by piece, and is the same JSON as if it were encoded whole.
func TestLargeAnswersAreStreamed(t *testing.T) {
	t.Parallel()
	control, sb := newControl(t, manyUsers, 1)
	require.NoError(t, sb.Restart(simtest.Scenario(t, simtest.FrozenRetail)))
	_, err := sb.Snapshot("small")
	require.NoError(t, err)
	require.NoError(t, sb.Restart(simtest.Scenario(t, manyUsers)))
	for _, test := range []struct {
		path string
		as   any
	}{
		{"/state", &api.State{}},
		{"/diff?since=small", nil},
	} {
		client := &largest{ResponseRecorder: httptest.NewRecorder()}
		control.ServeHTTP(client, getting(test.path))
		assert.Equal(t, http.StatusOK, client.Code, test.path)
		assert.Less(t, client.piece, 70_000, test.path)
		data := client.Body.Bytes()
		assert.Greater(t, len(data), 500_000, test.path)
		require.True(t, json.Valid(data), test.path)
		if test.as != nil {
			require.NoError(t, json.Unmarshal(data, test.as))
			whole, err := wire.Encode(test.as)
			require.NoError(t, err)
			assert.True(t, string(whole)+"\n" == string(data), "%s differs from its type in JSON", test.path)
		}
	}
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
