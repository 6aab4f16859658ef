package bankapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A request with two Authorization headers is refused by every operation, although each of the two alone is accepted.
// It gets 401, or the 400 that e-statements in the public dialect and codes have for a malformed header.
func TestTwoAuthorizationHeaders(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range contract.AllOperations() {
		credentials, rule, status := "Bearer demo-token", contract.TokenMalformed, 401
		if op.Security == contract.Basic {
			credentials, rule = "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=", sim.ClientUnknown
		}
		isCode := op.Name == contract.TokensAuthorizeClient.Name || op.Name == contract.TokensCreateCode.Name
		if isCode || op.Dialect == sim.DialectPublic && strings.HasPrefix(op.Name, "estatements.") {
			status = 400
		}
		path := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
		r := b.Request(op.Method, b.BaseURL()+path, "")
		r.Header["Authorization"] = []string{credentials, credentials}
		res := b.Do(r)
		x := b.ExchangeOf(res)
		assert.Equal(t, status, res.StatusCode, "%s %s", op.Method, path)
		assert.Equal(t, op.Name, x.Operation)
		assert.Equal(t, string(rule), x.Decision.Rule, "%s %s", op.Method, path)
	}
}
