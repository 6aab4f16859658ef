package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// clocked is a simulator whose clocks a test looks at.
type clocked struct {
	t       *testing.T
	control string
}

// whileServing runs serve with more flags, and ends it when use returns.
func whileServing(t *testing.T, use func(clocked), flags ...string) {
	t.Run("serve", func(t *testing.T) {
		_, control := startSimulator(t, flags...)
		use(clocked{t, control})
	})
}

// call makes a call of the control API about sandboxes, and returns the answer.
func (c clocked) call(method, path, body string) (text []byte) {
	c.t.Helper()
	return callControl(c.t, http.DefaultClient, method, c.control+"/v1/sandboxes"+path, body)
}

// assertStartsAt fails the test unless the clock of a sandbox has just started at a time.
func (c clocked) assertStartsAt(start time.Time, sandbox string) {
	c.t.Helper()
	var clock struct{ Now time.Time }
	require.NoError(c.t, json.Unmarshal(c.call("GET", "/"+sandbox+"/clock", ""), &clock))
	assert.WithinDuration(c.t, start, clock.Now, time.Minute, sandbox)
}

// Without a clock.start in the scenario, clocks of serve start at the real time: at the start, at a reset, in new
// sandboxes and whatever the seed. A stored bank goes on from where its clock was, and a reset takes it to the real
// time.
func TestClockStartsNow(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	whileServing(t, func(c clocked) {
		c.assertStartsAt(time.Now(), "default")
		c.call("POST", "", `{"name": "mine"}`)
		c.assertStartsAt(time.Now(), "mine")
		c.call("POST", "", `{"name": "fixed", "scenarioYaml": "extends: base\nclock: {start: 2030-01-01T00:00:00Z}"}`)
		c.assertStartsAt(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), "fixed")
		c.call("POST", "/default/clock", `{"advance": "48h"}`)
	}, "--data", data)
	whileServing(t, func(c clocked) {
		c.assertStartsAt(time.Now().Add(48*time.Hour), "default")
		c.call("POST", "/default/reset", "")
		c.assertStartsAt(time.Now(), "default")
	}, "--data", data)
}

// With --clock-start, they start at that time. A scenario with a time, or with now, keeps it.
func TestClockStartsAtAGivenTime(t *testing.T) {
	t.Parallel()
	start := scenario.DefaultStart.Add(time.Hour)
	whileServing(t, func(c clocked) {
		c.call("POST", "/default/clock", `{"advance": "48h"}`)
		c.call("POST", "/default/reset", "")
		c.assertStartsAt(start, "default")
		c.call("POST", "", `{"name": "base", "scenarioYaml": "extends: base"}`)
		c.assertStartsAt(start, "base")
		c.call("POST", "", `{"name": "now", "scenarioYaml": "extends: base\nclock: {start: now}"}`)
		c.assertStartsAt(time.Now(), "now")
	}, "--clock-start", start.Format(time.RFC3339))
}
