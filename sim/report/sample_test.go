package report_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// read returns the report that a file of testdata has in JSON, without what Write sets.
func read(t *testing.T, name string) (r report.Report) {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".json")
	require.NoError(t, err)
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&r))
	r.Format = ""
	if r.Check != nil {
		for i := range r.Check.Cases {
			r.Check.Cases[i].Status = ""
		}
	}
	return r
}

// sample returns a small report of a test suite that has everything.
func sample(t *testing.T) report.Report {
	t.Helper()
	return read(t, "sample")
}

// forged is a line that a report could have.
const forged = "\nFinding: forged\n"

// hostile is the sample with texts of apps that try to get out of their place.
func hostile(t *testing.T) report.Report {
	t.Helper()
	const evil = "</script></style></pre>\"'><img src=x onerror=alert(1)>\x00\x1b[31m\xff\u202e]]>&amp;\uffff"
	r := sample(t)
	e := &r.Explorations[0]
	e.Name += evil
	e.NotDeterministic, e.Ended = evil+forged, evil+forged
	e.Calls = append(e.Calls, evil+forged)
	r.Version = evil
	bad := &e.Results[2]
	bad.Name += evil
	bad.Message, bad.Run, bad.YAML = evil+forged, evil, evil
	bad.Findings, bad.Differences, bad.Calls = []string{evil + forged}, []string{evil + forged}, []string{evil + forged}
	bad.Faults[0].Failure.About = evil
	bad.Reaction, bad.Ended = evil, evil
	o := &r.Coverage.Operations[0]
	o.Operation += evil
	o.Points[1].Code, o.Points[1].Rule = evil, evil
	o.Points[6].Connection, o.Points[6].Phase = evil, evil
	r.Coverage.Entries[0] = coverage.EntryCount{ID: evil, Basis: evil}
	return r
}
