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
	e := explore.New(explore.Options{MayFail: true, Only: []string{"*#1/reset"}})
	require.NoError(t, e.Undisturbed(r.run(explore.Run{}), r.run(explore.Run{})))
	run := e.Next()[0]
	o := r.run(run)
	o.Exchanges, o.Evicted = append(o.Exchanges[1:2:2], o.Exchanges[1:]...), 7
	result := e.Done(run, o)
	assert.Equal(t, explore.Compensated, result.Reaction)
	assert.Equal(t, []string{"After groups.list#1 failed with reset, it made more requests than the bank's journal holds, which has lost the first 7 of them: " +
		"limit how often it tries again."}, result.Findings)
}
