package bankapi_test

import (
	"log/slog"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
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

// A bank that is given hosts answers to no other one: in the family's shape, before any sandbox is asked.
func TestHosts(t *testing.T) {
	t.Parallel()
	var log simtest.Log
	b := simtest.Start(t, server.Config{Hosts: []string{"bank.example", "::1"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, host := range []string{"bank.example", "BANK.example.:8080", "[::1]:80", "[::1]"} {
		assert.Equal(t, 200, asking(b, listGroups, host).StatusCode, host)
	}
	served := b.Journal().Last()
	for _, host := range []string{"evil.example", "bank.example.evil.example", "127.0.0.1:8080", "x.bank.example"} {
		for _, call := range []simtest.Call{listGroups, revokeTokens, listGroups.At("/nope"), listGroups.At("/sandboxes/nope/")} {
			res := asking(b, call, host)
			assert.Equal(t, 421, res.StatusCode, host)
			assert.Equal(t, "BANKSIM_UNKNOWN_HOST", res.Code(), res.Body)
		}
	}
	assert.Contains(t, asking(b, listGroups, "evil.example").Body, `the host \"evil.example\"`)
	assert.Equal(t, 421, asking(b, listGroups, "evil.example", "X-Forwarded-Host", "bank.example").StatusCode, "from a proxy that is not trusted")
	assert.Equal(t, served, b.Journal().Last())
	assert.Contains(t, log.String(), "status=421")
	assert.Contains(t, b.Control(200, "GET /metrics", "").Body, `banksim_requests_total{operation="",status="421"} 18`)
	entry := contract.GroupsList.Family.Refusal(contract.HostUnknown).Entry
	assert.Equal(t, contract.EverywhereUnknownHost, entry)
}

// The host that a trusted proxy forwards is the one that counts.
func TestForwardedHosts(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{Hosts: []string{"bank.example"}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	assert.Equal(t, 200, asking(b, listGroups, "inner:8080", "X-Forwarded-Host", "bank.example, inner").StatusCode)
	assert.Equal(t, 421, asking(b, listGroups, "bank.example", "X-Forwarded-Host", "evil.example").StatusCode)
	assert.Equal(t, 200, asking(b, listGroups, "bank.example").StatusCode)
}

func TestAnyHost(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	assert.Equal(t, 200, asking(b, listGroups, "whatever.example:1").StatusCode)
}

func TestCheckHost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"bank", "bank.example", "bank.example.", "10.0.0.1", "::1", "[::1]"} {
		assert.NoError(t, bankapi.CheckHost(host), host)
	}
	for _, host := range []string{"", "http://bank", "bank:8080", "*.bank", "bank/x", "a b", "[::1]:80", "[bank]"} {
		assert.ErrorContains(t, bankapi.CheckHost(host), "without scheme and port", host)
	}
}
