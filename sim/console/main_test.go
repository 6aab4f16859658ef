package console_test

import (
	"strings"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/console"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { simtest.Main(m, closeBrowser) }

// open opens the console of a bank's simulator. The fragment is what follows # in the URL, such as /journal/{sandbox}.
func open(t testing.TB, b *simtest.Bank, fragment string) *browserTab {
	t.Helper()
	simtest.Night(t, "it needs Chromium")
	return openTab(t, at(b, fragment))
}

// at returns the URL of a page.
func at(b *simtest.Bank, fragment string) string {
	return b.Server.ControlURL() + console.Path + "#" + strings.ReplaceAll(fragment, "{sandbox}", b.Sandbox.Name())
}
