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

// A finding says how to reproduce its run, and a click on any other run does. So it is with the answers of an operation.
func TestReproductionIsAClickAway(t *testing.T) {
	t.Parallel()
	page := open(t, sample())
	page.See("go test ./signup -run 'TestSignUp/^groups\\.create#1/answer-lost-after-commit$'")
	page.See("- when: {operation: groups.create}")
	page.See(`{"groupName":"Night owls"}`)
	page.Gone("groups.create#2 500")
	page.Click("groups.create#2/500_2001 nothing happened; the app gave up; its run passed")
	page.See("groups.create#2 500")
	page.Gone("by a fault 2")
	page.Click("groups.create 60 % of the answers: 3 of 5 met, 1 only by a fault; connection failures: 1 of 4 met, 1 only by a fault")
	page.See("met: naturally 1, by a fault 2")
}

// Markup of an app becomes no element.
func TestHostilePage(t *testing.T) {
	t.Parallel()
	page := open(t, hostile())
	page.See("onerror=alert(1)")
	page.Await("document.querySelectorAll('img, script').length === 0", "no element to come of a text")
	page.Await("document.querySelectorAll('style').length === 1 && !document.querySelector('main').nextElementSibling", "the page to stay whole")
}

// axe-core finds nothing on the page, with and without something open, in light and dark colours. It never scrolls sideways.
func TestAccessible(t *testing.T) {
	t.Parallel()
	browser.NeedAxe(t)
	page := open(t, sample())
	for _, look := range []string{"closed", "open"} {
		if look == "open" {
			page.Eval("document.querySelectorAll('details').forEach((d) => { d.open = true })", nil)
		}
		for _, width := range []int64{1280, 400} {
			page.Size(width, 900)
			for _, dark := range []bool{false, true} {
				page.Dark(dark)
				what := fmt.Sprintf("%s, %d pixels, dark %t", look, width, dark)
				page.Accessible(what)
				var wide bool
				page.Eval("document.documentElement.scrollWidth > innerWidth", &wide)
				assert.False(t, wide, "%s: scrolls sideways", what)
				if *pictures != "" {
					page.Picture(filepath.Join(*pictures, fmt.Sprintf("%s-%d-%t.png", look, width, dark)))
				}
			}
		}
	}
}

// What is folded is printed.
func TestPrinted(t *testing.T) {
	t.Parallel()
	page := open(t, sample())
	page.Print()
	page.See("groups.name-taken")
	page.See("go test ./signup")
	page.See("groups.create#1 500")
}
