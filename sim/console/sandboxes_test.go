package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// sandboxInfo returns what the control API says of a sandbox.
func sandboxInfo(t *testing.T, b *simtest.Bank, name string) api.Sandbox {
	t.Helper()
	return simtest.Decode[api.Sandbox](t, b.Control(200, "GET /v1/sandboxes/"+name, ""))
}

// names returns the names of the sandboxes that the page lists, each with its depth in the tree.
func names(page *browser.Tab) []string {
	var listed []string
	page.Eval(`[...document.querySelectorAll(".sandboxes tbody tr")].map((row) => Math.round(parseFloat(row.cells[0].style.paddingLeft) / 1.1) + row.querySelector("a").innerText)`, &listed)
	return listed
}

func TestCreateSandboxes(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	page := open(t, b, "/sandboxes/default")
	page.Click("New sandbox")
	page.Fill("Name", "mine")
	page.Choose("Scenario", "empty")
	page.See("One institution with one registered client")
	page.Fill("Seed", "18446744073709551615")
	page.Fill("Lifetime", "2h")
	page.Click("Create")
	page.See("Created the sandbox mine.")
	page.See("Sandbox mine")
	assert.Contains(t, page.Address(), "#/sandboxes/mine")
	made := sandboxInfo(t, b, "mine")
	assert.Equal(t, "empty", made.Scenario)
	assert.Equal(t, uint64(1<<64-1), made.Seed)
	require.NotNil(t, made.ExpiresAt)
	assert.InDelta(t, 2, made.ExpiresAt.Sub(made.CreatedAt).Hours(), 0.001)

	// What the control API refuses shows in the form, with all problems, and what was typed stays.
	page.Expect("409")
	page.Expect("422")
	page.Click("New sandbox")
	page.Fill("Name", "mine")
	page.Click("Create")
	page.See("a sandbox of this name exists")
	page.Fill("Name", "yours")
	page.Choose("Scenario", "written here, as YAML")
	page.Fill("YAML of the scenario", "extends: base\nsead: 1\nclock: {run: 1}\n")
	page.Click("Create")
	page.See("did you mean \"seed\"?")
	page.See("scenario.yaml:3:14")
	assert.Equal(t, "yours", page.Value("Name"))
	page.Fill("YAML of the scenario", "name: written\nextends: base\n")
	page.Click("Create")
	page.See("Created the sandbox yours.")
	assert.Equal(t, "written", sandboxInfo(t, b, "yours").Scenario)
	page.Gone("YAML of the scenario")
	page.See("3 sandboxes.")
	assert.Equal(t, []string{"0default", "0mine", "0yours"}, names(page))
}

// A fork stands below what it was forked from. A reset and a deletion ask once more.
func TestForkResetDelete(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	page := open(t, b, "/sandboxes/default")
	simtest.CreateGroup.Send(b)
	page.Fill("Name of a fork", "child")
	page.Click("Fork")
	page.See("Forked default as child.")
	page.See("Sandbox child")
	page.Click("Fork")
	page.See("Forked child as sandbox-1.")
	assert.Contains(t, get(b.In("sandbox-1"), "/state"), "Night owls")
	b.ControlSandbox(201, "POST /fork", `{"name":"earlier","before":"1"}`)
	page.Reload()
	page.See("before exchange 1")
	assert.Equal(t, []string{"0default", "1child", "2sandbox-1", "1earlier"}, names(page))

	page.Click("child", ".sandboxes")
	page.See("Sandbox child")
	child := b.In("child")
	simtest.CreateGroup.WithBody(`{"groupName":"Later"}`).Send(child)
	page.Click("Reset")
	page.See("Reset: lose changes")
	assert.Contains(t, get(child, "/state"), "Later", "the first click only asks")
	page.Click("Reset: lose changes")
	page.See("Reset child.")
	assert.NotContains(t, get(child, "/state"), "Later")
	page.Await(`document.querySelector(".sandboxes .chosen")?.innerText.includes("by 127.0.0.1")`, "who reset it, in the list")

	page.Click("Delete")
	page.Click("Delete with all it holds?")
	page.See("Deleted child.")
	page.See("Sandbox default")
	b.Control(404, "GET /v1/sandboxes/child", "")
	page.Await(`!document.querySelector(".sandboxes").innerText.includes("child\t")`, "the row to go")
	assert.Equal(t, []string{"0default", "1earlier", "0sandbox-1"}, names(page), "a fork of what is gone is at the top")
	page.See("fork of child, which is not listed")
	page.Await(`![...document.querySelectorAll("aside button")].some((e) => e.innerText === "Delete")`, "no button to delete the default sandbox")
}

