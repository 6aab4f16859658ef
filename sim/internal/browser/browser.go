// Package browser drives a real browser for tests, with Chromium and chromedp. A tab does what a person does: it clicks
// where a button is, types into a field that has a label, and waits until a text can be read. It fails the test that ends
// with an error on the console, with a violation of the content security policy, or with a request to another origin, unless the
// test says that it brings these about.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// RequireVariable is the variable that makes tests fail, instead of being skipped, where there is no browser.
const RequireVariable = "BANKSIM_REQUIRE_BROWSER"

// names are what Chromium is called. Chrome does as well.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// shared is the browser of the test binary. It starts with the first tab.
var shared struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

// Need skips a test where there is no browser, and fails it where there must be one.
func Need(t testing.TB) {
	t.Helper()
	if _, err := find(); err != nil {
		if os.Getenv(RequireVariable) != "" {
			require.NoError(t, err, RequireVariable)
		}
		t.Skip(err)
	}
}

func find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no browser: install chromium")
}

func start() {
	path, err := find()
	if err != nil {
		shared.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true))
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
