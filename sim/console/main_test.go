package console_test

import (
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/console"
	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMain(m *testing.M) { simtest.Main(m, browser.Close) }

// open opens the console of a bank's simulator. The fragment is what follows # in the URL, such as /journal/default.
func open(t testing.TB, b *simtest.Bank, fragment string) *browser.Tab {
	t.Helper()
	simtest.Night(t, "it needs Chromium")
	return browser.Open(t, at(b, fragment))
}

// at returns the URL of a page.
func at(b *simtest.Bank, fragment string) string {
	return b.Server.ControlURL() + console.Path + "#" + fragment
}
