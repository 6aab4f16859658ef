package server_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const controlToken = "Ctrl-7d1f.canary~ok"

// guardBank starts a simulator whose control listener is where the configuration says.
func guardBank(t *testing.T, cfg server.Config, log io.Writer) *bank {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(frozenRetail))
	require.NoError(t, err)
	cfg.Sandboxes = sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return serveBank(t, cfg)
}

// A control token keeps everybody out who doesn't bring it, from everything but the probes' paths.
func TestControlToken(t *testing.T) {
	b := guardBank(t, server.Config{ControlToken: controlToken}, io.Discard)
	for _, path := range []string{"/healthz", "/readyz"} {
		b.call(200, "GET "+path, "")
		b.call(200, "GET "+path, "", "Authorization: Bearer wrong")
	}
	createGroup.send(b)
	world := b.sandbox.Now().World
	for _, request := range []string{
		"GET /v1/info", "GET /metrics", "GET /v1/sandboxes", "POST /v1/sandboxes", "GET /", "GET /nope", "PUT /v1/info", "GET /healthz/x", "GET //healthz",
		"GET " + defaultURL + "/state", "POST " + defaultURL + "/reset", "PUT " + defaultURL + "/scenario", "DELETE " + journalURL, "GET " + journalURL + "/stream",
	} {
		for _, credentials := range []string{
			"", "Bearer", "Bearer ", "Bearer wrong", controlToken, "Basic " + controlToken, "Bearer" + controlToken,
			"Bearer " + controlToken[1:], "Bearer " + controlToken + "x", "Bearer " + strings.ToUpper(controlToken), "Bearer " + controlToken + ", Bearer x",
		} {
			res := b.call(401, request, "", "Authorization: "+credentials)
			assert.Equal(t, `Bearer realm="banksim control API"`, res.Header.Get("WWW-Authenticate"))
			assert.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
			assert.Contains(t, decode[problem](t, res).Detail, "--control-token")
			assert.NotContains(t, res.body, controlToken)
		}
		b.call(401, request+"?access_token="+controlToken+"&token="+controlToken, "")
	}
	assert.Same(t, world, b.sandbox.Now().World, "a refused call changed the world")
	assert.Equal(t, 1, b.sandboxes.Len())

	b.sandboxes.Refuse(errors.New("bank.yaml is gone"))
	untold := decode[readiness](t, b.call(200, "GET /readyz", ""))
	assert.Contains(t, untold.Detail, "were not taken")
	assert.Empty(t, untold.Problems, "what is wrong with the scenario's files is for those who may call")
	told := decode[readiness](t, b.call(200, "GET /readyz", "", "Authorization: Bearer "+controlToken))
	assert.Equal(t, "bank.yaml is gone", told.Problems[0].Message)

	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		b.call(200, "GET "+defaultURL+"/state", "", "Authorization: "+scheme+controlToken)
		b.call(200, "GET /metrics", "", "Authorization: "+scheme+controlToken)
		b.call(404, "GET /nope", "", "Authorization: "+scheme+controlToken)
	}
	assert.Equal(t, "1", b.follow(t, journalURL+"/stream", "Authorization: Bearer "+controlToken).next().id)
	b.call(204, "POST "+defaultURL+"/reset", "", "Authorization: Bearer "+controlToken)
	assert.NotSame(t, world, b.sandbox.Now().World)
}

// Without a given token, one is drawn where others than this machine reach the control listener, unless it is said
// that anybody may call.
func TestControlTokenIsDrawn(t *testing.T) {
	for _, everywhere := range []string{"0.0.0.0:0", ":0"} {
		b, other := guardBank(t, server.Config{Control: everywhere}, io.Discard), guardBank(t, server.Config{Control: everywhere}, io.Discard)
		assert.GreaterOrEqual(t, len(b.server.ControlToken()), 26, "128 bits, in base 32")
		assert.NotEqual(t, b.server.ControlToken(), other.server.ControlToken())
		b.call(401, "GET /v1/info", "")
		b.call(401, "GET /v1/info", "", "Authorization: Bearer "+other.server.ControlToken())
		b.call(200, "GET /v1/info", "", "Authorization: Bearer "+b.server.ControlToken())
		b.call(200, "GET /readyz", "")

		given := guardBank(t, server.Config{Control: everywhere, ControlToken: controlToken}, io.Discard)
		assert.Equal(t, controlToken, given.server.ControlToken())
		given.call(401, "GET /v1/info", "")
		given.call(200, "GET /v1/info", "", "Authorization: Bearer "+controlToken)

		insecure := guardBank(t, server.Config{Control: everywhere, InsecureControl: true}, io.Discard)
		assert.Empty(t, insecure.server.ControlToken())
		insecure.call(200, "GET /v1/info", "")
	}
	b := startBank(t, frozenRetail)
	assert.Empty(t, b.server.ControlToken(), "on loopback")
	b.call(200, "GET /v1/info", "", "Authorization: Bearer whatever")
}

