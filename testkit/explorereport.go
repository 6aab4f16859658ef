package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// verdict logs what a run came to, and fails its subtest if that is a finding.
func (x *exploration) verdict(t *testing.T, a *attempt, r explore.Result) {
	t.Helper()
	switch {
	case r.SameAs != "" && r.Ended != explore.Hung && a.panicked == "":
		t.Errorf("testkit: %s: the same findings as %s", r.Name, r.SameAs)
	case len(r.Findings) > 0:
		if t.Failed() && (r.Ended == explore.Hung || a.panicked == "") { // one that hangs may go on, and panic later
			a.bank.report()
		}
		t.Errorf("testkit: %s\n%s\n%s", r.Name, strings.Join(r.Findings, "\n"), report.Story(r))
	case r.Reaction == explore.NotReached:
		t.Skipf(
			"testkit: the failure did not reach the app, which didn't make the call. Its calls: %s",
			strings.Join(r.Calls, ", "),
		)
	default:
		t.Logf("testkit: %s: the app %s", r.Verdict, r.Reaction)
	}
}

// conclude logs what the exploration came to, and writes its report. It fails a test that explored nothing, or less
// than it asked for by name. What go test -run leaves out is left out on purpose.
func (x *exploration) conclude(t *testing.T) {
	t.Helper()
	found := x.Report()
	t.Log("testkit: " + report.Summary(found))
	if nothing := x.EmptyReason(); nothing != "" && !x.deselected.Load() && !t.Failed() {
		t.Errorf("testkit: Explore: %s", nothing)
	}
	if x.reportTo != "" {
		if err := writeReport(x.reportTo, found); err != nil {
			t.Errorf("testkit: Explore: writing the report: %v", err)
		}
	}
}

// writeReport writes a report to a directory.
func writeReport(dir string, of explore.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := "explore-" + strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '-'
		}
		return c
	}, of.Name)
	all := report.Report{Version: version, Explorations: []explore.Report{of}}
	var errs []error
	for ending, format := range report.Files {
		var text bytes.Buffer
		errs = append(
			errs, report.Write(&text, all, format), os.WriteFile(filepath.Join(dir, name+ending), text.Bytes(), 0o644),
		)
	}
	return errors.Join(errs...)
}

// subtest returns the name of the subtest for a run. Package testing splits names at slashes and makes the subtests
// whose names begin as go test -run says. So to make a run of a later wave, it makes those that it follows from as
// well.
func subtest(run string) string { return strings.ReplaceAll(run, "+", "/") }

// reproduction returns the command that makes a run alone, for sh, bash and zsh.
func reproduction(test, run string) string {
	parts := strings.Split(test+"/"+subtest(run), "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	command := fmt.Sprintf("go test -run '%s'", strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`))
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasSuffix(info.Path, ".test") {
		command += " " + strings.TrimSuffix(info.Path, ".test")
	}
	return command
}
