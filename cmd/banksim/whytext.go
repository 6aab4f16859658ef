package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
)

// The measures of an explanation on a terminal (choice).
const (
	pageWidth    = 100 // columns
	maxBodyLines = 40
)

// explained returns an explanation as it is printed for people.
func explained(why explanation.Explanation) string {
	x := why.Exchange
	p := &page{}
	p.line(0, "%s", why.Title)
	p.line(0, "exchange %s of sandbox %s at %s, took %s", x.ID, x.Sandbox, x.At.UTC().Format(time.RFC3339), time.Duration(x.TookMicros)*time.Microsecond)
	p.section("Why")
	p.wrapped(2, why.Sentence)
	p.section("Request")
	p.line(2, "%s %s", x.Request.Method, x.Request.URL)
	p.headers(x.Request.Headers)
	p.body(x.Request.Body, x.Request.BodyBytes, x.Request.BodyTruncated)
	p.section("Answer")
	if x.Response.Status == 0 {
		p.line(2, "none was sent")
	} else {
		p.line(2, "%s", strings.TrimSpace(strconv.Itoa(x.Response.Status)+" "+http.StatusText(x.Response.Status)))
	}
	p.headers(x.Response.Headers)
	p.body(x.Response.Body, x.Response.BodyBytes, x.Response.BodyTruncated)
	p.section("Decision")
	p.decision(why)
	if len(why.Faults) > 0 {
		p.section("Faults")
		for _, f := range why.Faults {
			p.wrapped(2, f.Name+": "+f.Effect)
		}
	}
	if len(why.Lints) > 0 {
		p.section("Odd about the request")
		for _, l := range why.Lints {
			p.wrapped(2, l.Code+": "+l.Message)
		}
	}
	p.section("Ledger")
	for i, e := range why.Entries {
		if i > 0 {
			p.line(0, "")
		}
		p.entry(e)
	}
	return p.text.String()
}

// page is a text for a terminal.
type page struct{ text strings.Builder }

// line adds a line. What came from outside can't control the terminal.
func (p *page) line(indent int, format string, args ...any) {
	text := shown(fmt.Sprintf(format, args...))
	if text != "" {
		text = strings.Repeat(" ", indent) + text
	}
	p.text.WriteString(text + "\n")
}

func (p *page) section(name string) {
	p.line(0, "")
	p.line(0, "%s", name)
}

// wrapped adds a text in lines that fit the page.
func (p *page) wrapped(indent int, text string) {
	line := ""
	for _, word := range strings.Fields(shown(text)) {
		if line != "" && indent+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > pageWidth {
			p.line(indent, "%s", line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	p.line(indent, "%s", line)
}

func (p *page) headers(headers map[string][]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			p.line(2, "%s: %s", name, value)
		}
	}
}

// body adds a body, with JSON one member a line.
func (p *page) body(body string, size int, truncated bool) {
	if size == 0 {
		return
	}
	p.line(0, "")
	var indented bytes.Buffer
	if !truncated && json.Indent(&indented, []byte(body), "", "  ") == nil {
		body = indented.String()
	}
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	for _, line := range lines[:min(len(lines), maxBodyLines)] {
		p.line(2, "%s", line)
	}
	if more := len(lines) - maxBodyLines; more > 0 {
		p.line(2, "… %d more lines: --json has them", more)
	}
	if truncated {
		p.line(2, "… the journal keeps no more of its %d bytes", size)
	}
}

func (p *page) decision(why explanation.Explanation) {
	d := why.Exchange.Decision
	for _, fact := range [][2]string{
		{"outcome", d.Outcome}, {"rule", d.Rule}, {"row", d.Row}, {"message", d.Message}, {"basis", why.Basis.Name + ": " + why.Basis.About},
	} {
		if fact[1] != "" {
			p.wrapped(2, fact[0]+": "+fact[1])
		}
	}
}

func (p *page) entry(e explanation.CitedEntry) {
	p.wrapped(2, fmt.Sprintf("%s (%s: %s)", e.ID, e.Basis, e.Source))
	p.wrapped(4, e.Question)
	p.wrapped(4, e.Answer)
	if e.Switch == nil {
		return
	}
	p.wrapped(4, fmt.Sprintf("behavior.%s is %s", e.Switch.Key, valueShown(e.Switch.Value)))
	for _, a := range e.Switch.Alternatives {
		p.wrapped(4, fmt.Sprintf("behavior.%s: %s (%s): %s", e.Switch.Key, valueShown(a.Value), a.Basis, a.Answer))
	}
}

// valueShown returns the value of a switch, which may be empty.
func valueShown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// shown returns a text whose control characters, and those that change the direction of the text, are escaped.
func shown(text string) string {
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if isControl(c) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func isControl(c rune) bool { return c != ' ' && !strconv.IsGraphic(c) }
