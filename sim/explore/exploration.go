package explore

import (
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Options bound an exploration.
type Options struct {
	Name      string        // of the test or the command
	Behavior  *sim.Behavior // of the banks; nil: the default
	MaxRuns   int           // 0: DefaultMaxRuns; the undisturbed ones count
	MaxFaults int           // failures in one run; 0: 1. Calls that only a failed run makes are explored whatever it says.
	Time      time.Duration // for the whole; 0: none
	// AllOrNothing makes the verdicts HalfDone and DoneTwice findings.
	AllOrNothing bool
	// Select limits the failures that are explored; nil: all.
	Select func(Aimed) bool
}

// DefaultMaxRuns is how many runs an exploration has at most, if its options don't say.
const DefaultMaxRuns = 1000

// Exploration is the exploration of a test. Its methods may be called by several goroutines.
type Exploration struct{}

// New begins an exploration.
func New(o Options) *Exploration { return nil }

// Undisturbed takes two undisturbed runs, from which the exploration is planned. It fails if one didn't pass, or made no
// call.
func (e *Exploration) Undisturbed(first, second Observation) error { return nil }

// Next returns the runs to make next, which may be made at once; none: the exploration is over. The runs that were returned
// before have to be done.
func (e *Exploration) Next() []Run { return nil }

// Done takes what a run came to, and judges it.
func (e *Exploration) Done(r Run, o Observation) Result { return Result{} }

// Skipped takes note of a run that isn't made, such as one that go test -run leaves out.
func (e *Exploration) Skipped(r Run) {}

// Report returns what was found so far.
func (e *Exploration) Report() Report { return Report{} }
