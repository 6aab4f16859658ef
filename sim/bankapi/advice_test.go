package bankapi_test

import (
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

// wrongBase is a mistake in a base URL or in how a path is appended to it.
type wrongBase struct {
	change func(path string) string // from the path of an operation to the one that is sent
	cause  string                   // that the answer names
}

const (
	endsWithSlash = "The base URL ends with a slash, so the path begins with two."
	ofSandbox     = "The base URL of a sandbox has the path /sandboxes/mine."
	lacksPrefix   = "The base URL lacks /digitalbanking, with which the paths of the interface's document begin."
)

var wrongBases = map[string]wrongBase{
	"slash at the end":         {func(p string) string { return "/" + p }, endsWithSlash},
	"slash at the end of path": {func(p string) string { return p + "/" }, "The path ends with a slash."},
	"slashes at the end":       {func(p string) string { return p + "//" }, "The path has two slashes in a row."},
	"two slashes inside":       {doubleLastSlash, "The path has two slashes in a row."},
	"upper case":               {upperFirst, "Paths are compared with regard to case."},
	"gateway's path":           {func(p string) string { return "/api" + p }, "The base URL has /api too much."},
	"slash and path":           {func(p string) string { return "/api/" + p + "/" }, "The base URL has /api too much."},
	"unset variable":           {func(p string) string { return "/undefined" + p }, "The base URL has /undefined too much."},
	"URL as a path":            {func(p string) string { return "/http://bank" + p }, "The base URL has /http:/bank too much."},
	"doubled":                  {doubleFirst, "too much."},
	"sandbox":                  {func(p string) string { return "/sandbox/mine" + p }, ofSandbox},
	"Sandboxes":                {func(p string) string { return "/Sandboxes/mine" + p }, ofSandbox},
	"sandbox, slash":           {func(p string) string { return "/sandboxes/mine/" + p }, endsWithSlash},
	"slash, sandbox":           {func(p string) string { return "//sandboxes/mine" + p }, endsWithSlash},
	"name alone":               {func(p string) string { return "/mine" + p }, "The base URL has /mine too much."},
}

func doubleLastSlash(path string) string {
	at := strings.LastIndex(path, "/")
	return path[:at] + "/" + path[at:]
}

func doubleFirst(path string) string { return "/" + strings.Split(path, "/")[1] + path }

func upperFirst(path string) string { return "/" + strings.ToUpper(path[1:2]) + path[2:] }

// The answer to a request with a wrong base URL names the operation that is meant, and what is wrong. It offers no
// stub.
func TestWrongBaseURLs(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{})
	check := func(method, path string, op *contract.Operation, cause string) {
		t.Helper()
		res := b.Do(b.Request(method, b.Server.ServiceURL()+path, ""))
		require.Equal(t, http.StatusNotFound, res.StatusCode, "%s %s", method, path)
		recorded := b
		if strings.HasPrefix(path, "/sandboxes/mine/") {
			recorded = mine
		}
		says := recorded.ExchangeOf(res).Decision.Message
		named := op.Name + ", " + op.Method + " " + op.Path + "? "
		assert.Contains(t, says, "is not simulated: did you mean "+named, "%s %s", method, path)
		assert.True(t, strings.HasSuffix(says, cause), "%s %s: %s", method, path, says)
		assert.NotContains(t, says, "stub")
	}
	for _, op := range contract.AllOperations() {
		path := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
		for _, wrong := range wrongBases {
			check(op.Method, wrong.change(path), op, wrong.cause)
		}
		if op.Method == http.MethodGet {
			check(http.MethodHead, "/"+path, op, endsWithSlash)
		}
		bare := strings.TrimPrefix(path, strings.TrimSuffix(contract.DocumentPrefix, "/"))
		isPublic := strings.HasPrefix(bare, "/oauth2/") // both dialects have these paths
		if bare != path && !isPublic {
			check(op.Method, bare, op, lacksPrefix)
		}
	}
}

