package report_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/browser"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

var pictures = flag.String("pictures", "", "a folder for pictures of the page")

func TestMain(m *testing.M) { simtest.Main(m, browser.Close) }

// open shows the page of a report in a browser, which fails the test if anything in it is against its own policy, or runs.
func open(t *testing.T, r report.Report) *browser.Tab {
	t.Helper()
	browser.Need(t)
	page := write(t, r, "html")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	return browser.Open(t, server.URL+"/")
}

// A click on a cell shows how to reproduce its run, Escape closes it, and so does the button.
func TestReproductionIsAClickAway(t *testing.T) {
	t.Parallel()
	page := open(t, sample())
	page.Gone("go test ./signup")
	page.Click("2× twice retried, new id groups.create#1/answer-lost-after-commit; 2 findings")
	page.See("go test ./signup -run 'TestSignUp/^groups\\.create#1/answer-lost-after-commit$'")
	page.See("testkit.Reset()")
	page.See("- when: {operation: groups.create}")
	page.See(`{"groupName":"Night owls"}`)
	page.Press("Escape")
	page.Gone("go test ./signup")
	page.Click("See the run, and how to reproduce it")
	page.See("go test ./signup")
	page.Click("Close", ":popover-open")
	page.Gone("go test ./signup")
	page.Click("groups.create", "main")
	page.See("group-name-too-long")
	page.See("met once, and twice by a fault")
}

// Markup of an app becomes no element.
func TestHostilePage(t *testing.T) {
	t.Parallel()
	page := open(t, hostile())
	page.See("onerror=alert(1)")
	page.Await("document.querySelectorAll('img, script').length === 0", "no element to come of a text")
	page.Await("document.querySelectorAll('style').length === 1 && document.querySelector('main').nextElementSibling.className.startsWith('drawer')", "the page to stay whole")
}

// axe-core finds nothing on the page, with and without something open, in light and dark colours. It never scrolls sideways.
func TestAccessible(t *testing.T) {
	t.Parallel()
	browser.NeedAxe(t)
	page := open(t, sample())
	for _, look := range []struct{ name, opened string }{
		{"page", ""}, {"run", "2× twice retried, new id groups.create#1/answer-lost-after-commit; 2 findings"}, {"operation", "groups.create"},
	} {
		for _, width := range []int64{1280, 400} {
			page.Size(width, 900)
			if look.opened != "" {
				page.Click(look.opened, "main")
			}
			for _, dark := range []bool{false, true} {
				page.Dark(dark)
				what := fmt.Sprintf("%s, %d pixels, dark %t", look.name, width, dark)
				page.Accessible(what)
				var wide bool
				page.Eval("document.documentElement.scrollWidth > innerWidth", &wide)
				assert.False(t, wide, "%s: scrolls sideways", what)
				if *pictures != "" {
					page.Picture(filepath.Join(*pictures, fmt.Sprintf("%s-%d-%t.png", look.name, width, dark)))
				}
			}
			page.Press("Escape")
		}
	}
}

// What is folded is printed, and so are the runs with findings, but not each of the others.
func TestPrinted(t *testing.T) {
	t.Parallel()
	page := open(t, sample())
	page.Print()
	page.See("groups.name-taken")
	page.See("go test ./signup")
	page.See("met once, and twice by a fault")
	page.Gone("groups.create#1 500")
}
