package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// AxeVariable names the file axe.min.js of the npm package axe-core, which finds what keeps people from using a page.
const AxeVariable = "BANKSIM_AXE"

// NeedAxe skips a test where there is no axe-core, and fails it where there must be a browser.
func NeedAxe(t testing.TB) {
	t.Helper()
	if os.Getenv(AxeVariable) == "" {
		if os.Getenv(RequireVariable) != "" {
			require.Fail(t, AxeVariable+" must name axe.min.js of the npm package axe-core")
		}
		t.Skip("there is no axe-core: set " + AxeVariable + " to its file axe.min.js")
	}
}

// Accessible fails the test with what axe-core finds on the page as it is shown now.
func (tab *Tab) Accessible(what string) {
	tab.t.Helper()
	script, err := os.ReadFile(os.Getenv(AxeVariable))
	require.NoError(tab.t, err)
	tab.Eval("(() => { if (!window.axe) {"+string(script)+"}; return true })()", nil)
	var found []struct {
		ID    string
		Help  string
		Nodes []struct {
			HTML           string
			FailureSummary string
		}
	}
	tab.Eval("axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations)", &found)
	for _, violation := range found {
		var nodes strings.Builder
		for _, node := range violation.Nodes {
			fmt.Fprintf(&nodes, "%s\n%s\n", node.HTML, node.FailureSummary)
		}
		assert.Fail(tab.t, what+": "+violation.ID+": "+violation.Help, nodes.String())
	}
}
