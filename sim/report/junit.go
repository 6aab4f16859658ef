package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// suite is a test suite of JUnit XML.
type suite struct {
	name  string
	took  time.Duration
	cases []testCase
}

// testCase is a test of a suite. It passed if it has neither a failure nor a reason for which it was skipped.
type testCase struct {
	class, name      string
	took             time.Duration
	failure, skipped string // the first line is the message
}

// writeJUnit returns the report in JUnit XML: a suite for each operation that was called, with a test for each answer, and one
// for each exploration, with a test for each run. An answer that was never met is skipped and doesn't fail: what fails is
// a run with findings, and coverage that falls short of FailUnder.
func writeJUnit(r Report) []byte {
	var suites []suite
	if r.Coverage != nil {
		suites = append(suites, suite{name: "coverage", cases: r.coverageCases()})
		count, _ := operations(r.Coverage)
		for _, o := range count {
			suites = append(suites, suite{name: "coverage of " + o.Operation, cases: answerCases(o)})
		}
	}
	for i := range r.Explorations {
		e := &r.Explorations[i]
		suites = append(suites, suite{name: "exploration of " + e.Name, took: e.Took, cases: runCases(e)})
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	all := suite{name: "banksim"}
	for _, s := range suites {
		all.cases = append(all.cases, s.cases...)
		all.took += s.took
	}
	all.begin(&out, "testsuites", "")
	for _, s := range suites {
		s.begin(&out, "testsuite", "  ")
		for _, c := range s.cases {
			c.write(&out)
		}
		out.WriteString("  </testsuite>\n")
	}
	out.WriteString("</testsuites>\n")
	return out.Bytes()
}

// coverageCases are the tests of the coverage as a whole.
func (r Report) coverageCases() []testCase {
	var cases []testCase
	if r.FailUnder > 0 {
		c := testCase{class: "coverage", name: fmt.Sprintf("at least %d %% of the answers are met", r.FailUnder)}
		if r.FallsShort() {
			switch {
			case called(r.Coverage) == 0:
				c.failure = "no operation was called"
				return []testCase{c}
			case r.Coverage.Total.Possible == 0:
				c.failure = "no answer was possible"
				return []testCase{c}
			}
			c.failure = fmt.Sprintf("%d %% of the answers were met (%s), fewer than %d %%", r.Coverage.Total.PercentRounded, summary(r.Coverage.Total), r.FailUnder)
			count, _ := operations(r.Coverage)
			for _, o := range count {
				c.failure += neverMet(o)
			}
		}
		cases = append(cases, c)
	}
	for _, o := range r.Coverage.Operations {
		c := testCase{class: "coverage", name: o.Operation + " is called"}
		if !o.Called {
			c.skipped = "never called"
		}
		cases = append(cases, c)
	}
	return cases
}

// neverMet lists the answers of an operation that were never met, a line each.
func neverMet(o coverage.OperationSummary) string {
	var lines strings.Builder
	for _, m := range o.Points {
		if m.Connection == "" && stateOf(m) == never {
			fmt.Fprintf(&lines, "\nnever met: %s %s", o.Operation, Name(m.Point))
		}
	}
	return lines.String()
}

func answerCases(o coverage.OperationSummary) []testCase {
	var cases []testCase
	several := len(dialects(o)) > 1
	for _, m := range o.Points {
		s := stateOf(m)
		if s == impossible {
			continue
		}
		c := testCase{class: "coverage." + o.Operation, name: Name(m.Point)}
		if several {
			c.name += " (" + m.Dialect + ")"
		}
		if s == never {
			c.skipped = s.words(m.Count)
		}
		cases = append(cases, c)
	}
	return cases
}

func runCases(e *explore.Report) []testCase {
	cases := make([]testCase, len(e.Results))
	for i := range e.Results {
		r := &e.Results[i]
		cases[i] = testCase{class: e.Name, name: r.Name, took: r.Took}
		if len(r.Findings) > 0 {
			cases[i].failure = strings.Join(told(r), "\n") + "\n\n" + story(r)
		} else if unreached(r) {
			cases[i].skipped = "the failure did not reach the app"
		}
	}
	return cases
}

// begin writes the first tag of a suite, or of all of them.
func (s suite) begin(out *bytes.Buffer, element, indent string) {
	failures, skipped := 0, 0
	for _, c := range s.cases {
		if c.failure != "" {
			failures++
		}
		if c.skipped != "" {
			skipped++
		}
	}
	fmt.Fprintf(out, "%s<%s name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
		indent, element, inXML(s.name), len(s.cases), failures, skipped, s.took.Seconds())
}

func (c testCase) write(out *bytes.Buffer) {
	fmt.Fprintf(out, "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"", inXML(c.class), inXML(c.name), c.took.Seconds())
	switch {
	case c.failure != "":
		message, _, _ := strings.Cut(c.failure, "\n")
		fmt.Fprintf(out, "><failure message=\"%s\">%s</failure></testcase>\n", inXML(message), inXML(c.failure))
	case c.skipped != "":
		fmt.Fprintf(out, "><skipped message=\"%s\"/></testcase>\n", inXML(c.skipped))
	default:
		out.WriteString("/>\n")
	}
}

// inXML returns a text as it is in XML, in an attribute or an element.
func inXML(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(clean(text))) // a buffer takes everything
	return strings.NewReplacer("&#xA;", "\n", "&#x9;", "\t").Replace(out.String())
}
