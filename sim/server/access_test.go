package server_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const controlToken = "Ctrl-7d1f.canary~ok"

func bearer(token string) string { return "Authorization: Bearer " + token }

// A token that no header can carry would lock out everyone. The error doesn't show it.
func TestBadControlTokens(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"canary secret", "canary\n", "cänary", "=canary", "\"canary\"", "canary,"} {
		_, err := server.Start(
			t.Context(),
			server.Config{Listen: []string{"127.0.0.1:0"}, Control: "127.0.0.1:0", ControlToken: token,
				Log: slog.New(slog.DiscardHandler)},
		)
		require.ErrorContains(t, err, "bearer token", token)
		assert.NotContains(t, err.Error(), "nary")
	}
	assert.ErrorContains(t, server.CheckToken(""), "empty")
	assert.NoError(t, server.CheckToken("aZ09._~+/-=="))
}

// A listener on loopback answers only for this machine's names; see the tests of package controlapi.
func TestLoopbackChecksHosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		control string
		status  int
	}{{"127.0.0.1:0", 421}, {"localhost:0", 421}, {"0.0.0.0:0", 200}} {
		b := simtest.Start(t, server.Config{Control: test.control, ControlToken: controlToken})
		r := b.Request(http.MethodGet, b.Server.ControlURL()+"/v1/info", "", bearer(controlToken))
		r.Host = "evil.example"
		assert.Equal(t, test.status, b.Do(r).StatusCode, test.control)
	}
}

// No log and no journal holds the control token, wherever a caller puts it.
func TestTheControlTokenIsNotRecorded(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"", controlToken} {
		var log simtest.Log
		b := simtest.Start(t, server.Config{Control: "0.0.0.0:0", ControlToken: given,
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		token := b.Server.ControlToken()
		answers := b.Control(404, "GET /nope", "", bearer(token)).Body +
			b.Control(
				401, "GET /v1/info?token="+token, "",
			).Body + b.Control(401, "GET /v1/info", "", bearer(token+"x")).Body
		// to the wrong listener
		for _, call := range []simtest.Call{simtest.GetDisclosures, simtest.RevokeTokens, simtest.CreateGroup,
			simtest.CreateAlert} {
			res := call.WithToken(token).Expect(b, 401)
			answers += res.Body
		}
		for _, path := range []string{"/v1/info", "/metrics", "/v1/sandboxes/default/state",
			"/v1/sandboxes/default/journal",
			"/v1/sandboxes/default/journal.har"} {
			answers += b.Control(200, "GET "+path, "", bearer(token)).Body
		}
		assert.Contains(t, answers, simtest.GroupsPath)
		assert.False(t, strings.Contains(answers, token), "an answer holds the token")
		assert.Contains(t, log.String(), "msg=request")
		assert.False(t, strings.Contains(log.String(), token), "the log holds the token")
	}
}
