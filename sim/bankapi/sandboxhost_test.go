package bankapi_test

import (
	"fmt"
	"log/slog"
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
	for i, host := range []string{"mine.bank.test", "MINE.Bank.TEST", "mine.bank.test:8443", "mine.bank.test.:80", "mine.bank.test.",
		"mine.eu.bank.test"} {
		res := asking(b, listGroups.WithQuery("size=1"), host)
		require.Equal(t, 200, res.StatusCode, res.Body)
		assert.Contains(t, res.Body, `"http://`+host+simtest.GroupsPath+"?", "links")
		assert.EqualValues(t, i+1, mine.Journal().Last())
		assert.Equal(t, "http://"+host+simtest.GroupsPath+"?size=1", mine.Last().Request.URL)
	}
	assert.Zero(t, b.Journal().Last())
	for i, host := range []string{"bank.test", "eu.example", "mine.bank.test.example", "xbank.test", "[::1]:80", "127.0.0.1"} {
		assert.Equal(t, 200, asking(b, listGroups, host).StatusCode, "names none")
		assert.EqualValues(t, i+1, b.Journal().Last())
	}
	assert.Equal(t, 200, asking(b, listGroups, "default.bank.test").StatusCode)
	assert.EqualValues(t, 7, b.Journal().Last())
	assert.Equal(t, 201, asking(mine, simtest.CreateAlert, "mine.bank.test").StatusCode)
	assert.NotEqual(t, b.State(), mine.State())
}

