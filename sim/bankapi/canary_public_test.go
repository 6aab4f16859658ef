package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/stretchr/testify/assert"
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

// members puts canaries into members and parts that an operation doesn't have, or has with another type.
func (a *canaries) members(name string, call simtest.Call) {
	c := func(what string) string { return a.canary(name + ", body " + what) }
	for _, body := range []string{
		fmt.Sprintf(`{"token":%q,"unknown":[%q],"groupName":{"x":%q}}`, c("token"), c("unknown member"), c("in a mistyped member")),
		fmt.Sprintf(`{"institutionDisclosureName":"OLS","paperWaiver":{"x":%q},"secret":%q}`, c("in a mistyped flag"), c("beside a disclosure")),
		fmt.Sprintf(`{"additionalInfo":{"k":%q},"alertPreferenceAccountDetails":{"cardNumber":%q}}`, c("additionalInfo"), c("cardNumber")),
		c("a word"),
	} {
		a.send(call.WithBody(body).With("content-type", "application/json"))
	}
	a.send(call.WithForm("grant_type=password&username=avery&password=" + c("password of a form") + "&code=" + c("code of a form")))
	a.send(call.WithForm("token=" + c("token of a form") + "&" + c("name in a form") + "=1"))
	a.send(call.WithBody(simtest.Multipart("ADD", "ParticipantId\r\n"+c("a participant")+"\r\n"+c("a row")+",x")).With("content-type", simtest.MultipartType))
}

// variables puts canaries into each variable of a path that records may not show as it is, in both dialects.
func (a *canaries) variables() {
	sent := 0
	for _, op := range contract.AllSpoken() {
		call := simtest.Calls[op.Name]
		if op.Dialect == sim.DialectPublic {
			call = inPublic(op, call)
		}
		query, ok := "", false
		_, query, ok = strings.Cut(call.Path, "?")
		for _, p := range op.Parameters {
			if p.In != "path" || p.Shown == nil {
				continue
			}
			sent++
			called := call.At(strings.Replace(op.Path, "{"+p.Name+"}", a.canary(fmt.Sprintf("%s (%s), %s in the path", op.Name, op.Dialect, p.Name)), 1))
			if ok {
				called = called.WithQuery(query)
			}
			// The text of the refusal goes to the caller, who knows the path.
			assert.GreaterOrEqual(a.t, a.ask(called.Request(a.bank)).StatusCode, 400, called)
		}
	}
	require.NotZero(a.t, sent)
}

// imports uploads files of participants with canaries as rows, which become participants and errors, in both dialects, and
// reads what comes of them.
func (a *canaries) imports() {
	token := a.textOf(presentScenario + " accessToken")
	end := func() {
		require.Equal(a.t, 200, a.order("POST", a.bank.ControlPath()+"/clock", `{"advance":"1m"}`).StatusCode)
	}
	end()
	for _, dialect := range contract.Dialects {
		call := func(op *contract.Operation) simtest.Call {
			c := simtest.Calls[op.Name].WithToken(token)
			if dialect == sim.DialectPublic {
				c = inPublic(op.In(dialect), c)
			}
			return c
		}
		c := func(what string) string { return a.canary(fmt.Sprintf("accepted upload (%s), %s", dialect, what)) }
		twice := c("given twice")
		file := strings.Join([]string{"ParticipantId", c("a participant"), twice, twice, c("one column") + "," + c("another column"), strings.Repeat(c("too long"), 4)}, "\r\n")
		res := a.send(call(contract.GroupsUploadParticipants).WithBody(simtest.Multipart("ADD", file)))
		require.Equal(a.t, 200, res.StatusCode, res.Body)
		_, job, _ := strings.Cut(res.Body, `"jobId":"`)
		job, _, _ = strings.Cut(job, `"`)
		end()
		for _, op := range []*contract.Operation{contract.JobsGet, contract.JobsListErrors, contract.JobsList} {
			read := call(op)
			res := a.send(read.At(strings.Replace(read.Path, simtest.RetailJob, job, 1)))
			require.Equal(a.t, 200, res.StatusCode, res.Body)
			a.surfaces["answers about jobs"] += res.Body
		}
		assert.Contains(a.t, a.surfaces["answers about jobs"], `"failedRecordsCount":3`)
	}
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
