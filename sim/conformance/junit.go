package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/report"
)

// WriteJUnit writes the report as JUnit XML, which CI systems read: a suite for each operation, a case for each exchange.
func (r Report) WriteJUnit(w io.Writer) error {
	all := report.JUnitSuite{Name: "banksim check"}
	for _, result := range r.Results {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != result.Operation {
			all.Suites = append(all.Suites, report.JUnitSuite{Name: result.Operation})
		}
		suite := &all.Suites[len(all.Suites)-1]
		suite.Cases = append(suite.Cases, result.junit())
	}
	return report.WriteJUnit(w, all)
}

func (result Result) junit() report.JUnitCase {
	c := report.JUnitCase{Class: result.Operation, Name: strings.TrimPrefix(result.Exchange, result.Operation+"/")}
	switch {
	case result.Error != "":
		c.Error = report.NewJUnitMessage(result.Error)
		c.Output = lines(result.Drifts)
	case result.Skipped != "":
		c.Skipped = report.NewJUnitMessage(result.Skipped)
	case len(result.Drifts) > 0:
		c.Failure = report.NewJUnitMessage(fmt.Sprintf("%d drifts\n%s", len(result.Drifts), lines(result.Drifts)))
	}
	c.Output += lines(result.Ignored)
	for _, left := range result.LeftBehind {
		c.Output += "left behind: " + left + "\n"
	}
	return c
}

// lines describes drifts, each in a line.
func lines(drifts []Drift) string {
	text := ""
	for _, d := range drifts {
		text += fmt.Sprintf("%s (%s): %s\n", d.Entry, d.Source, d.Message)
	}
	return text
}
