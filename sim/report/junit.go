package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// JUnitSuite is a test suite of JUnit XML, or all suites of a file. CI systems read it.
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

// JUnitCase is a test of a suite. It passed if it has no failure and no error and was not skipped.
type JUnitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds float64       `xml:"time,attr"`
	Failure *JUnitMessage `xml:"failure"`
	Error   *JUnitMessage `xml:"error"`
	Skipped *JUnitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

// JUnitMessage says why a test did not pass, in one line and in a whole text.
type JUnitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// NewJUnitMessage returns a message with the first line of a text, and with the whole text if it has more lines.
func NewJUnitMessage(text string) *JUnitMessage {
	line, _, hasMore := strings.Cut(text, "\n")
	if !hasMore {
		text = ""
	}
	return &JUnitMessage{Message: line, Text: text}
}

// lineBreaks undoes the encoder's escapes of line breaks and tabs, for people who read the file.
var lineBreaks = strings.NewReplacer("&#xA;", "\n", "&#x9;", "\t")

// WriteJUnit writes a file of suites. It counts their tests.
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

// count counts the tests of the suite and of the suites in it.
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
		inner := &s.Suites[i]
		inner.count()
		s.Tests += inner.Tests
		s.Failures += inner.Failures
		s.Errors += inner.Errors
		s.Skipped += inner.Skipped
		s.Seconds += inner.Seconds
	}
}

// junitOf returns the report as suites: one for each operation, with a case for each answer, and one for each
// exploration, with a case for each run. A run with findings fails. An answer that is not covered is skipped: only
// FailUnder fails for it.
func junitOf(r Report) JUnitSuite {
	all := JUnitSuite{Name: "banksim"}
	if r.Check != nil {
		all.Suites = append(all.Suites, suitesOfCheck(r.Check)...)
	}
	if c := r.Coverage; c != nil {
		threshold := JUnitCase{Class: "coverage", Name: "the answers are met: " + cmp.Or(r.FailUnder, "any")}
		if shortfall := r.Shortfall(); shortfall != "" {
			for _, name := range answerNames(c.NotCovered()) {
				shortfall += "\nnever met: " + name
			}
			threshold.Failure = NewJUnitMessage(shortfall)
		}
		all.Suites = append(all.Suites, JUnitSuite{Name: "coverage", Cases: []JUnitCase{threshold}})
		for _, o := range c.Counted() {
			suite := JUnitSuite{Name: "coverage of " + o.Operation}
			for _, p := range possible(o) {
				answer := JUnitCase{Class: "coverage." + o.Operation, Name: label(p.Point)}
				if state(p) == never {
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
				run.Failure = NewJUnitMessage(lines(result.Findings) + "\n\n" + Story(result))
			} else if isUnreached(result) {
				run.Skipped = NewJUnitMessage("the failure did not reach the app")
			}
			suite.Cases = append(suite.Cases, run)
		}
		all.Suites = append(all.Suites, suite)
	}
	return all
}

// suitesOfCheck returns a suite for each operation of a check, with a case for each exchange. One that differs is a
// failure, with the findings that it shows. One that could not be finished or undone is an error, and so is a check
// that stopped.
func suitesOfCheck(c *Check) (suites []JUnitSuite) {
	texts := map[string]string{}
	for _, f := range c.Findings {
		texts[f.Entry] = execute("finding", f)
	}
	for _, one := range c.Cases {
		at := slices.IndexFunc(suites, func(s JUnitSuite) bool { return s.Name == one.Operation })
		if at < 0 {
			at, suites = len(suites), append(suites, JUnitSuite{Name: one.Operation})
		}
		result := JUnitCase{Class: one.Operation, Name: strings.TrimPrefix(one.Name, one.Operation+"/")}
		var found string
		for _, entry := range one.Entries {
			found += "\n\n" + texts[entry]
		}
		for _, left := range one.Left {
			found += "\nleft behind: " + left
		}
		switch one.status() {
		case failed:
			result.Error = NewJUnitMessage(cmp.Or(one.Error, "it left something behind"))
			result.Output = found
		case skipped:
			result.Skipped = NewJUnitMessage("not asked: " + one.NotAsked)
		case differs:
			result.Failure = NewJUnitMessage("it differs about " + strings.Join(one.Entries, ", ") + found)
		}
		suites[at].Cases = append(suites[at].Cases, result)
	}
	if c.Stopped != "" {
		stopped := JUnitCase{Class: "check", Name: "the check", Error: NewJUnitMessage(c.Stopped)}
		suites = append(suites, JUnitSuite{Name: "check", Cases: []JUnitCase{stopped}})
	}
	return suites
}
