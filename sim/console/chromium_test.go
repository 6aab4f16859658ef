package console_test

import (
	"context"
	"os"
	"sync"

	"github.com/chromedp/chromedp"
)

// AxeVariable is a variable of the environment. It names the file axe.min.js of the npm package axe-core, a program
// that finds obstacles for people with disabilities.
const AxeVariable = "BANKSIM_AXE"

// shared is the browser of the test binary. It starts with the first tab.
var shared struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

func startBrowser() {
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.WindowSize(1280, 900),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("hide-scrollbars", true),
	)
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

// closeBrowser ends the browser of the test binary, if there is one.
func closeBrowser() {
	if shared.close != nil {
		shared.close()
	}
}
