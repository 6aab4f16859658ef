package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// width is that of the text, in characters. What people have named and said may be longer.
const width = 100

// textReport is a report for the terminal in the making.
type textReport struct{ strings.Builder }

func (t *textReport) line(format string, values ...any) { fmt.Fprintf(t, format+"\n", values...) }

// writeText writes the report for the terminal. Findings come last, where they are still seen.
func writeText(w io.Writer, r Report) error {
	t := &textReport{}
	if r.Coverage != nil {
		t.coverage(r)
	}
	for _, e := range r.Explorations {
		if t.Len() > 0 {
			t.line("")
		}
		t.exploration(e)
	}
	_, err := io.WriteString(w, clean(t.String()))
	return err
}

func (t *textReport) coverage(r Report) {
	c := r.Coverage
	operations := counted(c)
	if len(operations) == 0 {
		t.line("Coverage: no operation was called, in %s.", plural(c.Runs, "run"))
		return
	}
	t.line("Coverage: of the answers of %s, %s. %s.", plural(len(operations), "operation"), summary(c.Total), plural(c.Runs, "run"))
	if shortfall := r.Shortfall(); shortfall != "" {
		t.line("That is not enough: %s.", shortfall)
	}
	longest := len("operation")
	for _, o := range operations {
		longest = max(longest, utf8.RuneCountInString(o.Operation))
	}
	const columns = "%-*s  %-33s  %-33s  %s"
	t.line("\n"+columns, longest, "operation", "answers", "refusals of mistaken requests", "connection failures")
	for _, o := range operations {
		t.line(columns, longest, Line(o.Operation), summary(o.Answers), summary(o.Mistakes), summary(o.Connections))
	}
	t.points("never met", operations, func(m coverage.Met) bool { return state(m) == never && m.Connection == "" && !m.IsMistake() })
	t.points("never met, as a correct client can't", operations, func(m coverage.Met) bool { return state(m) == never && m.IsMistake() })
	t.points("connection failures never met", operations, func(m coverage.Met) bool { return state(m) == never && m.Connection != "" })
	t.points("met only by a fault", operations, func(m coverage.Met) bool { return state(m) == onlyByFault })
	if names := neverCalled(c); len(names) > 0 {
		t.line("")
		t.wrapped("never called: ", names)
	}
	if len(c.Entries) > 0 {
		t.line("\nEntries of the ledger that the answers rested on: %d.", len(c.Entries))
	}
}

// points lists the points of operations that a condition holds for.
func (t *textReport) points(title string, operations []coverage.OperationSummary, has func(coverage.Met) bool) {
	title = "\n" + title + "\n"
	for _, o := range operations {
		var names []string
		for _, m := range o.Points {
			if has(m) {
				names = append(names, label(m.Point))
			}
		}
		if len(names) > 0 {
			t.WriteString(title)
			t.wrapped("  "+Line(o.Operation)+": ", names)
			title = ""
		}
	}
}

// wrapped writes names that follow a word, in lines that aren't too long.
func (t *textReport) wrapped(first string, names []string) {
	line := first + names[0]
	for _, name := range names[1:] {
		if line += ","; utf8.RuneCountInString(line+name) > width {
			t.line("%s", line)
			line = "   "
		}
		line += " " + name
	}
	t.line("%s", line)
}

func (t *textReport) exploration(e explore.Report) {
	t.line("%s", Summary(e))
	same := map[string][]string{}
	for _, r := range e.Results {
		if r.SameAs != "" {
			same[r.SameAs] = append(same[r.SameAs], Line(r.Name))
		}
	}
	for _, r := range e.Results {
		if len(r.Findings) == 0 || r.SameAs != "" {
			continue
		}
		t.line("\nFinding: %s\n  %s\n  %s", Line(r.Name), indented(strings.Join(r.Findings, "\n")), indented(Story(r)))
		if others := same[r.Name]; len(others) > 0 {
			t.wrapped(fmt.Sprintf("  The same in %s: ", plural(len(others), "other run")), others)
		}
	}
}

//go:embed page.html
var page string

// writePage writes the report as a page, which loads nothing and runs nothing.
func writePage(w io.Writer, r Report) error {
	pageTemplate := template.Must(template.New("page").Funcs(template.FuncMap{
		"count": count, "counted": counted, "how": how, "joined": strings.Join, "label": label, "neverCalled": neverCalled,
		"notes": notes, "parts": parts, "plural": plural, "possible": possible, "reaction": reaction, "severity": severity,
		"state": state, "summary": summary, "verdicts": func() any { return verdicts },
	}).Parse(page))
	var out strings.Builder
	if err := pageTemplate.Execute(&out, r); err != nil {
		return fmt.Errorf("the report as a page: %w", err)
	}
	_, err := io.WriteString(w, clean(out.String()))
	return err
}
