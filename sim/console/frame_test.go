package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

// With a control token, the console asks for it, and says where it is wrong. A link has it in the fragment, which the page
// takes out of the URL at once.
func TestToken(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{ControlToken: "let-me-in"})
	page := open(t, b, "/bank/default")
	page.Expect("401")
	page.See("needs its token")
	page.Fill("Control token", "wrong")
	page.Click("Enter")
	page.See("That is not the token")
	page.Fill("Control token", "let-me-in")
	page.Click("Enter")
	page.See("of sandbox default")
	page.Reload()
	page.See("of sandbox default")

	linked := open(t, b, "token=let-me-in")
	linked.See("2026-01-15")
	assert.False(t, strings.Contains(linked.Address(), "let-me-in"), "nobody sees the token over a shoulder: %s", linked.Address())

	other := open(t, b, "/bank/default")
	other.Expect("401")
	other.See("needs its token") // the token stays in its tab
}

// A link to a sandbox that was deleted says so.
func TestDeletedSandbox(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	page := open(t, b, "/bank/gone")
	page.Expect("404")
	page.See("There is no sandbox “gone”")
	page.Click("See all sandboxes")
	page.See("Sandboxes")
}

// The first thing that Tab reaches skips the menu. Then come the brand, the choice of the sandbox, the clock, the
// pages, and what is on the page.
func TestFocusOrder(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	page := open(t, b, "/sandboxes/default")
	page.See("All sandboxes")
	var order []string
	for range 14 {
		page.Press("Tab")
		var at string
		page.Eval(`((e) => (e.getAttribute("aria-label") || e.labels?.[0]?.firstElementChild?.innerText || e.labels?.[0]?.innerText || e.innerText).trim())(document.activeElement)`, &at)
		order = append(order, at)
	}
	assert.Equal(t, []string{
		"Skip to the page", "banksim", "Sandbox", "2026-01-15 09:00:00 frozen",
		"Overview", "Sandboxes", "Bank", "Journal", "Faults", "Coverage", "Scenario", "Contract", "New sandbox", "Filter by name or scenario",
	}, order)
	page.Reload()
	page.See("All sandboxes")
	page.Press("Tab")
	page.Press("Enter")
	page.Press("Tab")
	var at string
	page.Eval(`document.activeElement.innerText`, &at)
	assert.Equal(t, "New sandbox", at)
}

// transferred is how many bytes the browser received for a page.
const transferred = `performance.getEntriesByType("resource").reduce((sum, e) => sum + e.transferSize, 0)`

// The first page is small. How fast it is drawn depends on the machine, so that is only shown.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	b := simtest.Start(t, server.Config{})
	page := open(t, b, "")
	page.See("Point an app here")
	example(page, "demo-token")
	page.See("No rules.")
	var figures struct{ Drawn, Whole, Shifted, Size float64 }
	page.Eval(`new Promise((done) => {
		let shifted = 0;
		new PerformanceObserver((list) => {
			for (const e of list.getEntries()) shifted += e.value;
		}).observe({ type: "layout-shift", buffered: true });
		setTimeout(() => done({
			Drawn: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
			Whole: Math.max(...performance.getEntriesByType("resource").filter((e) => e.initiatorType !== "fetch").map((e) => e.responseEnd)),
			Shifted: shifted,
			Size: `+transferred+`,
		}), 50);
	})`, &figures)
	t.Logf("first drawn after %.0f ms, all modules there after %.0f ms, layout shift %.3f, %.0f bytes",
		figures.Drawn, figures.Whole, figures.Shifted, figures.Size)
	assert.Less(t, figures.Size, 250_000.0)
	assert.Less(t, figures.Shifted, 0.1, "what is drawn moves while the rest is loaded")
}

// The answers that poll are small, and the list of all sandboxes isn't among them.
func TestPolling(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	for i := range 300 {
		_, err := b.Sandboxes.Create(sandbox.Plan{Name: fmt.Sprintf("ci-%03d", i)})
		require.NoError(t, err)
	}
	page := open(t, b, "/sandboxes/default")
	page.See("The first 200 of 301 sandboxes.")
	b.Control(201, "POST /v1/sandboxes", `{"name":"one-more"}`)
	page.See("There are 302 now.")
	lists := regexp.MustCompile(`banksim_control_requests_total\{route="GET /v1/sandboxes",status="200"\} (\d+)`)
	assert.Equal(t, "2", lists.FindStringSubmatch(b.Control(200, "GET /metrics", "").Body)[1], "one for the page, and one for the menu")
	page.Click("Load again")
	page.See("The first 200 of 302 sandboxes.")
}
