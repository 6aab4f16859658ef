package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

var update = flag.Bool("update", false, "write the generated files instead of comparing them")

func write(t *testing.T, r report.Report, format string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, r, format))
	return out.String()
}

// extensions are those of files with reports, by their formats.
var extensions = map[string]string{"text": "txt", "json": "json", "html": "html", "junit": "xml"}

// styled is the style of a page. It isn't compared.
var styled = regexp.MustCompile(`(?s)(<style>).*?(</style>)`)

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, format := range report.Formats {
		for _, name := range []string{"sample", "check"} { // a report of each kind, which has everything
			compareGolden(t, name, read(t, name), format)
		}
	}
}

// compareGolden compares a report in a format with its file.
func compareGolden(t *testing.T, name string, r report.Report, format string) {
	got := styled.ReplaceAllString(write(t, r, format), "$1…$2")
	file := filepath.Join("testdata", name+"."+extensions[format])
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	wanted, lines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(wanted), len(lines)) { // stops at the first difference, because files are long
		require.Equal(
			t, wanted[i], lines[i], "%s:%d is out of date: run go generate ./sim/report and read the diff", file, i+1,
		)
	}
	assert.Len(t, lines, len(wanted), file)
}

func TestWriteRefusesWhatItCanNotWrite(t *testing.T) {
	t.Parallel()
	err := report.Write(io.Discard, sample(t), "pdf")
	require.EqualError(t, err, `there is no format "pdf" of reports: choose one of text, json, html, junit`)
	full := errors.New("the disk is full")
	for _, format := range report.Formats {
		assert.ErrorIs(t, report.Write(failing{full}, sample(t), format), full, format)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A report without coverage, without explorations, or without both is one, too.
func TestPartsMayBeMissing(t *testing.T) {
	t.Parallel()
	none, covered, explored := report.Report{}, sample(t), sample(t)
	covered.Explorations, explored.Coverage = nil, nil
	for _, format := range report.Formats {
		for _, r := range []report.Report{none, covered, explored} {
			written := write(t, r, format)
			assert.Equal(
				t, r.Coverage != nil,
				strings.Contains(written, "groups.name-taken") || strings.Contains(written, "never met"), format,
			)
			assert.Equal(t, r.Explorations != nil, strings.Contains(written, "TestSignUp"), format)
		}
	}
	assert.Empty(t, none.Shortfall())
	assert.Empty(t, explored.Shortfall())
}

// What an app says, and what tests are called, stays text.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, format := range report.Formats {
		written := write(t, hostile(t), format)
		assert.True(t, utf8.ValidString(written), format)
		assert.NotZero(t, strings.Count(written, "onerror=alert(1)"), "%s: it is there as a text", format)
		if format == "text" { // where what the app said is indented by more
			assert.NotRegexp(t, `(?m)^(  )?Finding: forged`, written)
		}
		if format == "json" {
			continue // escapes control characters by itself
		}
		for _, r := range written {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				require.Fail(t, "a control character", "%s: %U", format, r)
			}
		}
	}
	page := write(t, hostile(t), "html")
	for _, tag := range []string{"<img", "<script", "</script"} {
		assert.Zero(t, strings.Count(page, tag), tag)
	}
	assert.Equal(t, 1, strings.Count(page, "</style>"))
	assert.Equal(t, strings.Count(page, "<pre"), strings.Count(page, "</pre>"))
}

// junit is JUnit XML as consumers read it.
type junit struct {
	XMLName xml.Name `xml:"testsuites"`
	Tests   int      `xml:"tests,attr"`
	Suites  []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func readJUnit(t *testing.T, data string) junit {
	t.Helper()
	var j junit
	require.NoError(t, xml.Unmarshal([]byte(data), &j))
	return j
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	for _, r := range []report.Report{sample(t), hostile(t), {}} {
		total := 0
		for _, s := range readJUnit(t, write(t, r, "junit")).Suites {
			failures, skipped := 0, 0
			for _, c := range s.Cases {
				if c.Failure != nil {
					failures++
				}
				if c.Skipped != nil {
					skipped++
				}
			}
			total += len(s.Cases)
			assert.Equal(t, []int{len(s.Cases), failures, skipped}, []int{s.Tests, s.Failures, s.Skipped}, s.Name)
		}
		assert.Equal(t, total, readJUnit(t, write(t, r, "junit")).Tests)
	}
}

// An answer that was never met fails nothing by itself. The threshold does, and findings do.
func TestJUnitFailures(t *testing.T) {
	t.Parallel()
	failing := func(r report.Report) map[string]string {
		found := map[string]string{}
		for _, s := range readJUnit(t, write(t, r, "junit")).Suites {
			for _, c := range s.Cases {
				if c.Failure != nil {
					found[c.Name] = c.Failure.Text
				}
			}
		}
		return found
	}
	r := sample(t)
	found := failing(r)
	require.Len(t, found, 2)
	assert.Contains(t, found["the answers are met: 8"], "\nnever met: groups.create 400 2010 group-name-too-long\n")
	assert.Contains(t, found["groups.create#1/answer-lost-after-commit"], r.Explorations[0].Results[2].Run)
	r.FailUnder = "4"
	assert.Len(t, failing(r), 1, "it is met")
	r.FailUnder = ""
	r.Explorations[0].Results[2].Findings = nil
	assert.Empty(t, failing(r))
}

// Of a check that stopped before any exchange, JUnit has an error.
func TestJUnitOfAStoppedCheck(t *testing.T) {
	t.Parallel()
	written := write(t, report.Report{Check: &report.Check{Stopped: "it is not the interface"}}, "junit")
	assert.Contains(t, written, `tests="1" failures="0" errors="1"`)
	assert.Contains(t, written, `name="the check" time="0">`+"\n      "+`<error message="it is not the interface">`)
}

// A finding doesn't name the case that it shows among the others.
func TestFindingsNameOthers(t *testing.T) {
	t.Parallel()
	f := report.Finding{Others: []string{}}
	f.Add("its answer", &report.Shown{Case: "a", Curl: "curl long"})
	f.Add("its state", &report.Shown{Case: "a", Curl: "curl longer"})
	assert.Empty(t, f.Others)
	f.Add("its state", &report.Shown{Case: "a", Curl: "curl"})
	assert.Empty(t, f.Others)
	f.Add("its answer", &report.Shown{Case: "b", Curl: "curl b"})
	f.Add("its state", &report.Shown{Case: "b", Curl: "c"})
	assert.Equal(t, "b", f.Shown.Case)
	assert.Equal(t, []string{"a"}, f.Others)
}

// A text that a terminal shows stays in its line, and moves no cursor.
func TestLine(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "groups.list \uFFFD[2J", report.Line("groups.list\r\n\x1b[2J"))
}

// Who reads JSON finds a list where a list is, and what it was made of.
func TestJSON(t *testing.T) {
	t.Parallel()
	empty := report.Report{
		Coverage:     &coverage.Summary{Operations: make([]coverage.OperationSummary, 1)},
		Explorations: []explore.Report{{Results: make([]explore.Result, 1)}},
		Check:        &report.Check{Findings: make([]report.Finding, 1), Cases: make([]report.Case, 1)},
	}
	assert.NotContains(t, write(t, empty, "json"), "null")
	var back report.Report
	require.NoError(t, json.Unmarshal([]byte(write(t, sample(t), "json")), &back))
	assert.Equal(t, report.Format, back.Format)
}
