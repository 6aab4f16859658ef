package report

import (
	"fmt"
	"io"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// Format names the format of reports in JSON.
const Format = "banksim-report/1"

// Report is what is reported.
type Report struct {
	Format       string            `json:"format"`                // Format
	Version      string            `json:"version"`               // of banksim
	Coverage     *coverage.Summary `json:"coverage,omitzero"`     // nil: there is none
	Explorations []explore.Report  `json:"explorations,omitzero"` // by their names
	FailUnder    int               `json:"failUnder,omitzero"`    // the least percentage of answers that must be met; 0: any
}

// Formats are the names of what Write writes.
var Formats = []string{"text", "json", "html", "junit"}

// Write writes the report in a format.
func Write(w io.Writer, r Report, format string) error { return fmt.Errorf("no format %q", format) }