func TestSnapshotsByHand(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	page := open(t, b, "/sandboxes/default")
	page.See("A snapshot keeps the bank as it is now")
	page.Fill("Name of a new snapshot", "before")
	page.Click("Take a snapshot")
	page.See("Took the snapshot before.")
	page.See("2026-01-15 09:00:00")
	simtest.CreateGroup.Send(b)
	b.ControlSandbox(200, "POST /clock", `{"advance":"1h"}`)
	page.Click("Changes since")
	page.See("1 row differs.")
	page.See("Night owls")
	page.Eval("history.back()", nil)
	page.Click("Restore before")
	page.Click("Lose what has changed since?")
	page.See("Restored before.")
	assert.NotContains(t, get(b, "/state"), "Night owls")
	assert.Contains(t, get(b, "/clock"), "09:00:00Z")

	page.Expect("409")
	page.Fill("Name of a new snapshot", "before")
	page.Click("Take a snapshot")
	page.See("a snapshot of this name exists")
	page.Click("Delete before")
	page.Click("Delete the snapshot?")
	page.See("Deleted the snapshot before.")
	assert.Contains(t, get(b, "/snapshots"), `"snapshots":[]`)
}

// The clock is moved by buttons and by what is typed. The frame shows the new time at once.
func TestMoveTheClock(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	page := open(t, b, "/sandboxes/default")
	page.See("frozen")
	shows := func(now string) {
		t.Helper()
		for _, at := range []string{".now", ".big-time"} {
			page.Await(`document.querySelector("`+at+`")?.innerText.includes("`+now+`")`, at+" to show "+now)
		}
	}
	page.Click("+1 minute")
	shows("2026-01-15 09:01:00")
	page.Click("+1 hour")
	shows("2026-01-15 10:01:00")
	page.Click("+1 day")
	shows("2026-01-16 10:01:00")
	page.Fill("Advance by", "-90m")
	page.Click("Advance")
	shows("2026-01-16 08:31:00")
	for typed, now := range map[string]string{
		"2027-02-28": "2027-02-28 00:00:00", "2027-02-28 23:59": "2027-02-28 23:59:00", "2027-02-28T23:59:30+01:00": "2027-02-28 22:59:30",
	} {
		page.Fill("Set to, UTC", typed)
		page.Click("Set")
		shows(now)
	}
	page.Expect("400")
	page.Fill("Set to, UTC", "tomorrow")
	page.Click("Set")
	page.Await(`document.querySelector("aside .problem")`, "why it was refused")
	page.Click("Let it run")
	page.See("running")
	assert.Contains(t, get(b, "/clock"), `"running":true`)
	page.Click("Freeze")
	page.See("frozen")
	assert.Contains(t, get(b, "/clock"), `"running":false`)
}

// Of very many sandboxes, some are shown; the filter asks the simulator. The menu lists some, too. The filter is in
// the URL.
func TestManySandboxes(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for i := range 450 {
		_, err := b.Sandboxes.Create(sandbox.Plan{Name: fmt.Sprintf("ci-%03d", i)})
		require.NoError(t, err)
	}
	page := open(t, b, "/sandboxes/default")
	page.See("The first 200 of 451 sandboxes.")
	page.Click("Show 200 more")
	page.See("The first 400 of 451 sandboxes.")
	page.Click("Show 51 more")
	page.See("451 sandboxes.")
	assert.Len(t, names(page), 451)

	page.Fill("Filter by name or scenario", "ci-44")
	page.See("10 sandboxes.")
	assert.Contains(t, page.Address(), "text=ci-44")
	page.Click("ci-441")
	page.See("Sandbox ci-441")
	assert.Contains(t, page.Address(), "#/sandboxes/ci-441?text=ci-44")
	assert.Equal(t, "ci-441", page.Value("Sandbox"))
	var options int
	page.Eval(`document.querySelectorAll(".picker option").length`, &options)
	assert.Equal(t, 201, options, "some, and the one that is shown")

	other := open(t, b, "/sandboxes/default?text=nothing+like+it")
	other.See("No name and no scenario has this text.")
}

func lookAtSandboxes(t *testing.T) *browser.Tab {
	b := simtest.StartScenario(t, "name: retail\nextends: retail\n")
	for _, plan := range []string{`{"name":"android","ttl":"8h"}`, `{"name":"checkout-tests","scenario":"crowd","seed":42}`, `{"name":"ios","ttl":"8h"}`} {
		b.Control(201, "POST /v1/sandboxes", plan)
	}
	ios := b.In("ios")
	simtest.CreateGroup.Send(ios)
	ios.ControlSandbox(201, "POST /fork", `{"name":"ios-before-the-group","before":"1"}`)
	ios.ControlSandbox(201, "POST /fork", `{"name":"ios-with-the-group"}`)
	ios.ControlSandbox(204, "POST /reset", "")
	ios.ControlSandbox(201, "POST /snapshots", `{"name":"all-signed-up"}`)
	page := open(t, b, "/sandboxes/ios")
	page.Size(1200, 800)
	page.See("all-signed-up")
	page.See("ios-with-the-group")
	page.Await(`document.querySelector(".big-time")`, "the clock")
	return page
}
