package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// Format names the format of reports in JSON.
const Format = "banksim-report/1"

// Report is what a test suite met, and what failures did to an app.
type Report struct {
	Format       string            `json:"format"`                // banksim-report/1; Write sets it
	Version      string            `json:"version"`               // of banksim
	Coverage     *coverage.Summary `json:"coverage,omitzero"`     // nil, left out: there is none
	Explorations []explore.Report  `json:"explorations,omitzero"` // by their names
	FailUnder    string            `json:"failUnder,omitzero"`    // see Shortfall; empty: any coverage is enough
}

// Formats are the names of what Write writes.
var Formats = []string{"text", "json", "html", "junit"}

// Write writes the report in a format, at once: a part of a report would pass for one.
func Write(w io.Writer, r Report, format string) error {
	r.Format = Format
	switch format {
	case "text":
		return writeText(w, r)
	case "json":
		return writeJSON(w, r)
	case "html":
		return writePage(w, r)
	case "junit":
		return writeJUnit(w, r)
	}
	return errors.New("there is no format " + phrase.Quote(format) + " of reports: choose one of " + strings.Join(Formats, ", "))
}

// writeJSON writes the report in JSON. Lists without elements are written as such and not as null.
func writeJSON(w io.Writer, r Report) error {
	data, err := json.Marshal(r, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false),
		json.FormatNilSliceAsNull(false), jsontext.WithIndent("  "))
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return err
}

// maxNeverMet is how many answers are named that were never met, where fewer were met than should be (choice).
const maxNeverMet = 5

// Shortfall says in a line which of the answers that FailUnder wants were not met; empty: they were. FailUnder is how many answers are to
// be met at least, or names of some, separated by commas: an operation stands for all that a correct client can meet. Where no
// operation was called, or none of their answers was possible, every threshold is missed.
func (r Report) Shortfall() string {
	c := r.Coverage
	least, err := strconv.Atoi(r.FailUnder)
	switch {
	case c == nil || r.FailUnder == "":
		return ""
	case !slices.ContainsFunc(c.Operations, func(o coverage.OperationSummary) bool { return o.Called }):
		return "no operation was called: does the app use the base URL of the simulator?"
	case c.Total.Possible == 0:
		return "no answer was possible: take the coverage again from the simulator, with GET /v1/coverage"
	case err != nil:
		return unmetOf(c, r.FailUnder)
	case c.Total.Met >= least:
		return ""
	}
	var names []string
	for _, p := range c.NeverMet() {
		names = append(names, p.Operation+" "+label(p))
	}
	return fmt.Sprintf("%d of %d answers were met, fewer than %d: never met were %s", c.Total.Met, c.Total.Possible, least, firstOf(names))
}

// unmetOf says which of the answers with names, separated by commas, were never met; empty: all were.
func unmetOf(c *coverage.Summary, names string) string {
	var unmet, unknown []string
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		known := false
		for _, o := range c.Operations {
			for _, m := range possible(o) {
				text := o.Operation + " " + label(m.Point)
				if text != name && !strings.HasPrefix(text, name+" ") || name == o.Operation && (m.IsMistake() || m.Connection != "") {
					continue
				}
				if known = true; state(m) == never {
					unmet = append(unmet, text)
				}
			}
		}
		if !known {
			unknown = append(unknown, phrase.Quote(name))
		}
	}
	switch {
	case len(unknown) > 0:
		return "no operation that was called has the answer " + strings.Join(unknown, ", ") +
			": name an operation, or an answer as the report has it"
	case len(unmet) > 0:
		return "never met were " + firstOf(unmet)
	}
	return ""
}

