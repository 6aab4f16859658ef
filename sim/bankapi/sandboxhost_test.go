package bankapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// asking returns the bank's answer to a request that names a host.
func asking(b *simtest.Bank, call simtest.Call, host string, headers ...string) simtest.Answer {
	r := call.Request(b)
	r.Host = host
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return b.Do(r)
}

// withMine starts a simulator with a sandbox mine.
func withMine(t *testing.T, cfg server.Config) (b, mine *simtest.Bank) {
	t.Helper()
	b = simtest.Start(t, cfg)
	_, err := b.Sandboxes.Create(t.Context(), sandbox.Plan{Name: "mine"})
	require.NoError(t, err)
	return b, b.In("mine")
}

// The first label of a host names the sandbox, whatever its case, port and final dot. Links in answers have the host
// that the caller used, and no path before the interface's.
func TestSandboxHosts(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{SandboxHosts: []string{"*.bank.test", "*.eu.bank.test"}})
	for i, host := range []string{"MINE.Bank.TEST", "mine.bank.test.:80", "mine.eu.bank.test"} {
		res := asking(b, listGroups, host)
		require.Equal(t, 200, res.StatusCode, res.Body)
		assert.Contains(t, res.Body, `"http://`+host+simtest.GroupsPath+"?", "links")
		assert.EqualValues(t, i+1, mine.Journal().Last())
	}
	assert.Zero(t, b.Journal().Last())
	for i, host := range []string{"bank.test", "mine.bank.test.example", "xbank.test", "[::1]:80", "127.0.0.1",
		"default.bank.test"} {
		assert.Equal(t, 200, asking(b, listGroups, host).StatusCode)
		assert.EqualValues(t, i+1, b.Journal().Last(), "names no other")
	}
	assert.Equal(t, 201, asking(mine, createAlert, "mine.bank.test").StatusCode)
	assert.NotEqual(t, b.State(), mine.State())
}

// A host names no other sandbox than the one that is asked for, and no name leads to the default one by mistake.
func TestUnknownSandboxHost(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{SandboxHosts: []string{"*.bank.test"}})
	for name, remedy := range map[string]string{
		"nope":       `create it with POST /v1/sandboxes {\"name\": \"nope\"}`,
		"other.mine": "one label names a sandbox, and this is more than one before the domain",
		"-mine":      "a name must be",
	} {
		res := asking(b, listGroups, name+".bank.test")
		assert.Equal(t, 404, res.StatusCode, name)
		assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code())
		assert.Contains(t, res.Body, fmt.Sprintf(`there is no sandbox \"%s\": %s`, name, remedy))
		byPath := b.Do(b.Request("GET", b.Server.ServiceURL()+"/sandboxes/"+name+simtest.GroupsPath, "",
			"transactionId: t-1"))
		assert.Equal(t, !strings.Contains(name, "."), res.Body == byPath.Body, "the path has no domain")
	}
	assert.Zero(t, b.Journal().Last()+mine.Journal().Last())
}

// Whoever names two sandboxes is refused, and reaches none. Naming one of them twice is no contradiction.
func TestContradictingNames(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{SandboxHosts: []string{"*.bank.test"}})
	const inMine = "/sandboxes/mine"
	before := mine.State() + b.State()
	for _, c := range []struct {
		path, host, header, says string
		in                       *simtest.Bank // whose journal has it
	}{
		{inMine, "default.bank.test", "", `"mine" by its path and "default" by its host`, mine},
		{inMine, "bank.test", "default", `"mine" by its path and "default" by the header Banksim-Sandbox`, mine},
		{"", "mine.bank.test", "default", `"mine" by its host and "default" by the header Banksim-Sandbox`, mine},
		{"/sandboxes/nope", "default.bank.test", "mine", `"nope" by its path and "default" by its host`, b},
	} {
		call := simtest.CreateGroup.At(c.path + simtest.GroupsPath)
		if c.header != "" {
			call = call.With(contract.SandboxHeader, c.header)
		}
		res := asking(b, call, c.host)
		assert.Equal(t, 400, res.StatusCode)
		assert.Equal(t, "BANKSIM_SANDBOX_CONTRADICTION", res.Code(), res.Body)
		assert.Contains(t, strings.ReplaceAll(res.Body, `\"`, `"`), "names two sandboxes, "+c.says+": name one")
		assert.Equal(t, "sandbox-contradiction", c.in.ExchangeOf(res).Decision.Rule)
	}
	assert.Equal(t, before, mine.State()+b.State())

	res := asking(b, listGroups.At(inMine+simtest.GroupsPath).With(contract.SandboxHeader, "mine"), "mine.bank.test")
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.Contains(t, res.Body, `"http://mine.bank.test/sandboxes/mine`+simtest.GroupsPath,
		"links have the base URL that was asked")
}