// A host names no other sandbox than the one that is asked for, and no name leads to the default one by mistake.
func TestUnknownSandboxHost(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b, mine := withMine(t, server.Config{SandboxHosts: []string{"*.bank.test"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for name, remedy := range map[string]string{
		"nope":                  `create it with POST /v1/sandboxes {\"name\": \"nope\"}`,
		"other.mine":            "one label names a sandbox, and this is more than one before the domain",
		"-mine":                 "a name must be",
		strings.Repeat("x", 64): "a name must be",
	} {
		res := asking(b, listGroups, name+".bank.test")
		assert.Equal(t, 404, res.StatusCode, name)
		assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", res.Code())
		assert.Contains(t, res.Body, fmt.Sprintf(`there is no sandbox \"%s\": %s`, name, remedy))
		byPath := b.Do(b.Request("GET", b.Server.ServiceURL()+"/sandboxes/"+name+simtest.GroupsPath, "", "transactionId: t-1"))
		assert.Equal(t, res.Body, byPath.Body, "as by the path")
	}
	assert.Zero(t, b.Journal().Last()+mine.Journal().Last())
	assert.Contains(t, log.String(), "sandbox=nope")
}

// Whoever names two sandboxes is refused, and reaches none. Naming one of them twice is no contradiction.
func TestContradictingNames(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{SandboxHosts: []string{"*.bank.test"}})
	const inMine = "/sandboxes/mine"
	before := mine.State() + b.State()
	number := func(b *simtest.Bank) uint64 { return b.Journal().Last() }
	for _, c := range []struct {
		path, host, header, says string
		in                       *simtest.Bank
	}{
		{inMine, "default.bank.test", "", `"mine" by its path and "default" by its host`, mine},
		{inMine, "bank.test", "default", `"mine" by its path and "default" by the header Banksim-Sandbox`, mine},
		{"", "mine.bank.test", "default", `"mine" by its host and "default" by the header Banksim-Sandbox`, mine},
		{"/sandboxes/nope", "default.bank.test", "mine", `"nope" by its path and "default" by its host`, b},
		{"/sandboxes/nope", "other.bank.test", "", `"nope" by its path and "other" by its host`, nil},
	} {
		var was uint64
		if c.in != nil {
			was = number(c.in)
		}
		call := simtest.CreateGroup.At(c.path + simtest.GroupsPath)
		if c.header != "" {
			call = call.With(contract.SandboxHeader, c.header)
		}
		res := asking(b, call, c.host)
		assert.Equal(t, 400, res.StatusCode)
		assert.Equal(t, "BANKSIM_SANDBOX_CONTRADICTION", res.Code(), res.Body)
		assert.Contains(t, strings.ReplaceAll(res.Body, `\"`, `"`), "names two sandboxes, "+c.says+": name one")
		if c.in == nil {
			assert.Empty(t, res.Header.Get("Banksim-Exchange"))
			continue
		}
		require.Equal(t, was+1, number(c.in), c.says)
		x := c.in.Last()
		assert.Equal(t, []string{"refused", "sandbox-contradiction", contract.EverywhereSandbox.ID},
			[]string{x.Decision.Outcome, x.Decision.Rule, x.Decision.Entries[0]})
	}
	assert.Equal(t, before, mine.State()+b.State())

	was := number(mine)
	res := asking(b, listGroups.At(inMine+simtest.GroupsPath+"?size=1").With(contract.SandboxHeader, "mine"), "mine.bank.test")
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.Contains(t, res.Body, `"http://mine.bank.test/sandboxes/mine`+simtest.GroupsPath, "links have the base URL that was asked")
	assert.Equal(t, was+1, number(mine))
}

// The header names the sandbox, but not on a listener that serves one alone, which the journal says.
func TestSandboxHeader(t *testing.T) {
	t.Parallel()
	b, mine := withMine(t, server.Config{NoDefault: true})
	named := listGroups.With(contract.SandboxHeader, "mine")
	res := named.Send(b)
	require.Equal(t, 200, res.StatusCode, res.Body)
	assert.Equal(t, []string{"mine"}, mine.Last().Request.Headers[contract.SandboxHeader])
	assert.Empty(t, mine.Last().Lints)
	assert.Contains(t, mine.ControlSandbox(200, "GET /journal/1/why", "").Body, "Banksim-Sandbox: mine")
	assert.Equal(t, "BANKSIM_NO_SANDBOX", listGroups.Send(b).Code())
	for _, value := range []string{"nope", "Mine", ""} {
		assert.Equal(t, "BANKSIM_UNKNOWN_SANDBOX", listGroups.With(contract.SandboxHeader, value).Send(b).Code(), value)
	}
	assert.Equal(t, 200, named.Adding(contract.SandboxHeader, "mine").Send(b).StatusCode, "twice the same")
	assert.Equal(t, "BANKSIM_SANDBOX_CONTRADICTION", named.Adding(contract.SandboxHeader, "default").Send(b).Code())

	url, end, err := b.Server.ServeSandbox("mine", false)
	require.NoError(t, err)
	defer end()
	own := b.Do(b.Request("GET", url+simtest.GroupsPath, "", "transactionId: t-1", contract.SandboxHeader+": default"))
	assert.Equal(t, 200, own.StatusCode)
	assert.Contains(t, simtest.JSON(mine.Last().Lints), "this listener serves one sandbox alone")
}

func TestCleanSandboxHost(t *testing.T) {
	t.Parallel()
	for pattern, clean := range map[string]string{"*.Bank.Test.": "*.bank.test", "*.b-1.xn--bnk-hoa.test": "*.b-1.xn--bnk-hoa.test"} {
		got, err := bankapi.CleanSandboxHost(pattern)
		assert.NoError(t, err, pattern)
		assert.Equal(t, clean, got)
	}
	for _, pattern := range []string{"*", "*.", "bank.test", "a*.bank.test", "*.*.test", "*.bank.test:8080", "*.bank..test", "*.0.0.1",
		"*.-a.test", "*.bänk.test", "*." + strings.Repeat("x", 64)} {
		_, err := bankapi.CleanSandboxHost(pattern)
		assert.ErrorContains(t, err, "is not a pattern of hosts: write *. and the name of a domain", pattern)
	}
}
