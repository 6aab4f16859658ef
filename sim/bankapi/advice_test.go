package bankapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const (
	endsWithSlash = "The base URL ends with a slash, so the path begins with two."
	ofSandbox     = "The base URL of a sandbox has the path /sandboxes/mine."
	lacksPrefix   = "The base URL lacks /digitalbanking, with which the paths of the interface's document begin."
)

// wrongBases are mistakes in a base URL or in how a path is appended to it, with the cause that the answer names. PATH
// is the operation's path without the slash at its begin.
var wrongBases = map[string]string{
	"//PATH":                endsWithSlash,
	"/PATH/":                "The path ends with a slash.",
	"/PATH//":               "The path has two slashes in a row.",
	"/api/PATH":             "The base URL has /api too much.",
	"/http://bank/PATH":     "The base URL has /http:/bank too much.",
	"/sandbox/mine/PATH":    ofSandbox,
	"/Sandboxes/mine/PATH":  ofSandbox,
	"/sandboxes/mine//PATH": endsWithSlash,
	"//sandboxes/mine/PATH": endsWithSlash,
}

// The answer to a request with a wrong base URL names the operation that is meant, and what is wrong. It offers no
// stub.
func TestWrongBaseURLs(t *testing.T) {
	t.Parallel()
	b, _ := withMine(t, server.Config{})
	check := func(method, path string, op *contract.Operation, cause string) {
		t.Helper()
		var refusal struct{ Message, StatusMessage string }
		res := b.Do(b.Request(method, b.Server.ServiceURL()+path, ""))
		require.Equal(t, http.StatusNotFound, res.StatusCode, "%s %s", method, path)
		require.NoError(t, json.Unmarshal([]byte(res.Body), &refusal))
		says := refusal.Message + refusal.StatusMessage
		named := op.Name + ", " + op.Method + " " + op.Path + "? "
		assert.Contains(t, says, "is not simulated: did you mean "+named, "%s %s", method, path)
		assert.True(t, strings.HasSuffix(says, cause), "%s %s: %s", method, path, says)
		assert.NotContains(t, says, "stub")
	}
	for _, op := range contract.AllOperations() {
		path := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
		for wrong, cause := range wrongBases {
			check(op.Method, strings.Replace(wrong, "PATH", path[1:], 1), op, cause)
		}
		check(op.Method, "/"+strings.ToUpper(path[1:2])+path[2:], op, "Paths are compared with regard to case.")
		bare := strings.TrimPrefix(path, strings.TrimSuffix(contract.DocumentPrefix, "/"))
		isPublic := strings.HasPrefix(bare, "/oauth2/") // both dialects have these paths
		if bare != path && !isPublic {
			check(op.Method, bare, op, lacksPrefix)
		}
	}
}

// A path with an empty variable is of the operation that has the variable there, and the answer names the variable. GET
// of a collection with a slash at the end is another mistake.
func TestEmptyPathVariables(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	variable := regexp.MustCompile(`\{(.*)\}`)
	for _, op := range contract.AllOperations() {
		name := variable.FindStringSubmatch(op.Path)
		if name == nil || op.Name == contract.JobsGet.Name || op.Name == contract.AlertsGetPreference.Name {
			continue
		}
		res := simtest.NewCall(op.Method, variable.ReplaceAllString(op.Path, ""), "").Send(b)
		assert.Contains(t, res.Body,
			"did you mean "+op.Name+", "+op.Method+" "+op.Path+"? Its "+name[1]+" is empty in the path.")
	}
}

// The answer to a path that no operation has says what the path is, or what to do about it.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	b, _ := withMine(t, server.Config{})
	noName := `there is no sandbox \"\": ` + sandbox.ErrBadName.Error()
	ofControl := "is a path of the control API, and this is the bank: call " + b.Server.ControlURL()
	for call, says := range map[string]string{
		"PATCH //v3/groups": "did you mean /v3/groups, which takes GET, HEAD, POST and not PATCH? " +
			endsWithSlash,
		"POST /v1/auth-cod":              "did you mean tokens.createCode, POST /v1/auth-code?",
		"GET /v1/institution-disclosure": "did you mean disclosures.listInstitution, GET /v1/institution-disclosures?",
		"GET /v3/group":                  "did you mean groups.list, GET /v3/groups?",
		"DELETE /api/cards/7":            "add a fault with method: DELETE, path: /api/cards/7 and the answer",
		"POST //v1/sandboxes":            ofControl + "/v1/sandboxes",
		"GET /sandboxes/mine/v1/info":    ofControl + "/v1/info",
		"GET /console/":                  ofControl + "/console/",
		"GET /sandboxes/":                noName,
		"POST /sandboxes//v3/groups":     noName, // such as one that is made of an unset variable
	} {
		method, path, _ := strings.Cut(call, " ")
		res := b.Do(b.Request(method, b.Server.ServiceURL()+path, ""))
		assert.Equal(t, http.StatusNotFound, res.StatusCode, call)
		assert.Contains(t, res.Body, says, call)
	}
	assert.Contains(t, b.Control(404, "GET /v3/groups", "").Body, "is a path of the bank: call "+b.Server.ServiceURL())
}
