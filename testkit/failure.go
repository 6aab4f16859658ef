package testkit

import (
	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// Failure is how a call of the bank fails in a run of [Explore].
type Failure struct {
	Operation string // such as groups.create
	Call      int    // which call of the operation in the run it is, from 1
	Name      string // such as 500_2001, timeout or answer-lost-after-commit
	About     string // what that is, in a sentence
	// Committed says that the change of the call is made all the same: its answer is lost or replaced.
	Committed bool
	// Earlier are the failures of calls before it in the same run. There are some only if the app makes the call because of them.
	Earlier []Failure
}

// Failure returns how a call fails in this run of [Explore], so that the test can expect what the app then does. It is nil in the
// undisturbed runs, and for the bank of any other test.
//
//	err := app.CreateGroup("Night owls")
//	if bank.Failure() == nil {
//		require.NoError(t, err)
//	}
func (b *Bank) Failure() *Failure { return b.failure }

// failureOf returns the failure of a run: that of its last call; nil: it is undisturbed.
func failureOf(r explore.Run) *Failure {
	var all []Failure
	for _, a := range r.Faults {
		all = append(all, Failure{
			Operation: a.Call.Operation, Call: a.Call.Number,
			Name: a.Failure.Name, About: a.Failure.About, Committed: a.Failure.Committed,
		})
	}
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	last.Earlier = all[:len(all)-1]
	return &last
}
