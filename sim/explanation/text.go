package explanation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Control stands in texts for the base URL of the control API.
const Control = "$CONTROL"

// Text returns the cause and what matters beside it, in at most seven lines for a terminal.
func (why Explanation) Text() string {
	lines := why.head()
	lines = append(lines, inLine("fault ", 2, why.Faults, Effect.String)...)
	lines = append(lines, inLine("fix: ", 1, why.Fixes, why.command)...)
	lines = append(lines, inLine("lint: ", 2, why.Lints, func(l journal.Lint) string { return l.Message })...)
	if len(why.Entries) > 0 {
		lines = append(lines, "ledger: "+why.Entries[0].ID+" ("+why.Entries[0].Basis+")")
	}
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return onTerminal(strings.Join(lines, "\n") + "\n")
}

// inLine returns a line with the first values of a list, or no line for an empty list.
func inLine[T any](prefix string, limit int, list []T, say func(T) string) []string {
	if len(list) == 0 {
		return nil
	}
	for i, value := range list[:min(limit, len(list))] {
		if i > 0 {
			prefix += "; "
		}
		prefix += say(value)
	}
	if more := len(list) - limit; more > 0 {
		prefix += fmt.Sprintf("; and %d more", more)
	}
	return []string{prefix}
}

// command returns what a fix does, and how.
func (why Explanation) command(f Fix) string { return f.Label + ": " + f.curl(why.Exchange.Sandbox) }

// head returns the lines that say why, what, when and how long.
func (why Explanation) head() []string {
	x := why.Exchange
	return []string{why.Cause, why.Title, fmt.Sprintf("exchange %s of sandbox %s at %s, took %s",
		x.ID, x.Sandbox, moment(x.At), time.Duration(x.TookMicros)*time.Microsecond)}
}

// onTerminal returns a text that can't control the terminal that shows it, whatever a caller sent.
func onTerminal(text string) string { return strings.ReplaceAll(visible(text), "\r", `\r`) }

// FullText returns all that is known about the exchange, for a terminal.
func (why Explanation) FullText() string {
	x, page, status := why.Exchange, &fullPage{}, "none was sent"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(strconv.Itoa(x.Response.Status) + " " + http.StatusText(x.Response.Status))
	}
	page.lines("", why.head())
	page.section("Why", why.Sentence)
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
		page.section("Ledger entry "+e.ID, e.Question, e.Answer, "("+e.Basis+": "+e.Source+")")
	}
	for _, f := range why.Fixes {
		page.section("Fix", why.command(f))
	}
	return onTerminal(page.String())
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
