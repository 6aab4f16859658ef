package bankapi_test

import (
	"encoding/json"
	"log/slog"
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
	Msg, Operation, Exchange, Fault, Connection, Rule, Code, Client string

	Status       int
	Took, Delay  time.Duration
	Disconnected bool
}

// logged returns a bank with faults and its log, of which next awaits the next line of a request.
func logged(t *testing.T, faults string) (b *simtest.Bank, next func() logLine) {
	t.Helper()
	var log simtest.Log
	b = simtest.Start(t, server.Config{
		Sandboxes: simtest.Registry(t, simtest.WithFaults(faults)), Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	read := 0
	return b, func() (line logLine) {
		t.Helper()
		require.Eventually(t, func() bool {
			for text := range strings.Lines(log.String()[read:]) {
				if !strings.HasSuffix(text, "\n") {
					return false
				}
				read += len(text)
				line = logLine{}
				require.NoError(t, json.Unmarshal([]byte(text), &line))
				if line.Msg == "request" {
					return true
				}
			}
			return false
		}, simtest.Patience, time.Millisecond)
		return line
	}
}

// The line of a request names the faults that fired and what they did, and has the time that the client has waited. The
// journal has the same names, and the time that the faults mean to take.
func TestTheLogShowsFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults string
		want   logLine
		least  time.Duration
	}{
		"none": {"- {name: other, operation: alerts.*, then: {status: 500}}\n", logLine{Status: 200}, 0},
		"hang": {"- {name: f, then: {connection: {hang: 40ms}}}\n", logLine{Fault: "f", Connection: "hang", Rule: "f"},
			40 * time.Millisecond},
		"dribble": {"- {name: f, then: {status: 500, body: '0123456789', connection: {dribble: {bytes: 2, every: 10ms}}}}\n",
			logLine{Status: 500, Fault: "f", Connection: "dribble", Rule: "f"}, 40 * time.Millisecond},
		"delays": {"- {name: f, then: {delay: 20ms}}\n- {name: g, phase: after, then: {delay: 15ms}}\n",
			logLine{Status: 200, Fault: "f,g", Delay: 35 * time.Millisecond}, 35 * time.Millisecond},
		"lost": {"- {name: f, phase: after, then: {connection: close}}\n", logLine{Fault: "f", Connection: "close"}, 0},
		"many": {strings.Repeat("- {then: {headers: {X-A: b}}}\n", 7),
			logLine{Status: 200, Fault: "fault-1,fault-2,fault-3,fault-4,fault-5 and 2 more"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, next := logged(t, test.faults)
			_, _ = listGroups.Try(b)
			line := next()
			x := b.Last()
			test.want.Client = "127.0.0.1"
			test.want.Msg, test.want.Operation, test.want.Exchange, test.want.Took = "request", "groups.list", x.ID, line.Took
			assert.Equal(t, test.want, line)
			assert.GreaterOrEqual(t, line.Took, test.least)
			assert.GreaterOrEqual(t, x.TookMicros, test.least.Microseconds(), "in the journal")
			if test.want.Fault == "" {
				assert.Nil(t, x.Fault)
			} else {
				assert.True(t, strings.HasPrefix(strings.Join(x.Fault.Fired, ","), strings.Split(line.Fault, " ")[0]))
				assert.Equal(t, line.Connection, x.Fault.Connection)
			}
		})
	}
}

// The line of a refused request has the rule and the code, as its answer has it. A fault that answers has its own code.
func TestTheLogShowsRefusals(t *testing.T) {
	t.Parallel()
	b, next := logged(t, "- {name: f, phase: after, operation: tokens.issue, then: {status: 500}}\n")
	for _, c := range []struct {
		call       simtest.Call
		rule, code string
	}{
		{listGroups.Without("transactionId"), "request-id-missing", "2000"},
		{issueTokens.WithBody("{"), "body-malformed", "CMN_90000"},
		{issueTokens, "", "CMN_90000"},
		{listGroups.At("/nowhere"), "path-unknown", "BANKSIM_UNKNOWN_PATH"},
	} {
		res := c.call.Send(b)
		line := next()
		assert.Equal(t, []string{c.rule, c.code, "127.0.0.1"}, []string{line.Rule, line.Code, line.Client}, c.call)
		assert.Equal(t, res.Code(), line.Code)
	}
}