// firstOf returns the first names of a list, and how many more there are.
func firstOf(names []string) string {
	more := ""
	if n := len(names) - maxNeverMet; n > 0 {
		names, more = names[:maxNeverMet], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// JUnitSuite is a test suite of JUnit XML, which CI systems read, or all suites of a file.
type JUnitSuite struct {
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"` // WriteJUnit counts the cases
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Seconds  float64      `xml:"time,attr"`
	Suites   []JUnitSuite `xml:"testsuite"`
	Cases    []JUnitCase  `xml:"testcase"`
}

// JUnitCase is a test of a suite. It passed if it has no failure, no error and no reason for which it was skipped.
type JUnitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds float64       `xml:"time,attr"`
	Failure *JUnitMessage `xml:"failure"`
	Error   *JUnitMessage `xml:"error"`
	Skipped *JUnitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

// JUnitMessage says why a test didn't pass: in a line, and in as many as it takes.
type JUnitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// NewJUnitMessage returns a message whose line is the first one of the text.
func NewJUnitMessage(text string) *JUnitMessage {
	line, more, _ := strings.Cut(text, "\n")
	if more == "" {
		return &JUnitMessage{Message: line}
	}
	return &JUnitMessage{Message: line, Text: text}
}

// lineBreaks are as they are in a text that people read, instead of as the encoder escapes them.
var lineBreaks = strings.NewReplacer("&#xA;", "\n", "&#x9;", "\t")

// WriteJUnit writes a file of suites, with the numbers of their tests.
func WriteJUnit(w io.Writer, all JUnitSuite) error {
	all.count()
	out := bytes.NewBufferString(xml.Header)
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.EncodeElement(all, xml.StartElement{Name: xml.Name{Local: "testsuites"}}); err != nil {
		return fmt.Errorf("the report as JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, clean(lineBreaks.Replace(out.String()))+"\n")
	return err
}

// count counts the tests of a suite, and of the suites in it.
func (s *JUnitSuite) count() {
	s.Tests, s.Failures, s.Errors, s.Skipped = len(s.Cases), 0, 0, 0
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	for i := range s.Suites {
		part := &s.Suites[i]
		part.count()
		s.Tests += part.Tests
		s.Failures += part.Failures
		s.Errors += part.Errors
		s.Skipped += part.Skipped
		s.Seconds += part.Seconds
	}
}

// writeJUnit writes the report in JUnit XML: a suite for each operation that was called, with a test for each answer, and one
// for each exploration, with a test for each run. An answer that was never met is skipped and doesn't fail: what fails is
// a run with findings, and coverage that falls short of FailUnder.
func writeJUnit(w io.Writer, r Report) error {
	all := JUnitSuite{Name: "banksim"}
	if c := r.Coverage; c != nil {
		threshold := JUnitCase{Class: "coverage", Name: "the answers are met: " + cmp.Or(r.FailUnder, "any")}
		if shortfall := r.Shortfall(); shortfall != "" {
			for _, p := range c.NeverMet() {
				shortfall += "\nnever met: " + p.Operation + " " + label(p)
			}
			threshold.Failure = NewJUnitMessage(shortfall)
		}
		all.Suites = append(all.Suites, JUnitSuite{Name: "coverage", Cases: []JUnitCase{threshold}})
		for _, o := range counted(c) {
			suite := JUnitSuite{Name: "coverage of " + o.Operation}
			for _, m := range possible(o) {
				answer := JUnitCase{Class: "coverage." + o.Operation, Name: label(m.Point)}
				if state(m) == never {
					answer.Skipped = NewJUnitMessage("never met")
				}
				suite.Cases = append(suite.Cases, answer)
			}
			all.Suites = append(all.Suites, suite)
		}
	}
	for _, e := range r.Explorations {
		suite := JUnitSuite{Name: "exploration of " + e.Name, Seconds: e.Took.Seconds()}
		for _, result := range e.Results {
			run := JUnitCase{Class: e.Name, Name: result.Name, Seconds: result.Took.Seconds()}
			if len(result.Findings) > 0 {
				run.Failure = NewJUnitMessage(strings.Join(result.Findings, "\n") + "\n\n" + Story(result))
			} else if unreached(result) {
				run.Skipped = NewJUnitMessage("the failure did not reach the app")
			}
			suite.Cases = append(suite.Cases, run)
		}
		all.Suites = append(all.Suites, suite)
	}
	return WriteJUnit(w, all)
}
