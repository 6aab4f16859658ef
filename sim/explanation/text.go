package explanation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Control stands in texts for the base URL of the control API.
const Control = "$CONTROL"

// Text returns the cause and what matters beside it, in at most seven lines for a terminal.
func (why Explanation) Text() string {
	lines := why.head()
	lines = append(lines, inLine("fault ", 2, why.Faults, func(f Effect) string { return f.Name + ": " + f.Effect })...)
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
		x.ID, x.Sandbox, x.At.UTC().Format(time.RFC3339), time.Duration(x.TookMicros)*time.Microsecond)}
}

// onTerminal returns a text that can't control the terminal that shows it, whatever a caller sent.
func onTerminal(text string) string { return strings.ReplaceAll(Visible(text), "\r", `\r`) }

// FullText returns all that is known about the exchange, for a terminal.
func (why Explanation) FullText() string {
	x, page := why.Exchange, &strings.Builder{}
	page.WriteString(strings.Join(why.head(), "\n") + "\n")
	fmt.Fprintf(page, "\nWhy\n  %s\n", why.Sentence)
	fmt.Fprintf(page, "\nRequest\n  %s %s\n", x.Request.Method, x.Request.URL)
	writeMessage(page, x.Request.Headers, x.Request.Body, x.Request.BodyBytes, x.Request.BodyTruncated)
	status := "none was sent"
	if x.Response.Status != 0 {
		status = strings.TrimSpace(strconv.Itoa(x.Response.Status) + " " + http.StatusText(x.Response.Status))
	}
	fmt.Fprintf(page, "\nAnswer\n  %s\n", status)
	writeMessage(page, x.Response.Headers, x.Response.Body, x.Response.BodyBytes, x.Response.BodyTruncated)
	for _, f := range why.Faults {
		fmt.Fprintf(page, "\nFault\n  %s: %s\n", f.Name, f.Effect)
	}
	for _, l := range why.Lints {
		fmt.Fprintf(page, "\nLint\n  %s: %s\n", l.Code, l.Message)
	}
	for _, e := range why.Entries {
		fmt.Fprintf(page, "\nLedger entry %s\n  %s\n  %s\n  (%s: %s)\n", e.ID, e.Question, e.Answer, e.Basis, e.Source)
	}
	for _, f := range why.Fixes {
		fmt.Fprintf(page, "\nFix\n  %s\n", why.command(f))
	}
	return onTerminal(page.String())
}

// writeMessage writes the headers and the body of a request or an answer, with JSON one member a line.
func writeMessage(page io.Writer, headers journal.Header, body string, size int, truncated bool) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			fmt.Fprintf(page, "  %s: %s\n", name, value)
		}
	}
	if size == 0 {
		return
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(body), "", "  ") == nil {
		body = indented.String()
	}
	fmt.Fprintf(page, "\n  %s\n", strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", "\n  "))
	if truncated {
		fmt.Fprintf(page, "  … the journal keeps no more of its %d bytes\n", size)
	}
}
