package controlapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
)

// Each call is logged by its route, who called, and how it ended. So is a call that is not let in, and the line says
// why a call is refused. Bodies and queries don't show.
func TestCallsAreObserved(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := newGuarded(t, controlapi.Config{
		Access: controlapi.Access{Token: controlToken, Local: true},
		Log:    slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	long := strings.Repeat("x", 80)
	for request, want := range map[string]string{ // a header may follow the path
		"POST /v1/sandboxes/default/reset":      "INFO 204 default POST /v1/sandboxes/{sandbox}/reset",
		"GET /v1/sandboxes/nope/journal?q=hush": "INFO 404 nope GET /v1/sandboxes/{sandbox}/journal",
		"POST /v1/sandboxes/default/snapshots":  "INFO 400 default POST /v1/sandboxes/{sandbox}/snapshots",
		"GET /v1/sandboxes/" + long + "xx/state": "INFO 404 " + long +
			"… GET /v1/sandboxes/{sandbox}/state",
		"GET /nope":     "INFO 404  /",
		"HUSH /v1/info": "INFO 405  /",
		"DELETE /v1/sandboxes/default/journal Authorization": "WARN 401  DELETE /v1/sandboxes/{sandbox}/journal",
		"GET /v1/info?token=hush Host: evil.example":         "WARN 421  GET /v1/info",
		"POST /v1/sandboxes Sec-Fetch-Site: cross-site":      "WARN 403  POST /v1/sandboxes",
		"GET /healthz": "DEBUG 200  GET /healthz",
		"GET /readyz":  "DEBUG 200  GET /readyz",
		"GET /metrics": "DEBUG 200  GET /metrics",
	} {
		log.Reset()
		parts := append(strings.SplitN(request, " ", 3), "")
		status, _ := strconv.Atoi(strings.Fields(want)[1])
		body := ` {"name":"Hush"}`
		if strings.HasSuffix(parts[1], "/reset") {
			body = "" // it takes none
		}
		host := "localhost"
		if name, isHost := strings.CutPrefix(parts[2], "Host: "); isHost {
			host = name
		}
		g.call(status, parts[0]+" "+parts[1]+body, host, "Authorization: Bearer "+controlToken, parts[2])
		var line struct {
			Level, Msg, Route, Sandbox, Client, Reason string
			Status                                     int
		}
		require.NoError(t, json.Unmarshal(log.Bytes(), &line), "one line: %s", &log)
		assert.Equal(t, want, fmt.Sprint(line.Level, " ", line.Status, " ", line.Sandbox, " ", line.Route), request)
		assert.Equal(t, "control request from 192.0.2.1", line.Msg+" from "+line.Client)
		assert.Equal(t, line.Status >= 400, line.Reason != "", request)
		assert.Contains(t, log.String(), `"tookMs":`)
		assert.NotContains(t, strings.ToLower(log.String()), "hush")
		assert.NotContains(t, log.String(), controlToken)
	}
}
