package conformance

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// WriteJUnit writes the report as JUnit XML, which CI systems read: a suite for each operation, a case for each exchange.
// It is written piece by piece: an encoder for Go types would be a tenth of a megabyte of the program.
func (r Report) WriteJUnit(w io.Writer) error {
	text := bytes.NewBufferString(xml.Header)
	fmt.Fprintf(text, "<testsuites name=\"banksim check\"%s>\n", junitCounts(r.counts()))
	for rest := r.Results; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Operation == rest[0].Operation {
			n++
		}
		suite := Report{Results: rest[:n]}
		fmt.Fprintf(text, "  <testsuite name=%s%s>\n", junitQuoted(rest[0].Operation), junitCounts(suite.counts()))
		for _, result := range suite.Results {
			result.writeJUnit(text)
		}
		text.WriteString("  </testsuite>\n")
		rest = rest[n:]
	}
	text.WriteString("</testsuites>\n")
	_, err := text.WriteTo(w)
	return err
}

func (result Result) writeJUnit(text *bytes.Buffer) {
	name := strings.TrimPrefix(result.Exchange, result.Operation+"/")
	fmt.Fprintf(text, "    <testcase classname=%s name=%s>", junitQuoted(result.Operation), junitQuoted(name))
	switch {
	case result.Error != "":
		fmt.Fprintf(text, "<error message=%s/>", junitQuoted(result.Error))
	case result.Skipped != "":
		fmt.Fprintf(text, "<skipped message=%s/>", junitQuoted(result.Skipped))
	case len(result.Drifts) > 0:
		var entries, messages []string
		for _, d := range result.Drifts {
			entries = append(entries, d.Entry)
			messages = append(messages, fmt.Sprintf("%s (%s): %s", d.Entry, d.Source, d.Message))
		}
		fmt.Fprintf(text, "<failure message=%s>%s</failure>",
			junitQuoted("drift: "+strings.Join(entries, ", ")), escaped(strings.Join(messages, "\n")))
	}
	var notes []string
	for _, list := range []struct {
		what   string
		drifts []Drift
	}{{"known", result.Known}, {"ignored", result.Ignored}, {"vanished", result.Vanished}} {
		for _, d := range list.drifts {
			notes = append(notes, fmt.Sprintf("%s: %s (%s): %s", list.what, d.Entry, d.Source, d.Message))
		}
	}
	if result.Error != "" { // of which the drifts are not the failure
		for _, d := range result.Drifts {
			notes = append(notes, fmt.Sprintf("drift: %s (%s): %s", d.Entry, d.Source, d.Message))
		}
	}
	for _, left := range result.LeftBehind {
		notes = append(notes, "left behind: "+left)
	}
	if len(notes) > 0 {
		fmt.Fprintf(text, "<system-out>%s</system-out>", escaped(strings.Join(notes, "\n")))
	}
	text.WriteString("</testcase>\n")
}

func junitCounts(n counts) string {
	return fmt.Sprintf(` tests="%d" failures="%d" errors="%d" skipped="%d"`,
		n.passed+n.drifted+n.failed+n.skipped, n.drifted, n.failed, n.skipped)
}

func junitQuoted(text string) string { return `"` + escaped(text) + `"` }

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}