// The header names the sandbox, but not on a listener that serves one alone, which the journal says.
func TestSandboxHeader(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{NoDefault: true})
	named := listGroups.With(contract.SandboxHeader, "mine")
	named.Adding(contract.SandboxHeader, "mine").Expect(b, 200, "twice the same")
	assert.EqualValues(t, 1, mine.Journal().Last())
	assert.Empty(t, mine.Last().Lints)
	for _, value := range []string{"nope", "Mine", ""} {
		assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", listGroups.With(contract.SandboxHeader, value).Send(b).Code(), value)
	}
	assert.Equal(t, "BANKSIM_SANDBOX_CONTRADICTION", named.Adding(contract.SandboxHeader, "default").Send(b).Code())

	url, end, err := b.Server.ServeSandbox("mine", false)
	require.NoError(t, err)
	defer end()
	own := b.Do(b.Request("GET", url+simtest.GroupsPath, "", "transactionId: t-2", contract.SandboxHeader+": default"))
	assert.Equal(t, 200, own.StatusCode)
	assert.Equal(t, []string{"sandbox-header-ignored"}, lints(mine.Last()))
}

func TestCleanSandboxHost(t *testing.T) {
	t.Parallel()
	clean, err := bankapi.CleanSandboxHost("*.Bank-1.Test.")
	require.NoError(t, err)
	assert.Equal(t, "*.bank-1.test", clean)
	for _, pattern := range []string{"*.", "bank.test", "a*.bank.test", "*.bank.test:8080", "*.bank..test", "*.0.0.1",
		"*.-a.test",
		"*.bänk.test", "*." + strings.Repeat("x", 64)} {
		_, err := bankapi.CleanSandboxHost(pattern)
		assert.ErrorContains(t, err, "is not a pattern of hosts: write *. and the name of a domain", pattern)
	}
}

// Without a default sandbox, a request whose URL names none is refused, in its family's shape, and reaches no bank:
// neither the one that its client meant, nor another.
func TestNoDefaultSandbox(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{NoDefault: true})
	before := b.State()
	for _, call := range []simtest.Call{createGroup, revokeTokens, listGroups.At("/nope")} {
		res := call.Expect(b, 421)
		assert.Equal(t, "BANKSIM_NO_SANDBOX", res.Code(), res.Body)
		assert.Contains(t, res.Body,
			"a base URL is "+b.Server.ServiceURL()+"/sandboxes/NAME; has the client dropped its path?")
		assert.Equal(t, "sandbox-missing", b.ExchangeOf(res).Decision.Rule, "the journal of default has it")
	}
	last := b.Journal().Last()
	assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", createGroup.At("/sandboxes//v3/groups").Expect(b, 404).Code())
	assert.Equal(t, last, b.Journal().Last(), "an empty name isn't that of the default sandbox")
	assert.Equal(t, before, b.State())
	assert.Zero(t, mine.Journal().Last())
	createGroup.Expect(mine, 200)
	url := b.Server.ServiceURL() + "/sandboxes/default"
	assert.Equal(t, 200, b.Do(b.Request("GET", url+simtest.GroupsPath, "", "transactionId: t-1")).StatusCode)
	for _, path := range []string{"/v1/sandboxes/default", "/v1/info"} {
		assert.Contains(t, b.Control(200, "GET "+path, "").Body, `"baseUrl":"`+url+`"`)
	}
}
