package report_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// A run whose failure did not reach the app counts for no verdict, and isn't a test that passed.
func TestUnreached(t *testing.T) {
	r := report.Report{Format: report.Format, Explorations: []explore.Report{{
		Name: "TestList", Calls: []string{"groups.list#1"}, Runs: 4,
		Results: []explore.Result{
			result("groups.list#1/500_2001", explore.Completed, explore.DidNotNotice, "groups.list#1 200"),
			result("groups.list#1/reset", explore.HalfDone, explore.DidNotNotice, "groups.list#1 200"),
		},
	}}}
	for format, wants := range map[string][]string{
		"text":  {"\n2 runs: the failure did not reach the app, which says nothing.\n", "completed 0, nothing happened 0, left half done 0, done twice 0"},
		"html":  {"2 runs: the failure did not reach the app", "completed: 0, nothing happened: 0, left half done: 0, done twice: 0"},
		"junit": {`failures="0" errors="0" skipped="2"`, `<skipped message="the failure did not reach the app"></skipped>`},
	} {
		var out bytes.Buffer
		require.NoError(t, report.Write(&out, r, format))
		for _, want := range wants {
			assert.Contains(t, out.String(), want, format)
		}
		assert.NotContains(t, out.String(), "orth a look", format)
	}
}
