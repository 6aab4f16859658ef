package console_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is how long a tab waits for what it is told to see or to click (choice).
const patience = 15 * time.Second

// browserTab is a tab of Chromium that shows pages of one origin. It does what a person does: it clicks where a button
// is, types into a field that has a label, and waits until a text can be read. An error on the console or a request to
// another origin fails the test.
type browserTab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	faults   []string // errors on the console, violations of the policy, requests to other origins
	expected []string // parts of errors that the test brings about
	allowed  []string // beginnings of the URLs to which its pages may send requests
}

// openTab opens a page in a tab of its own, which is closed when the test ends.
func openTab(t testing.TB, address string) *browserTab {
	t.Helper()
	shared.once.Do(startBrowser)
	require.NoError(t, shared.err)
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	origin := parsed.Scheme + "://" + parsed.Host
	tab := &browserTab{t: t, allowed: []string{origin + "/", "blob:" + origin, "data:"}}
	ctx, cancel := chromedp.NewContext(shared.ctx, chromedp.WithListener(tab.notice))
	tab.ctx = ctx
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		assert.Empty(t, tab.faults, "what the browser complained about")
	})
	require.NoError(t, chromedp.Do(ctx)) // without a time limit, which would end the tab
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	go tab.listen(chromedp.Console(ctx))
	tab.Go(address)
	return tab
}

// Expect says that the test brings about errors on the console with a text, such as "401".
func (tab *browserTab) Expect(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.expected = append(tab.expected, text)
}

// listen notes the errors and warnings that the page writes on the console, until the tab is closed.
func (tab *browserTab) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for message, err := range messages {
		if err != nil {
			return
		}
		switch message.Type {
		case chromedp.ConsoleError, chromedp.ConsoleWarning, chromedp.ConsoleException:
			tab.mu.Lock()
			text := message.String() + " " + message.URL
			if !slices.ContainsFunc(tab.expected, func(part string) bool { return strings.Contains(text, part) }) {
				tab.faults = append(tab.faults, text)
			}
			tab.mu.Unlock()
		}
	}
}

// notice notes the requests of the page.
func (tab *browserTab) notice(event any) {
	sent, ok := event.(*network.EventRequestWillBeSent)
	if !ok {
		return
	}
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if !slices.ContainsFunc(
		tab.allowed, func(start string) bool { return strings.HasPrefix(sent.Request.URL, start) },
	) {
		tab.faults = append(tab.faults, "a request to another origin: "+sent.Request.URL)
	}
}

func (tab *browserTab) run(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, 2*patience)
	defer cancel()
	require.NoError(tab.t, chromedp.Do(ctx, steps...))
}

// call makes a call of the protocol of the browser's developer tools.
func call[P, R any](tab *browserTab, command cdp.Command[P, R], params P) R {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, 2*patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	require.NoError(tab.t, err)
	return result
}

// Go shows another address.
func (tab *browserTab) Go(address string) {
	tab.t.Helper()
	tab.run(chromedp.Navigate(address))
}

// Reload loads the page again.
func (tab *browserTab) Reload() {
	tab.t.Helper()
	tab.run(chromedp.Reload())
}

// Address returns the URL that is shown.
func (tab *browserTab) Address() string {
	tab.t.Helper()
	var at string
	tab.Eval("location.href", &at)
	return at
}

// Eval evaluates an expression, which may be a promise, and stores its value; nil: nowhere.
func (tab *browserTab) Eval(expression string, into any) {
	tab.t.Helper()
	yes := true
	params := runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes}
	result := call(tab, runtime.Evaluate, params)
	if result.ExceptionDetails != nil {
		require.NoError(tab.t, &chromedp.ExceptionError{ExceptionDetails: result.ExceptionDetails}, expression)
	}
	if into != nil {
		require.NoError(tab.t, json.Unmarshal(result.Result.Value, into), expression)
	}
}

// until waits until a condition holds. what describes that, for the failure.
func (tab *browserTab) until(what string, holds func() bool) {
	tab.t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			var text string
			tab.Eval("document.body.innerText", &text)
			require.Fail(tab.t, "waited for "+what, "at %s\n%s", tab.Address(), text)
		}
		time.Sleep(40 * time.Millisecond) // between two looks at a condition
	}
}

// Await waits until an expression is true. what describes that, for the failure.
func (tab *browserTab) Await(expression, what string) {
	tab.t.Helper()
	tab.until(what, func() (ok bool) {
		tab.Eval("Boolean("+expression+")", &ok)
		return ok
	})
}

// See waits until a text can be read on the page.
func (tab *browserTab) See(text string) {
	tab.t.Helper()
	tab.Await(fmt.Sprintf("document.body.innerText.includes(%s)", quote(text)), fmt.Sprintf("the text %q", text))
}

// Gone waits until a text can't be read on the page any more.
func (tab *browserTab) Gone(text string) {
	tab.t.Helper()
	tab.Await(fmt.Sprintf("!document.body.innerText.includes(%s)", quote(text)), fmt.Sprintf("the text %q to go", text))
}

// Text returns what can be read in the first element of a selector.
func (tab *browserTab) Text(selector string) string {
	tab.t.Helper()
	tab.Await(fmt.Sprintf("document.querySelector(%s)", quote(selector)), selector)
	var text string
	tab.Eval(fmt.Sprintf("document.querySelector(%s).innerText", quote(selector)), &text)
	return text
}

