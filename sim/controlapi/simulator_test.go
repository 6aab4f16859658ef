package controlapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The first request is accepted as it is, with any access token and without one, also where the sandbox is strict. It
// changes nothing.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		b := simtest.StartScenario(t, fmt.Sprintf("%sbehavior: {strict: %v}\n", simtest.FrozenRetail, strict))
		var info struct {
			FirstRequest struct {
				Method, Path string
				Headers      http.Header
			}
		}
		require.NoError(t, json.Unmarshal([]byte(b.Control(200, "GET /v1/info", "").Body), &info))
		first := info.FirstRequest
		call := simtest.NewCall(first.Method, first.Path, "")
		for name, value := range first.Headers {
			call = call.With(name, value[0])
		}
		assert.Equal(t, 200, call.WithToken("demo-token").Send(b).StatusCode)
		if !strict {
			assert.Equal(t, 200, call.Send(b).StatusCode)
		}
		assert.Equal(t, "groups.list", b.Last().Operation)
		assert.Contains(t, get(b, "/diff"), `"changes":[]`)
	}
}
