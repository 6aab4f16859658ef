package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// listsAndCreates asks for the groups, and then creates one.
func listsAndCreates(a *app) error {
	if _, err := a.send(simtest.ListGroups); err != nil {
		return err
	}
	return createsOnce(a)
}

func onlyFirstReset(a explore.Aimed) bool { return a.Name() == "groups.list#1/reset" }

// A failure that no call met is no reason for what the bank is left with. What goes wrong all the same is not ascribed to it.
func TestUnreached(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: listsAndCreates}
	e := explore.New(explore.Options{AllOrNothing: true, Select: onlyFirstReset})
	undisturbed := r.runUndisturbed()
	require.NoError(t, e.Undisturbed(undisturbed, undisturbed))
	runs := e.Next()
	require.Len(t, runs, 1)
	assert.Equal(t, "no run with a failure was made: all of them were skipped", e.Report().Nothing())

	other := undisturbed
	other.Changes = []explore.Change{{Row: "users/02688/1003", Before: []byte(`{"active":true}`), After: []byte(`{"active":false}`)}}
	result := e.Done(runs[0], other)
	assert.Equal(t, explore.DidNotNotice, result.Reaction)
	assert.Equal(t, explore.HalfDone, result.Verdict)
	assert.Empty(t, result.Findings)
	assert.Equal(t, "none of the 1 failures reached the app: no call met them, or they were taken away from the bank", e.Report().Nothing())

	other.Ended, other.Message = explore.Failed, "an assertion"
	assert.Equal(t, []string{"Although no call met groups.list#1/reset, it failed: an assertion"}, e.Done(runs[0], other).Findings)

	assert.Equal(t, explore.GaveUp, e.Done(runs[0], r.run(runs[0])).Reaction)
	assert.Empty(t, e.Report().Nothing())
}

// An app that tries again until the journal has lost the call that failed has not got round the failure.
func TestMoreRequestsThanTheJournalHolds(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) (err error) {
		for range 4 {
			if err = listsAndCreates(a); err == nil {
				break
			}
		}
		return err
	}}
	e := explore.New(explore.Options{MayFail: true, Select: onlyFirstReset})
	require.NoError(t, e.Undisturbed(r.runUndisturbed(), r.runUndisturbed()))
	run := e.Next()[0]
	o := r.run(run)
	o.Exchanges, o.Evicted = append(o.Exchanges[1:2:2], o.Exchanges[1:]...), 7
	result := e.Done(run, o)
	assert.Equal(t, explore.RetriedSameID, result.Reaction)
	assert.Equal(t, []string{"After groups.list#1 failed with reset, it made more requests than the bank's journal holds, which has lost the first 7 of them: " +
		"limit how often it tries again."}, result.Findings)

	o.Exchanges = nil
	assert.Equal(t, explore.Compensated, e.Done(run, o).Reaction)
}
