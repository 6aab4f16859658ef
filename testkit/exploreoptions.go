package testkit

import (
	"errors"
	"flag"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// defaultEachWithin is how long a run of an exploration may take, see EachWithin (choice).
const defaultEachWithin = 8 * time.Second

// exploreSettings holds what the options of an exploration set.
type exploreSettings struct {
	isSet        bool // whether an option of explorations is given
	maxRuns      int
	within       time.Duration
	eachWithin   time.Duration
	allOrNothing bool
	invariants   []invariant
	patterns     []string // of names of failures, or nil for all
	reportTo     string   // a directory, or "" for no report
}

// invariant is a condition on the state at the end of each run.
type invariant struct {
	name  string
	holds func(State) error
}

// defaultExploreSettings returns the settings of an exploration without options.
func defaultExploreSettings() exploreSettings {
	return exploreSettings{
		maxRuns: explore.DefaultMaxRuns, within: 24 * time.Hour, eachWithin: defaultEachWithin,
		reportTo: os.Getenv("BANKSIM_EXPLORE_REPORT"),
	}
}

// exploreOption returns an option of explorations.
func exploreOption(set func(s *settings, x *exploreSettings)) Option {
	return func(s *settings) {
		s.explore.isSet = true
		set(s, &s.explore)
	}
}

// refuseExploreOptions refuses options of Explore for any other bank.
func (s settings) refuseExploreOptions() error {
	if s.explore.isSet {
		return errors.New("an option of Explore goes with Explore alone")
	}
	return nil
}

// runsAtOnce is how many runs are made at the same time: as many as go test -parallel says or, without that, several
// for each processor, because a run mostly waits.
func runsAtOnce() int {
	processors := runtime.GOMAXPROCS(0) // the default of the flag
	if parallel := flag.Lookup("test.parallel"); parallel != nil {
		if n, err := strconv.Atoi(parallel.Value.String()); err == nil && n != processors {
			return n
		}
	}
	return 4 * processors
}

// MaxRuns limits how many runs an exploration has, the two undisturbed ones included. The default is 1,000.
func MaxRuns(n int) Option {
	return exploreOption(func(s *settings, x *exploreSettings) {
		if x.maxRuns = n; n < 3 {
			s.refuse("MaxRuns(%d): it takes at least 3, because two runs are undisturbed", n)
		}
	})
}

// Within limits how long the whole exploration takes. Its summary counts the runs that are left out. By default the
// exploration ends shortly before the time limit of the test binary (go test -timeout).
func Within(d time.Duration) Option {
	return exploreOption(func(s *settings, x *exploreSettings) {
		if x.within = d; d <= 0 {
			s.refuse("Within(%v): it takes a time above 0", d)
		}
	})
}

// EachWithin sets how long a run may take, up to 4m; the default is 8s. An app that takes longer hangs: that is a
// finding. The time limit of [Bank.Client] is a quarter of it.
func EachWithin(d time.Duration) Option {
	return exploreOption(func(s *settings, x *exploreSettings) {
		if x.eachWithin = d; d <= 0 || d > 4*time.Minute {
			s.refuse("EachWithin(%v): it takes a time above 0, up to 4m", d)
		}
	})
}

// RequireAllOrNothing makes it a finding if a run leaves something half done, or done twice.
func RequireAllOrNothing() Option {
	return exploreOption(func(_ *settings, x *exploreSettings) { x.allOrNothing = true })
}

// Invariant makes it a finding if holds returns an error for the state of the bank at the end of a run. The undisturbed
// runs have to hold it, too. Several runs may call it at the same time.
func Invariant(name string, holds func(State) error) Option {
	return exploreOption(func(s *settings, x *exploreSettings) {
		if name == "" || holds == nil {
			s.refuse("Invariant(%q, …): it takes a name and a function", name)
			return
		}
		x.invariants = append(x.invariants, invariant{name, holds})
	})
}

// OnlyFailures limits an exploration to the failures whose names match a pattern of [path.Match]. "groups.create#1/*"
// are all failures of the first call of groups.create, "*/timeout" are all time-outs, and "groups.*/5*" are all
// statuses from 500 of the family groups. A pattern that no failure matches fails the test.
func OnlyFailures(patterns ...string) Option {
	return exploreOption(func(s *settings, x *exploreSettings) {
		if len(patterns) == 0 {
			s.refuse("OnlyFailures takes at least a pattern, such as %q", GroupsCreate+"#1/*")
		}
		if err := explore.CheckPatterns(patterns); err != nil {
			s.refuse("OnlyFailures: %w", err)
		}
		x.patterns = append(x.patterns, patterns...)
	})
}
