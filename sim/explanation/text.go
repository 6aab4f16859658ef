package explanation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Control stands in texts for the base URL of the control API.
const Control = "$CONTROL"

// Text returns the cause and what matters beside it, in at most seven lines for a terminal. It says nothing twice.
// If the control API is guarded, the commands send its token.
func (why Explanation) Text(guarded bool) string {
	var faults, fixes, lints, ledger []string
	for _, f := range why.Faults {
		if !strings.Contains(why.Cause, f.Effect) {
			faults = append(faults, f.String())
		}
	}
	for _, f := range why.Fixes {
		fixes = append(fixes, why.command(f, guarded))
	}
	for _, l := range why.Lints {
		if !strings.Contains(why.Cause, l.Message) {
			lints = append(lints, l.Message)
		}
	}
	for _, e := range why.Entries[:min(1, len(why.Entries))] { // the one that decided
		ledger = []string{e.ID + " (" + e.Basis + ")"}
	}
	text := strings.Builder{}
	for _, line := range slices.Concat(why.head(), inLine("fault ", faults, 2), inLine("fix: ", fixes, 1),
		inLine("lint: ", lints, 2), inLine("ledger: ", ledger, 1)) {
		text.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return onTerminal(text.String())
}

// inLine returns a line with the first texts of a list, or no line for an empty list.
func inLine(label string, texts []string, limit int) []string {
	if len(texts) == 0 {
		return nil
	}
	line := label + strings.Join(texts[:min(limit, len(texts))], "; ")
	if more := len(texts) - limit; more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return []string{line}
}

// command returns what a fix does, and how.
func (why Explanation) command(f Fix, guarded bool) string {
	return f.Label + ": " + f.curl(why.Exchange.Sandbox, guarded)
}

// head returns the lines that say why, what, when and how long.
func (why Explanation) head() []string {
	x := why.Exchange
	return []string{why.Cause, why.Title, fmt.Sprintf("exchange %s of sandbox %s at %s, took %s",
		x.ID, x.Sandbox, rfc3339(x.At), time.Duration(x.TookMicros)*time.Microsecond)}
}

// onTerminal returns a text that can't control the terminal that shows it, whatever a caller sent.
func onTerminal(text string) string { return strings.ReplaceAll(visible(text), "\r", `\r`) }

// FullText returns all that is known about the exchange, for a terminal. guarded is as in Text.
func (why Explanation) FullText(guarded bool) string {
	x, page, status := why.Exchange, &fullPage{}, "none was sent"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(strconv.Itoa(x.Response.Status) + " " + http.StatusText(x.Response.Status))
	}
	page.lines("", why.head())
	page.section("Decision", why.decision()...)
	page.section("Request", x.Request.Method+" "+x.Request.URL)
	page.message(x.Request.Headers, x.Request.Body, x.Request.BodyBytes, x.Request.BodyTruncated)
	page.section("Answer", status)
	page.message(x.Response.Headers, x.Response.Body, x.Response.BodyBytes, x.Response.BodyTruncated)
	for _, f := range why.Faults {
		page.section("Fault", f.String())
	}
	for _, l := range why.Lints {
		page.section("Lint", l.Code+": "+l.Message)
	}
	for _, e := range why.Entries {
		page.section("Ledger entry "+e.ID, e.lines()...)
	}
	for _, f := range why.Fixes {
		page.section("Fix", why.command(f, guarded))
	}
	return onTerminal(page.String())
}

// decision returns what the bank decided, also where a fault answered in its place.
func (why Explanation) decision() []string {
	x, code := why.Exchange, bankCode(why.Exchange)
	lines, own := []string{x.Decision.Outcome}, withCode(bankStatus(x), code)
	switch {
	case x.Decision.Outcome == journal.Faulted || x.Decision.Outcome == journal.Stubbed: // the bank decided nothing
	case x.Fault != nil && x.Fault.BankStatus != 0:
		lines = append(lines, "without the fault: "+own)
	default:
		lines[0] += " with " + own
	}
	if contract.OwnCode(code) {
		lines = append(lines, "The code is the simulator's own: the real service doesn't have it.")
	}
	if x.Decision.Outcome == journal.Refused && x.Fault != nil && x.Fault.Undocumented { // else the cause says it
		lines = append(lines, undocumented(x))
	}
	if x.Decision.Rule != "" {
		lines = append(lines, "rule "+x.Decision.Rule)
	}
	if x.Decision.Row != "" {
		lines = append(lines, "row "+x.Decision.Row)
	}
	return lines
}

// lines returns the entry, with the value of its switch and the other values.
func (e CitedEntry) lines() []string {
	lines := []string{e.Question, e.Answer, "(" + e.Basis + ": " + e.Source + ")"}
	if e.Switch == nil {
		return lines
	}
	setting := func(value string) string { return "behavior." + e.Switch.Key + ": " + cmp.Or(value, `""`) }
	selected := setting(e.Switch.Value)
	if e.Switch.Value != e.Switch.Default {
		selected += " (by default " + cmp.Or(e.Switch.Default, `""`) + ")"
	}
	lines = append(lines, selected)
	for _, a := range e.Switch.Alternatives {
		lines = append(lines, setting(a.Value)+" instead: "+a.Answer)
	}
	return lines
}

// fullPage is a text of sections. Whatever a caller sent, it makes no line but in a body.
type fullPage struct{ strings.Builder }

func (page *fullPage) lines(indent string, lines []string) {
	for _, line := range lines {
		page.WriteString(indent + wording.Line(line) + "\n")
	}
}

func (page *fullPage) section(title string, lines ...string) {
	page.lines("", []string{"", title})
	page.lines("  ", lines)
}

// message writes the headers and the body of a request or an answer, with JSON one member a line.
func (page *fullPage) message(headers journal.Header, body string, size int, truncated bool) {
	for name, value := range headers.All() {
		page.lines("  ", []string{name + ": " + value})
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(body), "", "  ") == nil {
		body = indented.String()
	}
	if size > 0 {
		fmt.Fprintf(page, "\n  %s\n", strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", "\n  "))
	}
	if truncated {
		fmt.Fprintf(page, "  … the journal keeps no more of its %d bytes\n", size)
	}
}
