package testkit

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/report"
)

// The limits of an exploration, if its options don't say.
const (
	// DefaultMaxRuns is how many runs an exploration has at most.
	DefaultMaxRuns = explore.DefaultMaxRuns
	// DefaultEachWithin is how long a run of an exploration may take: an app that takes longer hangs.
	DefaultEachWithin = 8 * time.Second
)

// ExploreOption configures an exploration. Each [Option] of a bank is one, too: it holds for all banks of the exploration.
type ExploreOption interface{ explore(*exploreSettings) }

// explore makes an option of banks one of an exploration.
func (o Option) explore(s *exploreSettings) { s.bank = append(s.bank, o) }

type exploreOption func(*exploreSettings)

func (o exploreOption) explore(s *exploreSettings) { o(s) }

// exploreSettings holds what the options of an exploration set.
type exploreSettings struct {
	bank         []Option
	maxRuns      int
	within       time.Duration
	eachWithin   time.Duration
	atOnce       int
	allOrNothing bool
	invariants   []invariant
	patterns     []string // of names of failures; none: all
	reportTo     string   // a directory; empty: none
	problems     []error
}

// invariant is a condition on the state at the end of each run.
type invariant struct {
	name  string
	holds func(State) error
}

// settleExploration applies options.
func settleExploration(opts []ExploreOption) (exploreSettings, error) {
	s := exploreSettings{maxRuns: DefaultMaxRuns, within: 24 * time.Hour, eachWithin: DefaultEachWithin, atOnce: runsAtOnce(),
		reportTo: os.Getenv("BANKSIM_REPORT")}
	for _, opt := range opts {
		if opt == nil {
			s.problems = append(s.problems, errors.New("an option is nil"))
			continue
		}
		opt.explore(&s)
	}
	return s, errors.Join(s.problems...)
}

// refuse notes that an option is wrong.
func (s *exploreSettings) refuse(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

// runsAtOnce is how many runs are made at the same time: as many as go test -parallel says or, without that, several for each
// processor, because a run mostly waits.
func runsAtOnce() int {
	processors := runtime.GOMAXPROCS(0) // the default of the flag
	if n, err := strconv.Atoi(flag.Lookup("test.parallel").Value.String()); err == nil && n != processors {
		return n
	}
	return 4 * processors
}

// MaxRuns limits how many runs an exploration has, the two undisturbed ones included, instead of [DefaultMaxRuns].
func MaxRuns(n int) ExploreOption {
	return exploreOption(func(s *exploreSettings) {
		if s.maxRuns = n; n < 3 {
			s.refuse("MaxRuns(%d): it takes at least 3, because two runs are undisturbed", n)
		}
	})
}

// Within limits how long the whole exploration takes. What was not explored by then is counted in its summary. By default the
// time limit of the test binary (go test -timeout) is the bound: the exploration ends shortly before.
func Within(d time.Duration) ExploreOption {
	return exploreOption(func(s *exploreSettings) {
		if s.within = d; d <= 0 {
			s.refuse("Within(%v): it takes a time above 0", d)
		}
	})
}

// EachWithin sets how long a run may take, instead of [DefaultEachWithin], up to 4m: an app that takes longer hangs, which is a
// finding. The time limit of [Bank.Client] is a quarter of it, so give an app that has a longer one more.
func EachWithin(d time.Duration) ExploreOption {
	return exploreOption(func(s *exploreSettings) {
		if s.eachWithin = d; d <= 0 || d > 4*time.Minute {
			s.refuse("EachWithin(%v): it takes a time above 0, up to 4m", d)
		}
	})
}

// RequireAllOrNothing makes it a finding if a run leaves something half done, or done twice.
func RequireAllOrNothing() ExploreOption {
	return exploreOption(func(s *exploreSettings) { s.allOrNothing = true })
}

// Invariant makes it a finding if the state of the bank at the end of a run doesn't hold a condition: then holds returns what is
// wrong. The undisturbed runs have to hold it, too. Several runs may call it at the same time.
func Invariant(name string, holds func(State) error) ExploreOption {
	return exploreOption(func(s *exploreSettings) {
		if name == "" || holds == nil {
			s.refuse("Invariant(%q, …): it takes a name and a function", name)
			return
		}
		s.invariants = append(s.invariants, invariant{name, holds})
	})
}

// OnlyFailures limits an exploration to the failures whose names match a pattern, as [path.Match] has it: "groups.create#1/*" are
// all failures of the first call of groups.create, "*/timeout" all time-outs, and "groups.*/5*" all statuses from 500 of the
// family groups. A pattern that no failure matches fails the test.
func OnlyFailures(patterns ...string) ExploreOption {
	return exploreOption(func(s *exploreSettings) {
		if len(patterns) == 0 {
			s.refuse("OnlyFailures takes at least a pattern, such as \"%s#1/*\"", contract.GroupsCreate.Name)
		}
		if err := explore.CheckPatterns(patterns); err != nil {
			s.refuse("OnlyFailures: %w", err)
		}
		s.patterns = append(s.patterns, patterns...)
	})
}

// ReportTo writes the report of the exploration to a directory, which is created: as a page (HTML), as JSON, and as JUnit XML. The
// files have the name of the test. The environment variable BANKSIM_REPORT names such a directory for all explorations that have
// none.
func ReportTo(dir string) ExploreOption {
	return exploreOption(func(s *exploreSettings) {
		if s.reportTo = dir; dir == "" {
			s.refuse("ReportTo takes the name of a directory")
		}
	})
}

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
	case r.Reaction == explore.DidNotNotice:
		t.Skipf("testkit: the failure did not reach the app, which didn't make the call. Its calls: %s", strings.Join(r.Calls, ", "))
	default:
		t.Logf("testkit: %s: the app %s", r.Verdict, r.Reaction)
	}
}

// conclude logs what the exploration came to, and writes its report. It fails a test that explored nothing, or less than it asked for
// by name, which would pass whatever the app does. What go test -run leaves out is left out on purpose.
func (x *exploration) conclude(t *testing.T) {
	t.Helper()
	found := x.Report()
	t.Log("testkit: " + report.Summary(found))
	if nothing := x.Nothing(); nothing != "" && !x.deselected.Load() && !t.Failed() {
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
	for ending, format := range map[string]string{".html": "html", ".json": "json", ".xml": "junit"} {
		var text bytes.Buffer
		errs = append(errs, report.Write(&text, all, format), os.WriteFile(filepath.Join(dir, name+ending), text.Bytes(), 0o644))
	}
	return errors.Join(errs...)
}

// subtest returns the name of the subtest for a run. Package testing splits names at slashes and makes the subtests whose names
// begin as go test -run says. So to make a run of a later wave, it makes those that it follows from as well.
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
