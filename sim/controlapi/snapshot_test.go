package controlapi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A snapshot restores the world, the random source and the virtual time, as often as one likes, also after a reset. So
// does the start. The journal and the other snapshots stay.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	simtest.CreateGroup.Send(b)
	state, clock := b.State(), get(b, "/clock")
	assert.Regexp(t, `^\{"name":"b","now":"2026-01-15T09:00:00Z","takenAt":"[^"]+Z"\}$`,
		b.ControlSandbox(201, "POST /snapshots", `{"name":"b"}`).Body)
	other := simtest.CreateGroup.WithBody(`{"groupName":"Other"}`)
	drawn := other.Send(b).Body
	b.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	b.ControlSandbox(201, "POST /snapshots", `{"name":"a"}`)
	assert.Regexp(
		t,
		`^\{"snapshots":\[\{"name":"a","now":"2026-01-15T10:00:00Z",[^}]*\},\{"name":"b",[^}]*\}\]\}$`,
		get(b, "/snapshots"),
	)

	b.ControlSandbox(204, "POST /snapshots/b/restore", "")
	assert.Equal(t, drawn, other.Send(b).Body, "the random source, too")
	b.ControlSandbox(204, "POST /reset", "")
	simtest.ListGroups.Send(b)
	b.ControlSandbox(204, "POST /snapshots/b/restore", "")
	b.ControlSandbox(204, "DELETE /snapshots/b", "")
	assert.NotContains(t, get(b, "/snapshots"), `"name":"b"`)
	b.ControlSandbox(404, "POST /snapshots/b/restore", "")
	assert.Equal(t, state, b.State())
	assert.Equal(t, clock, get(b, "/clock"))
	assert.Contains(t, get(b, "/journal"), `"exchanges":[{`, "the journal is not affected")

	for i := range 99 { // beside "a"
		_, err := b.Sandbox.Snapshot(t.Context(), fmt.Sprintf("s%d", i))
		require.NoError(t, err)
	}
	assert.Contains(t, b.ControlSandbox(429, "POST /snapshots", `{"name":"more"}`).Body, "at most 100")
	b.ControlSandbox(204, "POST /snapshots/start/restore", "")
	assert.Equal(t, `{"since":"start","changes":[]}`, get(b, "/diff?since=start"))
	assert.Equal(t, clock, get(b, "/clock"))
	assert.Contains(t, get(b, "/snapshots"), `"name":"a"`)
}

// A bank begins again, as its own scenario or as another one. The journal and the faults stay.
func TestBegin(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	start := b.State()
	b.ControlSandbox(201, "POST /faults", `{"operation": "jobs.get", "then": {"status": 500}}`)
	simtest.ListGroups.Send(b)
	b.ControlSandbox(204, "POST /begin", `{"scenario": "empty", "cors": ["*"], "seed": 7}`)
	assert.NotContains(t, b.State(), `"hostUserId":"1001"`)
	assert.Contains(t, b.ControlSandbox(200, "GET /faults", "").Body, "jobs.get")
	assert.Contains(t, b.ControlSandbox(200, "GET /journal", "").Body, `"id":"1"`)
	asked := simtest.ListGroups.With("Origin", "https://app.example").Send(b)
	assert.Equal(t, "*", asked.Header.Get("Access-Control-Allow-Origin"))
	b.ControlSandbox(204, "POST /begin", "")
	assert.JSONEq(t, start, b.State())
	drawn := func(seed string) string {
		b.ControlSandbox(204, "POST /begin", `{"seed": `+seed+`}`)
		return b.ControlSandbox(201, "POST /institutions/02688/groups", `{"groupName": "Owls"}`).Body
	}
	assert.Equal(t, drawn("8"), drawn("8"))
	assert.NotEqual(t, drawn("8"), drawn("9"))
	b.ControlSandbox(204, "POST /reset", "")
	assert.JSONEq(t, start, b.State())
	for body, status := range map[string]int{
		`{"cors": ["*"], "scenarioYaml": "x: 1"}`: 400,
		`{"cors": ["example"]}`:                   422,
	} {
		b.ControlSandbox(status, "POST /begin", body)
	}
}
