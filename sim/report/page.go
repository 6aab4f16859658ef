package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var page string

// pageTemplate is the page, which loads nothing and runs nothing.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"count": count, "counted": counted, "how": how, "joined": strings.Join, "label": label, "neverCalled": neverCalled, "notes": notes,
	"parts": parts, "percent": percent, "plural": plural, "possible": possible, "reaction": reaction, "severity": severity,
	"state": state, "summary": summary, "verdicts": func() any { return verdicts },
}).Parse(page))

// writePage writes the report as a page.
func writePage(w io.Writer, r Report) error {
	var out strings.Builder
	if err := pageTemplate.Execute(&out, r); err != nil {
		return fmt.Errorf("the report as a page: %w", err)
	}
	_, err := io.WriteString(w, clean(out.String()))
	return err
}
