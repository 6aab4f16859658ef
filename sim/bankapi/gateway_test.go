package bankapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// publicRequest returns a request without credentials to an operation in the public dialect.
func publicRequest(op *contract.Operation) simtest.Call {
	return simtest.NewCall(op.Method, strings.NewReplacer("{", "", "}", "").Replace(op.Path), "")
}

// The gateway of the public interface refuses a header of more than 8 KiB before it looks at the credentials. The
// document's paths take it.
func TestLongHeader(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range contract.Public().Operations {
		res := publicRequest(op).With("X-Trace", strings.Repeat("x", 8<<10+1)).Send(b)
		assert.Equal(t, http.StatusBadRequest, res.StatusCode, op.Name)
		assert.Contains(t, res.Body, `"CMN_90010"`, op.Name)
		assert.Contains(t, res.Body, "header X-Trace is longer than 8192 bytes", op.Name)
	}
	list := listGroups.At("/v3/groups").WithToken("demo-token").With("transactionId", aUUID)
	assert.Equal(t, http.StatusOK, list.With("X-Trace", strings.Repeat("x", 8<<10)).Send(b).StatusCode)
	assert.Equal(t, http.StatusOK, listGroups.With("X-Trace", strings.Repeat("x", 8<<10+1)).Send(b).StatusCode)
	assert.Equal(t, string(sim.DialectDocument), b.Last().Dialect)
}
