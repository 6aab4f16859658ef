package report

import (
	"errors"
	"fmt"
	"io"
	"strings"

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
	FailUnder    int               `json:"failUnder,omitzero"`    // the least percentage of answers that must be met; 0: any
}

// Formats are the names of what Write writes.
var Formats = []string{"text", "json", "html", "junit"}

// MediaType returns the media type of a format.
func MediaType(format string) string {
	switch format {
	case "json":
		return "application/json"
	case "html":
		return "text/html"
	case "junit":
		return "application/xml"
	}
	return "text/plain"
}

// Write writes the report in a format.
func Write(w io.Writer, r Report, format string) error {
	r.Format = Format
	var data []byte
	switch format {
	case "text":
		data = writeText(r)
	case "json":
		var err error
		if data, err = writeJSON(r); err != nil {
			return fmt.Errorf("the report in JSON: %w", err)
		}
	case "html":
		data = writePage(r)
	case "junit":
		data = writeJUnit(r)
	default:
		return errors.New("there is no format " + phrase.Quote(format) + " of reports: choose one of " + strings.Join(Formats, ", "))
	}
	_, err := w.Write(data)
	return err
}

// FallsShort reports whether fewer of the answers were met than FailUnder wants: always if no operation was called, or none of
// their answers was possible.
func (r Report) FallsShort() bool {
	return r.Coverage != nil && r.FailUnder > 0 &&
		(called(r.Coverage) == 0 || r.Coverage.Total.Possible == 0 || r.Coverage.Total.PercentRounded < r.FailUnder)
}

// called returns how many operations were called.
func called(c *coverage.Summary) int {
	n := 0
	for _, o := range c.Operations {
		if o.Called {
			n++
		}
	}
	return n
}

// findings returns how many findings an exploration has.
func findings(e explore.Report) int {
	n := 0
	for _, result := range e.Results {
		n += len(result.Findings)
	}
	return n
}

// findings returns how many findings all explorations have.
func (r Report) findings() int {
	n := 0
	for _, e := range r.Explorations {
		n += findings(e)
	}
	return n
}
