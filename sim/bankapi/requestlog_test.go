package bankapi_test

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// logLine is a line of the request log in JSON.
type logLine struct {
	Msg, Operation, Fault, Connection, Rule, Code, Client string

	Status       int
	Exchange     uint64
	TookMs       float64
	Delay        time.Duration
	Disconnected bool
}

// logged returns a bank with faults and its log, of which next awaits the next line of a request.
func logged(t *testing.T, faults string) (b *simtest.Bank, next func() logLine) {
	t.Helper()
	var log simtest.Log
	b = simtest.Start(t, server.Config{
		Sandboxes: simtest.Registry(t, simtest.WithFaults(faults)), Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	count := 0
	return b, func() (line logLine) {
		t.Helper()
		count++
		written := func() bool { return strings.Count(log.String(), `"msg":"request"`) == count }
		require.Eventually(t, written, simtest.Patience, time.Millisecond)
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &line))
		return line
	}
}

// The line of a request names the faults that fired and what they did, and has the time that the client has waited. The
// journal has the same names, and the time that the faults mean to take.
func TestTheLogShowsFaults(t *testing.T) {
	t.Parallel()
	for faults, test := range map[string]struct {
		want  logLine
		least time.Duration
	}{
		"- {name: other, operation: alerts.*, then: {status: 500}}\n": {logLine{Status: 200}, 0},
		"- {name: f, then: {connection: {hang: 40ms}}}\n": {logLine{Fault: "f", Connection: "hang", Rule: "f"},
			40 * time.Millisecond},
		"- {name: f, then: {delay: 20ms}}\n- {name: g, phase: after, then: {delay: 15ms}}\n": {
			logLine{Status: 200, Fault: "f,g", Delay: 35 * time.Millisecond}, 35 * time.Millisecond},
		strings.Repeat("- {then: {headers: {X-A: b}}}\n", 7): {
			logLine{Status: 200, Fault: "fault-1,fault-2,fault-3,fault-4,fault-5 and 2 more"}, 0},
	} {
		b, next := logged(t, faults)
		_, _ = listGroups.Try(b)
		line, x := next(), b.Last()
		test.want.Client, test.want.Msg, test.want.Operation = "127.0.0.1", "request", "groups.list"
		test.want.Exchange, test.want.TookMs = line.Exchange, line.TookMs
		assert.Equal(t, x.ID, strconv.FormatUint(line.Exchange, 10))
		assert.Equal(t, test.want, line)
		assert.GreaterOrEqual(t, line.TookMs, float64(test.least.Milliseconds()))
		assert.GreaterOrEqual(t, x.TookMicros, test.least.Microseconds(), "in the journal")
	}
}

// The line of a refused request has the rule and the code, as its answer has it. A fault that answers has its own code.
func TestTheLogShowsRefusals(t *testing.T) {
	t.Parallel()
	b, next := logged(t, "- {name: f, phase: after, operation: tokens.issue, then: {status: 500}}\n")
	for _, c := range []struct {
		simtest.Call
		rule, code string
	}{
		{listGroups.Without("transactionId"), "request-id-missing", "2000"},
		{issueTokens, "", "CMN_90000"},
		{listGroups.At("/nowhere"), "path-unknown", "BANKSIM_UNKNOWN_PATH"},
	} {
		c.Send(b)
		line := next()
		assert.Equal(t, []string{c.rule, c.code}, []string{line.Rule, line.Code}, c.Call)
	}
}
