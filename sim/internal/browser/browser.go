// Package browser drives a real browser for tests, with Chromium and chromedp. A tab does what a person does: it clicks
// where a button is, types into a field that has a label, and waits until a text can be read. It fails the test that ends
// with an error on the console, with a violation of the content security policy, or with a request to another origin, unless the
// test says that it brings these about.
package browser

import (
	"context"
	"os"
	"sync"

	"github.com/chromedp/chromedp"
)

// AxeVariable is a variable of the environment: it names the file axe.min.js of the npm package axe-core, which finds what keeps
// people from using a page.
const AxeVariable = "BANKSIM_AXE"

// shared is the browser of the test binary. It starts with the first tab.
var shared struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

func start() {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WindowSize(1280, 900),
		chromedp.ExecPath("chromium"), chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root can't have
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	shared.ctx = ctx
	shared.close = func() {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended
		end()
		endAllocator()
	}
	shared.err = chromedp.Do(ctx)
}

// Close ends the browser of the test binary, if there is one.
func Close() {
	if shared.close != nil {
		shared.close()
	}
}