// A token that no header can carry would lock everybody out. The error doesn't show it.
func TestBadControlTokenIsRefused(t *testing.T) {
	for _, token := range []string{"canary secret", "canary\n", "cänary", "=canary", "\"canary\"", "canary,"} {
		_, err := server.Start(t.Context(), server.Config{Service: "127.0.0.1:0", Control: "127.0.0.1:0", ControlToken: token, Log: slog.New(slog.DiscardHandler)})
		require.ErrorContains(t, err, "bearer token", token)
		assert.NotContains(t, err.Error(), "nary")
	}
	assert.ErrorContains(t, server.CheckToken(""), "empty")
	assert.NoError(t, server.CheckToken("aZ09._~+/-=="))
}

// A page whose name was made to point at this machine calls with that name, and is refused on a listener on loopback.
// Elsewhere the machine may have any name.
func TestControlAnswersForItsOwnHostsAlone(t *testing.T) {
	loopback := guardBank(t, server.Config{Control: "localhost:0"}, io.Discard)
	everywhere := guardBank(t, server.Config{Control: "0.0.0.0:0", InsecureControl: true}, io.Discard)
	tokened := guardBank(t, server.Config{ControlToken: controlToken}, io.Discard)
	for host, ours := range map[string]bool{
		"localhost": true, "localhost:8081": true, "LocalHost:1": true, "127.0.0.1": true, "127.0.0.1:9": true, "127.8.7.6:80": true, "[::1]": true, "[::1]:8081": true,
		"evil.example": false, "evil.example:8081": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "192.0.2.7:8081": false,
		"0.0.0.0:8081": false, "[2001:db8::1]:80": false, "localhosts": false, "banksim": false,
	} {
		status := map[bool]int{true: 200, false: 421}[ours]
		for _, path := range []string{"/v1/info", "/healthz"} {
			res := askAs(loopback, host, path)
			assert.Equal(t, status, res.StatusCode, "%s%s: %s", host, path, res.body)
			assert.Equal(t, 200, askAs(everywhere, host, path).StatusCode, host)
		}
		if !ours {
			p := decode[problem](t, askAs(loopback, host, "/v1/info"))
			assert.Contains(t, p.Detail, "ask for localhost or 127.0.0.1")
			assert.Equal(t, 421, askAs(tokened, host, "/v1/info").StatusCode, "a token doesn't make it another host")
		}
	}
}

// askAs asks the control API under a host's name.
func askAs(b *bank, host, path string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.server.ControlURL()+path, nil)
	require.NoError(b.t, err)
	r.Host = host
	return b.do(r)
}

// The control token stands in no log and no journal, wherever a caller puts it.
func TestTheControlTokenIsNotRecorded(t *testing.T) {
	for name, cfg := range map[string]server.Config{"given": {ControlToken: controlToken}, "drawn": {Control: "0.0.0.0:0"}} {
		t.Run(name, func(t *testing.T) {
			var log syncBuffer
			b := guardBank(t, cfg, &log)
			token := b.server.ControlToken()
			authorized := "Authorization: Bearer " + token
			answers := b.call(200, "GET /v1/info", "", authorized).body +
				b.call(404, "GET /nope", "", authorized).body +
				b.call(401, "GET /v1/info?token="+token, "").body +
				b.call(401, "GET /v1/info", "", authorized+"x").body
			for _, call := range []attempt{getDisclosures, revokeToken, createGroup, createAlert} { // on the wrong listener
				res := call.with("authorization", "Bearer "+token).send(b)
				assert.Equal(t, 401, res.StatusCode)
				answers += res.body
			}
			for _, path := range []string{"", ".har"} {
				res := b.call(200, "GET "+journalURL+path, "", authorized)
				assert.Contains(t, res.body, groupsURL)
				answers += res.body
			}
			answers += b.call(200, "GET /metrics", "", authorized).body + b.call(200, "GET "+defaultURL+"/state", "", authorized).body
			assert.False(t, strings.Contains(answers, token), "an answer holds the token")
			assert.Contains(t, log.String(), "msg=request")
			assert.False(t, strings.Contains(log.String(), token), "the log holds the token")
		})
	}
}

// A server tells when nobody has asked for anything for a while; see the tests of the watch for what counts.
func TestIdleServerTells(t *testing.T) {
	b := guardBank(t, server.Config{IdleAfter: 50 * time.Millisecond}, io.Discard)
	began := time.Now()
	listGroups.send(b)
	select {
	case <-b.server.Idle():
		assert.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
	case <-time.After(30 * time.Second):
		t.Fatal("an idle server doesn't tell")
	}
}
