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

// The gateway of the public interface refuses characters outside printable ASCII, wherever they are. The document's
// paths take them.
func TestCharacters(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	codes := map[string]string{
		"estatements": "UXESTMT_11018", "tokens": "CMN_90017", "groups": "CMN_90017", "jobs": "CMN_90017",
		"alerts": "PRMSYS_10016", "disclosures": "DSC_12001", "users": "ISR_11004",
	}
	for _, op := range contract.Public().Operations {
		for where, call := range map[string]simtest.Call{
			"the query":    publicRequest(op).WithQuery("x=%C3%A9"),
			"header X-Who": publicRequest(op).With("X-Who", "é"),
		} {
			res := call.Send(b)
			assert.Equal(t, http.StatusBadRequest, res.StatusCode, op.Name)
			assert.Contains(t, res.Body, `"`+codes[op.Kind()]+`"`, op.Name)
			assert.Contains(t, res.Body, where+" has a character outside printable ASCII", op.Name)
		}
	}
	create := createGroup.At("/v3/groups").WithToken("demo-token").With("transactionId", aUUID)
	for body, status := range map[string]int{
		`{"groupName":"Café"}`:                         http.StatusBadRequest,
		"{\"groupName\":\"\x7f\"}":                     http.StatusBadRequest,
		`{"groupName":"Caf\u00e9"}`:                    http.StatusOK,
		"\uFEFF{\r\n\t\"groupName\":\"After a mark\"}": http.StatusOK,
	} {
		assert.Equal(t, status, create.WithBody(body).Send(b).StatusCode, body)
	}
	path := listGroups.WithMethod(http.MethodDelete).At("/v3/groups/gr%C3%BCn").WithToken("demo-token")
	assert.Contains(t, path.With("transactionId", aUUID).Send(b).Body, "the path has a character")
	assert.Equal(t, http.StatusOK, createGroup.WithBody(`{"groupName":"Crème"}`).Send(b).StatusCode)
}
