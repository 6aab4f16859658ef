package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// createsOnce creates a group and gives up if that fails.
func createsOnce(a *app) error {
	_, err := a.send(simtest.CreateGroup.WithToken("demo-token"))
	return err
}

// An app that makes one call and gives up has done all or nothing, whatever fails.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: createsOnce}
	report := r.explore(explore.Options{Name: "once", AllOrNothing: true, MayFail: true, Only: withoutTimeouts})
	assert.Equal(t, "once", report.Name)
	assert.Equal(t, []string{"groups.create#1"}, report.Calls)
	assert.Empty(t, report.NotDeterministic)
	assert.Equal(t, 12, report.Runs, "two are undisturbed")
	assert.Equal(t, 2, report.LeftOut)
	assert.Zero(t, report.SameAsAnother)
	assert.Empty(t, report.Ended)
	all := results(report)
	require.Len(t, all, 10)
	for name, result := range all {
		assert.Equal(t, explore.GaveUp, result.Reaction, name)
		assert.Equal(t, explore.Failed, result.Ended, name)
		assert.Empty(t, result.Findings, name)
		committed := strings.Contains(name, "after-commit") || strings.HasSuffix(name, "/truncated") ||
			strings.HasSuffix(name,
				"/malformed")
		if committed {
			assert.Equal(t, explore.Completed, result.Verdict, name)
			assert.Empty(t, result.Differences, name)
			continue
		}
		assert.Equal(t, explore.NothingHappened, result.Verdict, name)
		require.Len(t, result.Differences, 1, name)
		assert.Contains(t, result.Differences[0], "missing: a new row of groups/02688 {", name)
	}
	assert.Equal(t, []string{"groups.create#1 500"}, all["groups.create#1/500_2001"].Calls)
	assert.Equal(t, []string{"groups.create#1 no answer"}, all["groups.create#1/reset"].Calls)
	assert.Equal(t, "groups.create#1/400_2000", report.Results[0].Name, "in the order of the failures")
	assert.Equal(t, "groups.create#1/500-after-commit", report.Results[9].Name)

	// Where the app's failing is a finding, it is one in each run.
	report = r.explore(explore.Options{Only: []string{"*/reset"}})
	require.Len(t, report.Results, 1)
	require.Len(t, report.Results[0].Findings, 1)
	assert.Contains(t, report.Results[0].Findings[0], "After groups.create#1 failed with reset, it failed: ")
}

// createAlert is a change that a bank makes again if it is asked again.
var createAlert = simtest.CreateAlert.Without("transactionid")

// An app that repeats a change whose answer it lost has made it twice: that is found for each failure after the change.
func TestRetriesWithoutLooking(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) error {
		_, err := a.send(createAlert)
		if err == nil || errors.Is(err, errRefused) { // an answer that it got is no reason to ask again
			return err
		}
		_, err = a.send(createAlert)
		return err
	}}
	report := r.explore(explore.Options{AllOrNothing: true, MayFail: true, Only: withoutTimeouts})
	all := results(report)
	for _, name := range []string{"truncated", "malformed", "answer-lost-after-commit"} {
		result := all["alerts.createPreference#1/"+name]
		assert.Equal(t, explore.DoneTwice, result.Verdict, name)
		assert.Equal(t, explore.RetriedNewID, result.Reaction, name)
		require.Len(t, result.Findings, 1, name)
		assert.Equal(t, "After alerts.createPreference#1 failed with "+name+", it is done twice.", result.Findings[0])
		require.Len(t, result.Differences, 1)
		assert.Contains(t, result.Differences[0], "besides: a new row of alertPreferences/02688/1001 {")
	}
	assert.Equal(t, explore.Completed, all["alerts.createPreference#1/reset"].Verdict)
	assert.Equal(t, explore.RetriedNewID, all["alerts.createPreference#1/reset"].Reaction)
	// The retry is a call that only failed runs make: it fails, too, in the few ways that stand for the others.
	again := all["alerts.createPreference#1/reset+alerts.createPreference#2/answer-lost-after-commit"]
	assert.Equal(t, explore.Completed, again.Verdict)
	assert.Equal(t, explore.GaveUp, again.Reaction)
	assert.NotContains(t, all, "alerts.createPreference#1/reset+alerts.createPreference#2/truncated")
	assert.Equal(
		t, explore.NothingHappened, all["alerts.createPreference#1/reset+alerts.createPreference#2/reset"].Verdict,
	)
	var names []string
	for _, result := range report.Results {
		names = append(names, result.Name)
	}
	at := slices.Index(names, "alerts.createPreference#1/reset")
	assert.Equal(t, []string{"alerts.createPreference#1/reset-stays",
		"alerts.createPreference#1/reset+alerts.createPreference#2/500_PRMSYS_10003"}, names[at+1:at+3],
		"runs that fail again follow those that they extend")
}

