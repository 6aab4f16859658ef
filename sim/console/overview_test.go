package console_test

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
	"github.com/digitalbanking-sim/banksim/sim/watch"
)

// example returns the example of the page, once it has a token.
func example(page *browser.Tab, token string) string {
	page.Await(`[...document.querySelectorAll(".to-copy code")].some((e) => e.innerText.includes("Bearer `+token+`"))`, "an example with the token "+token)
	var text string
	page.Eval(`[...document.querySelectorAll(".to-copy code")].at(-1).innerText`, &text)
	return text
}

// run runs a command as it would be pasted into a shell, and returns what it prints.
func run(t *testing.T, command string) string {
	t.Helper()
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", command+" --silent --show-error --noproxy '*'").CombinedOutput()
	require.NoError(t, err, "%s\n%s", command, out)
	return string(out)
}

// The lines to point an app here work as they are, for each token that the scenario gave, in each sandbox.
func TestPointAnAppHere(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	b.Control(201, "POST /v1/sandboxes", `{"name":"mine","scenarioYaml":"name: mine\nextends: retail"}`)
	for _, bank := range []*simtest.Bank{b, b.In("mine")} {
		page := open(t, b, "/overview/"+bank.Sandbox.Name())
		command := example(page, "demo-token")
		assert.Contains(t, command, "'"+bank.BaseURL()+"/")
		assert.Contains(t, run(t, command), `"groupName":"Early adopters"`)
		page.See(bank.BaseURL())

		page.Choose("Token", "second-token, for user 2001")
		run(t, example(page, "second-token"))
		journal := bank.ControlSandbox(200, "GET /journal", "").Body
		assert.Equal(t, 2, strings.Count(journal, `"outcome":"accepted"`), journal)
		assert.Equal(t, 2, strings.Count(journal, `"Authorization":["Bearer tok_`), journal)
		page.Click("Copy Example")
		page.See("Copied.")
	}
}

// A scenario without tokens has a client that can get one. After a reset the token isn't valid any more, and isn't shown.
func TestPointAnAppHereWithAMintedToken(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, "name: none\nextends: empty\n")
	page := open(t, b, "")
	page.See("The scenario gave no token")
	page.Click("Mint a token")
	command := example(page, "")
	assert.Contains(t, run(t, command), `"content":[]`)
	assert.Contains(t, b.ControlSandbox(200, "GET /journal", "").Body, `"Authorization":["Bearer tok_`)

	b.ControlSandbox(204, "POST /reset", "")
	page.See("The scenario gave no token") // with the next look at the sandbox
}

// The rules that fired show within a second or two.
func TestFiredFaults(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.WithFaults(`
  - {name: fails-once, operation: groups.create, when: {first: 1}, then: {status: 500}}
  - {name: slow, operation: groups.list, then: {delay: 20ms}}
  - {name: idle, operation: tokens.issue, then: {status: 500}}
`))
	page := open(t, b, "")
	page.See("None of 3 rules has fired yet.")
	require.Equal(t, 500, simtest.CreateGroup.Send(b).StatusCode)
	require.Equal(t, 200, simtest.CreateGroup.Send(b).StatusCode)
	require.Equal(t, 400, simtest.CreateGroup.Send(b).StatusCode)
	require.Equal(t, 200, simtest.ListGroups.Send(b).StatusCode)
	page.See("2 of 3 rules have fired.")
	assert.Contains(t, page.Text("section:has(#card-faults-of-this-sandbox) tbody"), "fails-once\tgroups.create\t3\t1")
}

// A change of the scenario's files that was refused shows with each problem at its place, until it is mended.
func TestRefusedReload(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank.yaml")
	write := func(content string) {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	}
	write("name: mine\nextends: base\n")
	sc, files, err := scenario.LoadFile(file)
	require.NoError(t, err)
	sandboxes := sandbox.NewRegistry(sandbox.Config{Scenario: sc})
	b := simtest.Start(t, server.Config{Sandboxes: sandboxes})
	watcher := watch.Start(t.Context(), watch.Config{
		File: file, Files: files, Sandboxes: sandboxes, Log: slog.New(slog.DiscardHandler), Poll: time.Millisecond,
	})
	defer watcher.Close()
	page := open(t, b, "")
	page.See("bank.yaml")
	page.Gone("were refused")

	write("name: mine\nextends: base\nsead: 1\nclock: {run: maybe}\n")
	page.See("The scenario's files have changed and were refused")
	page.See("bank.yaml:3:1")
	page.See("bank.yaml:4:14")
	page.See("did you mean \"seed\"?")
	page.Click("Faults", "nav")
	page.See("The scenario's files have problems")
	page.Click("overview", "main")

	write("name: mended\nextends: base\n")
	page.Gone("were refused")
	page.See("mended")
}

// Values of a scenario are text, whatever is in them.
func TestOverviewShowsMarkupAsText(t *testing.T) {
	t.Parallel()
	const markup = `"><img src=x onerror=alert(1)></script><script>alert(2)</script>`
	b := simtest.StartScenario(t, "name: "+simtest.JSON(markup)+`
extends: base
institutions:
  - institutionId: "02688"
    clients: [{sharedKey: `+simtest.JSON(markup)+`, secretKey: x}]
    users: [{hostUserId: `+simtest.JSON(markup)+`}]
    tokens: [{accessToken: bound, client: `+simtest.JSON(markup)+`, hostUserId: `+simtest.JSON(markup)+`}]
faults: [{name: slow, operation: groups.list, then: {delay: 1ms}}]
`)
	simtest.ListGroups.Send(b)
	page := open(t, b, "")
	page.See("1 of 1 rule has fired.")
	shown := func() {
		t.Helper()
		page.See(markup)
		var made int
		page.Eval(`document.querySelectorAll("#app img, #app script").length`, &made)
		assert.Zero(t, made)
	}
	shown()
	page.Go(at(b, "/sandboxes/default"))
	page.See("All sandboxes")
	shown()
	page.Expect("404")
	page.Go(at(b, "/overview/%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E%3C%2Fscript%3E%3Cscript%3Ealert(2)%3C%2Fscript%3E"))
	page.See("There is no sandbox")
	shown()
}

func lookAtOverview(t *testing.T) *browser.Tab {
	b := simtest.StartScenario(t, simtest.WithFaults(`
  - {name: slow-lists, operation: groups.list, when: {every: 4}, then: {delay: 30ms}}
  - {name: groups-are-lost, operation: groups.create, when: {every: 3}, phase: after, then: {connection: close}}
  - {name: no-tokens, operation: tokens.issue, then: {status: 500}}
`))
	page := open(t, b, "")
	page.Size(1200, 800)
	for range 6 {
		simtest.ListGroups.Send(b)
		_, _ = simtest.CreateGroup.Try(b) // the fault loses its answer, now and then
	}
	simtest.IssueTokens.Send(b)
	page.See("3 of 3 rules have fired.")
	example(page, "demo-token")
	return page
}
