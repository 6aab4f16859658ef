// Package report writes reports as text, as JSON, as JUnit XML, and as a page that needs no other file. A report has
// the answers that a test suite has covered (package coverage), what failures did to an app (package explore), or how a
// service differs from the simulator (package conformance).
// Start at [Write].
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

//go:generate go test . -run TestGolden -update

// Format names the format of reports in JSON.
const Format = "banksim-report/1"

// Report is what a test suite has covered, what failures did to an app, and how a service differs.
type Report struct {
	Format       string            `json:"format"`                // the constant Format; Write sets it
	Version      string            `json:"version"`               // of banksim
	Coverage     *coverage.Summary `json:"coverage,omitzero"`     // or nil
	Explorations []explore.Report  `json:"explorations,omitzero"` // in the order of the report
	Check        *Check            `json:"check,omitzero"`        // or nil
	FailUnder    string            `json:"failUnder,omitzero"`    // see Shortfall
}

// Formats are the names of the formats that Write knows.
var Formats = []string{"text", "json", "html", "junit"}

// Files are the formats of a report in files, by the endings of their names.
var Files = map[string]string{".html": "html", ".json": "json", ".xml": "junit"}

// Write writes the report in a format, all of it at once: a part would pass for the whole.
func Write(w io.Writer, r Report, format string) error {
	r.Format = Format
	if r.Check != nil {
		r.Check = r.Check.withStatuses()
	}
	var text string
	var err error
	switch format {
	case "text":
		text = execute("report", r)
	case "json":
		text, err = encode(r)
	case "html":
		text, err = page(r)
	case "junit":
		return WriteJUnit(w, junitOf(r))
	default:
		err = fmt.Errorf("there is no format %s of reports: choose one of %s",
			wording.Quote(format), strings.Join(Formats, ", "))
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// encode returns the report in JSON. Lists without elements are [] and not null.
func encode(r Report) (string, error) {
	data, err := json.Marshal(r, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false),
		json.FormatNilSliceAsNull(false), jsontext.WithIndent("  "))
	return string(data) + "\n", err
}