// A command that ends as if it had worked, and hasn't, is a finding; one that says so is none.
func TestSaysThatItWorked(t *testing.T) {
	t.Parallel()
	for _, says := range []error{nil, errRefused} {
		r := &runner{t: t, app: func(a *app) error {
			if createsOnce(a) != nil {
				return says
			}
			return nil
		}}
		all := results(r.explore(explore.Options{MayFail: true, Only: withoutTimeouts}))
		assert.Empty(t, all["groups.create#1/answer-lost-after-commit"].Findings, "it has worked")
		r.reports = true
		const run = "groups.create#1/reset"
		reported := results(r.explore(explore.Options{Only: []string{run}}))[run]
		wrong := "After groups.create#1 failed with reset, it reported success, but the bank says: nothing happened."
		assert.Equal(t, says == nil, slices.Contains(reported.Findings, wrong), reported.Findings)
		if says == nil {
			assert.Equal(
				t,
				[]string{
					"After groups.create#1 failed with reset, it ended with exit code 0, as if it had worked, but " +
						"the bank says: nothing happened.",
				},
				all["groups.create#1/reset"].Findings,
			)
			causes := map[string]int{}
			for _, result := range all {
				if len(result.Findings) > 0 {
					causes[result.SameAs]++
				}
			}
			assert.Equal(t, 1, causes[""], "one cause")
			assert.Len(t, causes, 2)
		} else {
			assert.Empty(t, all["groups.create#1/reset"].Findings)
		}
	}
}

// An app that ignores what fails goes on; one that logs in again where a token has expired is as good as undisturbed.
func TestGoesOnAndLogsIn(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) error {
		_, _ = a.send(simtest.ListGroups)
		got, err := a.send(simtest.CreateGroup.WithToken("demo-token"))
		if got.status != 401 {
			return err
		}
		issued, err := a.send(simtest.IssueTokens)
		if err != nil {
			return err
		}
		_, err = a.send(simtest.CreateGroup.WithToken(fmt.Sprint(issued.body["access_token"])))
		return err
	}}
	all := results(r.explore(explore.Options{AllOrNothing: true, MayFail: true, Only: withoutTimeouts}))
	for name, result := range all {
		if strings.HasPrefix(name, "groups.list#1/") && len(result.Faults) == 1 {
			assert.Equal(t, explore.WentOn, result.Reaction, name)
			assert.Equal(t, explore.Completed, result.Verdict, name)
		}
		assert.Empty(t, result.Findings, name)
	}
	expired := all["groups.create#1/401_expired"]
	assert.Equal(t, explore.Completed, expired.Verdict, "the grant that it got doesn't count: %v", expired.Differences)
	assert.Equal(t, explore.RetriedNewID, expired.Reaction)
	assert.Contains(t, all, "groups.create#1/401_expired+tokens.issue#1/500_CMN_90000")
	assert.Contains(t, all, "groups.create#1/401_expired+groups.create#2/500_2001",
		"it asks for the same, but only a failed run asks twice")
}
