package console_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/controlapi"
	"github.com/digitalbanking-sim/banksim/sim/infer"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// dropFile drops a file on the page Scenario.
func dropFile(page *browserTab, name, content string) {
	page.t.Helper()
	page.Await(`document.querySelector(".drop")`, "a place for files")
	page.Eval(`((name, content) => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([content], name));
		document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
	})(`+quote(name)+", "+quote(content)+")", nil)
}

// A capture that is dropped becomes a bank in the editor, with a report of what the bank answers otherwise. Then the
// sandbox starts from it.
func TestCapture(t *testing.T) {
	t.Parallel()
	inference := infer.Inference()
	inference.MaxBytes = 1 << 20
	b := simtest.Start(t, server.Config{Inference: inference})
	for range 2 {
		simtest.ListGroups.Send(b)
	}
	simtest.UpdateUser.Send(b)
	simtest.NewCall("GET", "/other", "").Send(b)
	har := b.ControlSandbox(200, "GET /journal.har", "").Body
	const count = `noOfParticipants\":41`
	last := strings.LastIndex(har, count+"2") + len(count)
	har = har[:last] + "3" + har[last+1:] // a contradiction

	page := open(t, b, "/scenario/default")
	page.Expect("422")
	page.Await(editorText+`.includes("extends: retail")`, "the editor")
	dropFile(page, "empty.har", "{}")
	page.See("the capture has no exchanges")
	dropFile(page, "large.har", strings.Repeat(" ", 3<<19))
	page.See("large.har has 1.5 MiB, and a capture may have 1.")

	dropFile(page, "session.har", har)
	page.See("Nothing is applied yet")
	page.See("You have edits that are not applied")
	inEditor(page, "cm-line", "name: session")
	inEditor(page, "cm-line", "demo-token-1")
	page.See("Not requests of the interface: GET /other.")
	assert.Contains(t, page.Text(".drop ~ .scroll tbody"), "GET "+simtest.GroupsPath)
	page.Click("Answer requests to other paths by stubs")
	page.See("and 1 stub")
	inEditor(page, "cm-line", "/other")
	examine(t, page, "capture")

	page.Click("Apply")
	page.Click("Apply, reset, and follow test.yaml no more?")
	page.See("The scenario was applied")
	page.Gone("You have edits that are not applied")
	assert.Equal(t, 204, simtest.UpdateUser.WithToken("demo-token-1").Send(b).StatusCode)
	assert.Equal(t, 401, simtest.UpdateUser.Send(b).StatusCode, "the bank has only what the capture had")
}

// The recording of a page of another origin, by Chromium 148: the first calls of the README, around them what an app
// does, and preflights. The bank behind it answers like the recorded one.
func TestCaptureOfChromium(t *testing.T) {
	t.Parallel()
	har, err := os.ReadFile("testdata/chromium.har")
	require.NoError(t, err)
	b := simtest.Start(t, server.Config{Inference: infer.Inference()})
	found := simtest.Decode[controlapi.Inferred](t, b.Control(200, "POST /v1/infer?name=again", string(har)))
	assert.Empty(t, found.Unexplained)
	assert.Equal(t, 13, found.Agree)
	assert.NotRegexp(t, "(?i)real", found.YAML, "secrets and names stay in the capture")
	assert.Contains(t, found.YAML, "origins:", "the page may read the answers")
	b.Control(201, "POST /v1/sandboxes", simtest.JSON(map[string]string{"scenarioYaml": found.YAML}))
}

// While the bank is being found, a line says so. Stop ends the search, and another file can be chosen.
func TestStopCapture(t *testing.T) {
	t.Parallel()
	stopped := make(chan error, 1)
	wait := func(ctx context.Context, _ []byte, _ string, _ bool, _ []string) (controlapi.Inferred, error) {
		<-ctx.Done()
		stopped <- ctx.Err()
		return controlapi.Inferred{}, ctx.Err()
	}
	b := simtest.Start(t, server.Config{Inference: controlapi.Inference{MaxBytes: 1 << 20, Find: wait}})
	page := open(t, b, "/scenario/default")
	dropFile(page, "session.har", "{}")
	page.See("Finding the bank behind session.har…")
	page.Click("Stop")
	page.Gone("Finding the bank")
	assert.ErrorIs(t, <-stopped, context.Canceled)
	page.Await(`!document.querySelector(".drop input").disabled`, "another file")
	page.Await(`!document.querySelector(".problem")`, "no error")
}
