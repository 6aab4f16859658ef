package report

import (
	_ "embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/wording"
)

//go:embed report.txt
var textSource string

//go:embed page.html
var pageSource string

// functions are what both templates call.
func functions() map[string]any {
	return map[string]any{
		"metBy": metBy, "indented": indented, "joined": strings.Join, "label": label, "line": Line,
		"neverCalled": neverCalled, "firstOf": firstOf, "notAsked": notAskedOf, "notes": notes, "parts": parts,
		"plural": wording.Count, "pointLists": pointLists,
		"possible": possible, "reaction": reaction, "sameAs": sameAs, "severity": severity, "state": state,
		"story": Story, "summary": summary, "verdictCounts": verdictCounts, "worthALook": worthALook,
	}
}

// execute returns a part of the text report. Findings come last, where a terminal shows them.
func execute(name string, data any) string {
	t := template.Must(template.New("").Funcs(functions()).Parse(textSource))
	var out strings.Builder
	if err := t.ExecuteTemplate(&out, name, data); err != nil {
		panic(err) // the template doesn't fit the data
	}
	return clean(out.String())
}

// page returns the report as a page. It loads nothing and runs nothing.
func page(r Report) (string, error) {
	t := htmltemplate.Must(htmltemplate.New("page").Funcs(functions()).Parse(pageSource))
	var out strings.Builder
	if err := t.Execute(&out, r); err != nil {
		return "", fmt.Errorf("the report as a page: %w", err)
	}
	return clean(out.String()), nil
}

// clean replaces bytes of an app's text that are not UTF-8, and characters that turn the direction of the text. It
// replaces control characters because they move the cursor of a terminal and break XML.
func clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0xfffe, r == 0xffff:
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// Line returns an app's text on one line, without characters that move the cursor of a terminal.
func Line(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// indented indents all lines of a text but the first.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