// A path with an empty variable is of the operation that has the variable there, and the answer names the variable.
func TestEmptyPathVariables(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	variable := regexp.MustCompile(`\{(.*)\}`)
	for _, op := range contract.AllOperations() {
		name := variable.FindStringSubmatch(op.Path)
		empty := variable.ReplaceAllString(op.Path, "")
		if name == nil {
			continue
		}
		want := op.Name + ", " + op.Method + " " + op.Path + "? Its " + name[1] + " is empty in the path."
		switch op.Name {
		case contract.JobsGet.Name: // GET of the collection with a slash at the end is another mistake
			want = contract.JobsList.Name + ", "
		case contract.AlertsGetPreference.Name:
			want = contract.AlertsListPreferences.Name + ", "
		}
		res := simtest.NewCall(op.Method, empty, "").Send(b)
		assert.Contains(t, res.Body, "did you mean "+want, "%s %s", op.Method, empty)
	}
}

// What else is answered to a path that no operation has.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	b, _ := withMine(t, server.Config{})
	ofControl := "is a path of the control API, and this is the bank: call " + b.Server.ControlURL()
	for call, says := range map[string]string{
		"PATCH //v3/groups": "did you mean /v3/groups, which takes GET, HEAD, POST and not PATCH? " + endsWithSlash,
		"OPTIONS /v3/groups/": "did you mean /v3/groups, which takes GET, HEAD, POST and not OPTIONS? " +
			"The path ends with a slash.",
		"PUT /api/digitalbanking/groups/v3/groups": "did you mean /digitalbanking/groups/v3/groups, " +
			"which takes GET, HEAD, POST and not PUT? The base URL has /api too much.",
		"POST /v1/auth-cod":              "did you mean tokens.createCode, POST /v1/auth-code?",
		"GET /v1/institution-disclosure": "did you mean disclosures.listInstitution, GET /v1/institution-disclosures?",
		"GET /v1/cards":                  "add a fault with method: GET, path: /v1/cards and the answer",
		"DELETE /api/cards/7":            "add a fault with method: DELETE, path: /api/cards/7 and the answer",
		"GET /v1/info":                   ofControl + "/v1/info",
		"POST //v1/sandboxes":            ofControl + "/v1/sandboxes",
		"GET /sandboxes/mine/v1/info":    ofControl + "/v1/info",
		"GET /console/":                  ofControl + "/console/",
		"PUT /api/v3/groups/" + longName: "did you mean groups.update, PUT /v3/groups/{groupId}? " +
			"The base URL has /api too much.",
		"GET /" + longName + "/v3/groups": "The base URL has /" + longName[:80] + "… too much.",
	} {
		method, path, _ := strings.Cut(call, " ")
		res := b.Do(b.Request(method, b.Server.ServiceURL()+path, ""))
		assert.Equal(t, http.StatusNotFound, res.StatusCode, call)
		assert.Equal(t, contract.GroupsList.Family.Refusal(contract.PathUnknown).Code, res.Code(), call)
		assert.Contains(t, res.Body, says, call)
	}
}

var longName = strings.Repeat("x", 3000)

// A base URL whose sandbox has no name, such as one that is made of an unset variable, leads to no sandbox.
func TestEmptySandboxName(t *testing.T) {
	t.Parallel()
	for _, noDefault := range []bool{false, true} {
		b := simtest.Start(t, server.Config{NoDefault: noDefault})
		for _, path := range []string{"/sandboxes/", "/sandboxes//v3/groups", "/sandboxes/" + simtest.GroupsPath} {
			res := simtest.CreateGroup.At(path).Send(b)
			assert.Equal(t, http.StatusNotFound, res.StatusCode, path)
			assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code(), path)
			assert.Contains(t, res.Body, `there is no sandbox \"\": `+sandbox.ErrBadName.Error())
		}
		assert.Zero(t, b.Journal().Last(), "the default sandbox isn't meant")
	}
}