// Click clicks a button, a link, a checkbox or a summary by its text or label, once it is there, enabled and not
// covered. within, a selector, narrows the search.
func (tab *browserTab) Click(name string, within ...string) {
	tab.t.Helper()
	center := fmt.Sprintf(`((e) => {
		if (!e) return [];
		e.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
		const r = e.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2;
		const hit = document.elementFromPoint(x, y);
		return hit && (e.contains(hit) || hit.contains(e)) ? [x, y] : [];
	})(`+clickable+`)`, quote(strings.Join(within, "")), quote(name))
	var at []float64
	tab.until(fmt.Sprintf("%q to click", name), func() bool {
		before := at
		at = nil
		tab.Eval(center, &at)
		return len(at) == 2 && slices.Equal(before, at) // it no longer moves
	})
	tab.run(chromedp.MouseClickXY(at[0], at[1]))
}

// Number returns the value of an expression.
func (tab *browserTab) Number(expression string) (n float64) {
	tab.t.Helper()
	tab.Eval(expression, &n)
	return n
}

// inside is a JavaScript function that returns the visible elements of a selector within another selector, or "".
const inside = `((within, kinds) => [...document.querySelectorAll(kinds)]
	.filter((e) => e.offsetParent !== null && (!within || document.querySelector(within)?.contains(e))))`

// clickable finds what can be clicked by its name: exactly, or else by the beginning of what it says.
const clickable = `((within, name) => {
	const kinds = "a[href],button,summary,input[type=checkbox],input[type=radio],[role=button],[role=tab],[data-row]";
	const all = ` + inside + `(within, kinds).filter((e) => !e.disabled);
	const says = (e) => e.getAttribute("aria-label") || (e.labels?.length ? e.labels[0].innerText : e.innerText) || "";
	const text = (e) => says(e).trim().replace(/\s+/g, " ");
	return all.find((e) => text(e) === name) || all.find((e) => text(e).startsWith(name));
})(%s, %s)`

// labelled finds the control of a label: by the whole label, or by its text before a comma or a parenthesis, as in
// "Lifetime, such as 1h".
const labelled = `((name) => {
	const all = ` + inside + `("", "input,select,textarea");
	const around = (e) => [...e.labels[0].childNodes].filter((n) => !n.contains?.(e));
	const label = (e) => around(e).map((n) => n.textContent).join(" ");
	const says = (e) => e.getAttribute("aria-label") || (e.labels?.length ? label(e) : "");
	const text = (e) => says(e).trim().replace(/\s+/g, " ");
	const begins = (e) => text(e).startsWith(name + ",") || text(e).startsWith(name + " (");
	return all.find((e) => text(e) === name) || all.find(begins);
})(%s)`

// field waits for the field with a label, and returns it as an expression.
func (tab *browserTab) field(label string) string {
	tab.t.Helper()
	field := fmt.Sprintf(labelled, quote(label))
	tab.Await(field, fmt.Sprintf("the field %q", label))
	return field
}

// Fill types a text into the field with a label, in the place of what it has.
func (tab *browserTab) Fill(label, text string) {
	tab.t.Helper()
	tab.Await("((f) => f && (f.focus(), f.select(), true))("+fmt.Sprintf(labelled, quote(label))+")",
		fmt.Sprintf("the field %q", label))
	call(tab, input.InsertText, input.InsertTextParams{Text: text})
	if text == "" {
		tab.Press("Backspace")
	}
}

// Choose chooses the option of a select with a label, by its value or text.
func (tab *browserTab) Choose(label, option string) {
	tab.t.Helper()
	field := tab.field(label)
	choice := fmt.Sprintf("[...(%s).options].find((o) => [o.value, o.text].includes(%s))", field, quote(option))
	tab.Await(choice, fmt.Sprintf("the option %q of %q", option, label))
	tab.Eval(fmt.Sprintf(`((select, option) => {
		select.value = option.value;
		for (const kind of ["input", "change"]) select.dispatchEvent(new Event(kind, { bubbles: true }));
	})(%s, %s)`, field, choice), nil)
}

// Value returns the value of the field with a label.
func (tab *browserTab) Value(label string) string {
	tab.t.Helper()
	field := tab.field(label)
	var value string
	tab.Eval("("+field+").value", &value)
	return value
}

// keys are the keys that are no characters.
var keys = map[string]string{"Enter": kb.Enter, "Escape": kb.Escape, "Tab": kb.Tab, "Backspace": kb.Backspace}

// Press presses a key, such as "j", "Enter" or "Escape".
func (tab *browserTab) Press(key string) {
	tab.t.Helper()
	tab.run(chromedp.KeyEvent(cmp.Or(keys[key], key)))
}

// Dark switches to the dark colours of the system, or back to the light ones.
func (tab *browserTab) Dark(dark bool) {
	tab.t.Helper()
	scheme := emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"}
	if dark {
		scheme.Value = "dark"
	}
	call(
		tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&scheme}},
	)
}

// Size sets the size of the window, in CSS pixels.
func (tab *browserTab) Size(width, height int64) {
	tab.t.Helper()
	tab.run(chromedp.EmulateViewport(width, height))
}

// Picture writes a PNG of what is shown.
func (tab *browserTab) Picture(file string) {
	tab.t.Helper()
	picture := call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
	require.NoError(tab.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(tab.t, os.WriteFile(file, picture.Data, 0o644))
}

// Accessible fails the test with what axe-core finds on the page as it is shown now.
func (tab *browserTab) Accessible(what string) {
	tab.t.Helper()
	script, err := os.ReadFile(os.Getenv(AxeVariable))
	require.NoError(tab.t, err)
	tab.Eval("(() => { if (!window.axe) {"+string(script)+"}; return true })()", nil)
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	tab.Eval("axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations)", &found)
	assert.Empty(tab.t, found, what)
}

// quote returns a text as JavaScript.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return string(quoted)
}
