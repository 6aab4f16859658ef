package bankapi_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// ask sends a request whose refusal may quote it: to its caller, who has sent it.
func (a *canaries) ask(r *http.Request) simtest.Answer {
	a.t.Helper()
	a.sent++
	return a.bank.Do(r)
}

// pathsAndMethods puts canaries into the path of a request, the name of its sandbox, and the method.
func (a *canaries) pathsAndMethods(name string, call simtest.Call) {
	c := func(what string) string { return a.canary(name + ", " + what) }
	path, _, _ := strings.Cut(call.Path, "?")
	last := strings.LastIndex(path, "/")
	for _, unknown := range []string{
		"/" + c("the whole path"), path + "/" + c("behind the path"), path + c("joined to the path"), path + ";" + c("after a semicolon"),
		path[:last] + "/" + c("in the last segment") + "/x", "/" + c("before the path") + path, "//" + c("after an empty segment") + path,
		"/%43" + strings.TrimPrefix(c("escaped in the path"), "C"), "/" + c("beside a bad escape") + "%2F" + c("after an escaped slash"),
	} {
		res := a.ask(call.At(unknown).Request(a.bank))
		// It may be the path of another operation, which then has no such id or method.
		assert.Contains(a.t, []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest}, res.StatusCode, unknown)
	}
	for _, elsewhere := range []simtest.Call{call, call.At("/" + c("path in an unknown sandbox"))} {
		r := a.bank.Request(call.Method, a.bank.Server.ServiceURL()+"/sandboxes/"+c("name of a sandbox")+elsewhere.Path, call.Body)
		r.Header = call.Header.Clone()
		assert.Equal(a.t, http.StatusNotFound, a.ask(r).StatusCode)
	}
	a.send(call.WithMethod(c("method")))
}

// faultHeaders asks for faults whose texts are canaries, in every part of the header.
func (a *canaries) faultHeaders(name string, call simtest.Call) {
	c := func(what string) string { return a.canary(name + ", Banksim-Fault " + what) }
	for _, value := range []string{
		c("a word"), "token=" + c("unknown key"), c("as a key") + "=500", "status=" + c("status"), "status=500; delay=" + c("delay"),
		"connection=" + c("connection"), "status=500; phase=" + c("phase"), "status=500; status=" + c("twice"), c("a key") + "=1; " + c("another key") + "=1",
		"status=429; code=" + c("code"), "status=429; message=" + c("message"), "status=429; code=" + c("both, code") + "; message=" + c("both, message"),
		"status=429; phase=after; message=" + c("message after the operation"), "status=429; connection=malformed; message=" + c("message, malformed"),
	} {
		res := a.ask(call.With("Banksim-Fault", value).Request(a.bank))
		assert.GreaterOrEqual(a.t, res.StatusCode, 400, value)
	}
}

// faultRules adds rules whose conditions and answers are canaries. One of them fires.
func (a *canaries) faultRules() {
	c := func(what string) string { return a.canary("fault rule, " + what) }
	for _, rule := range []string{
		fmt.Sprintf(`{"when":{"request":{"header":{"authorization":"Bearer %s","cookie":%q,"x-key":"~%s","x-none":null}}},"then":{"delay":"1ms"}}`,
			c("bearer"), c("cookie"), c("expression for a header")),
		fmt.Sprintf(`{"when":{"request":{"query":{"token":%q,"access_token":"~^%s$"}}},"then":{"delay":"1ms"}}`, c("parameter"), c("expression for a parameter")),
		fmt.Sprintf(`{"when":{"request":{"body":{"password":%q,"token":"~%s","unknown":{"a":[%q]},"alertPreferenceAccountDetails":{"cardNumber":%q},"additionalInfo":{"k":%q,"l":["~%s"]},"groupName":[{"secret":%q}]}}},"then":{"delay":"1ms"}}`,
			c("password"), c("expression for a member"), c("unknown member"), c("card number"), c("free member"), c("expression for a free member"), c("undeclared member")),
		fmt.Sprintf(`{"name":"fires","operation":"tokens.issue","when":{"request":{"header":{"x-fire":%q}}},"then":{"status":200,"headers":{"Set-Cookie":%q},"body":%q}}`,
			"now", c("header of the answer"), fmt.Sprintf(`{"access_token":%q}`, c("token in the answer"))),
		fmt.Sprintf(`{"when":{"request":{"header":{"x-key":%q}}},"then":{"headers":{"X-A":"%s\u0007"}}}`, "x", c("before a control character")),
		fmt.Sprintf(`{"when":{"request":{"header":{"x-key":"~%s("}}},"then":{"delay":"1ms"}}`, c("malformed expression")),
	} {
		res := a.order(http.MethodPost, a.bank.ControlPath()+"/faults", rule)
		a.surfaces["added faults"] += res.Body
	}
	a.read(a.bank.ControlPath() + "/faults")
	assert.Equal(a.t, 4, strings.Count(a.surfaces[a.bank.ControlPath()+"/faults"], `"matched"`))
	require.Equal(a.t, 200, a.ask(issueTokens.With("x-fire", "now").Request(a.bank)).StatusCode)
}
