package server_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// Behind a proxy that is trusted, the client is who the proxy says. A client can write the header, too: only its last
// address is the proxy's.
func TestClientBehindAProxy(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"X-Forwarded-For: 10.1.2.3":             "10.1.2.3",
		"X-Forwarded-For: 1.1.1.1, 2001:db8::1": "2001:db8::1",
		"X-Forwarded-For: nobody":               "127.0.0.1",
		"X-Other: 1":                            "127.0.0.1",
	} {
		b := simtest.Start(t, server.Config{TrustForwarded: true})
		b.ControlSandbox(204, "POST /reset", "", header)
		assert.Equal(t, want, simtest.Decode[api.Sandbox](t, b.ControlSandbox(200, "GET ", "")).LastReset.By, header)
	}
	b := simtest.Start(t, server.Config{})
	b.ControlSandbox(204, "POST /reset", "", "X-Forwarded-For: 10.1.2.3")
	assert.Equal(t, "127.0.0.1", simtest.Decode[api.Sandbox](t, b.ControlSandbox(200, "GET ", "")).LastReset.By)
}
