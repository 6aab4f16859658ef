package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// publicCalls are the calls of [simtest.Calls] in the public dialect, by their names here.
func publicCalls() map[string]simtest.Call {
	calls := map[string]simtest.Call{}
	for name, call := range simtest.Calls {
		if op, ok := contract.FindIn(name, sim.DialectPublic); ok {
			calls[name+", public"] = inPublic(op, call)
		}
	}
	return calls
}

// inPublic returns a call of an operation of the document's dialect as a call of its public variant.
func inPublic(op *contract.Operation, call simtest.Call) simtest.Call {
	prefix := strings.TrimSuffix(op.In(sim.DialectDocument).Path, op.Path)
	call = call.At(strings.TrimPrefix(call.Path, prefix)).With(op.Family.RequestID, aUUID)
	if op.TakesQuery("hostUserId") && !strings.Contains(call.Path, "hostUserId=") {
		call = call.WithQuery("hostUserId=1001")
	}
	if op.Security == contract.Bearer && call.Header.Get("authorization") == "" {
		call = call.WithToken("demo-token")
	}
	return call
}

// members puts canaries into secret members that an operation doesn't have, or has with another type.
func (a *canaries) members(name string, call simtest.Call) {
	c := func(what string) string { return a.canary(name + ", body " + what) }
	for _, body := range []string{
		fmt.Sprintf(`{"token":%q,"groupName":{"password":%q}}`, c("token"), c("in a mistyped member")),
		fmt.Sprintf(`{"additionalInfo":{"token":%q},"alertPreferenceAccountDetails":{"cardNumber":%q}}`, c("additionalInfo"), c("cardNumber")),
	} {
		a.send(call.WithBody(body).With("content-type", "application/json"))
	}
	a.send(call.WithForm("grant_type=password&username=avery&password=" + c("password of a form") + "&code=" + c("code of a form")))
	a.send(call.WithForm("token=" + c("token of a form")))
}

// publicTokens issues and revokes tokens in the public dialect, and adds them.
func (a *canaries) publicTokens() {
	keys := base64.StdEncoding.EncodeToString([]byte("bird-app:" + a.textOf(presentScenario+" secretKey")))
	call := func(op *contract.Operation, form string) simtest.Answer {
		return a.send(publicCalls()[op.Name+", public"].With("authorization", "Basic "+keys).WithForm(form))
	}
	res := call(contract.TokensIssue, "grant_type=password&username=avery&password="+a.textOf(presentScenario+" password"))
	require.Equal(a.t, 200, res.StatusCode, res.Body)
	issued := simtest.Decode[simtest.Tokens](a.t, res)
	a.secret("refresh token, public", issued.RefreshToken)
	res = call(contract.TokensRevoke, "token="+a.secret("access token, public", issued.AccessToken))
	require.Equal(a.t, 204, res.StatusCode, res.Body)
}
