package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
		if _, err := a.send(
			createAlert,
		); err == nil ||
			errors.Is(err, errRefused) { // an answer that it got is no reason to ask again
			return err
		}
		_, err := a.send(createAlert)
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
	assert.Equal(t, []string{"alerts.createPreference#1 no answer", "alerts.createPreference#2 no answer"}, again.Calls)
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

// upload imports a participant into a group.
func upload(groupID any) simtest.Call {
	return simtest.UploadParticipants.At(
		strings.Replace(simtest.UploadParticipants.Path, simtest.RetailGroup, fmt.Sprint(groupID), 1),
	)
}

// deleteGroup deletes a group.
func deleteGroup(groupID any) simtest.Call {
	return simtest.DeleteGroup.At(simtest.GroupsPath + "/" + fmt.Sprint(groupID))
}

// twoSteps creates a group and imports participants. If that fails, it takes the first step back, if it is asked to.
func twoSteps(takesBack bool) anApp {
	return func(a *app) error {
		created, err := a.send(simtest.CreateGroup)
		if err != nil {
			return err
		}
		if _, err = a.send(upload(created.body["groupId"])); err != nil && takesBack {
			_, _ = a.send(deleteGroup(created.body["groupId"]))
		}
		return err
	}
}

// Half of a change of two steps stays where the second fails, and the app doesn't take back the first.
func TestLeavesHalf(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: twoSteps(false)}
	report := r.explore(explore.Options{AllOrNothing: true, MayFail: true, Only: withoutTimeouts})
	assert.Equal(t, []string{"groups.create#1", "groups.uploadParticipants#1"}, report.Calls)
	all := results(report)
	half := all["groups.uploadParticipants#1/500_2001"]
	assert.Equal(t, explore.HalfDone, half.Verdict)
	assert.Equal(t, explore.GaveUp, half.Reaction)
	assert.Equal(
		t, []string{"After groups.uploadParticipants#1 failed with 500_2001, the change is left half done."},
		half.Findings,
	)
	require.Len(t, half.Differences, 1)
	assert.Contains(t, half.Differences[0], `"groupId":"(the new group Night owls)"`)
	assert.Equal(t, explore.Completed, all["groups.uploadParticipants#1/answer-lost-after-commit"].Verdict)
	assert.Equal(
		t, explore.HalfDone, all["groups.create#1/answer-lost-after-commit"].Verdict,
		"the group is there, the job is not",
	)
	assert.Equal(t, explore.NothingHappened, all["groups.create#1/reset"].Verdict)
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
		reported := results(r.explore(explore.Options{Only: []string{"groups.create#1/reset"}}))["groups.create#1/reset"]
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
			blocks, found := 0, 0
			for _, result := range all {
				if len(result.Findings) > 0 {
					found++
				}
				if len(result.Findings) > 0 && result.SameAs == "" {
					blocks++
				}
			}
			assert.Equal(t, 1, blocks, "one cause")
			assert.Greater(t, found, 3)
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
		token := "demo-token"
		create := func() error {
			got, err := a.send(simtest.CreateGroup.WithToken(token))
			if got.status != 401 {
				return err
			}
			issued, err := a.send(simtest.IssueTokens)
			if err != nil {
				return err
			}
			token = fmt.Sprint(issued.body["access_token"])
			_, err = a.send(simtest.CreateGroup.WithToken(token))
			return err
		}
		return create()
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

// An app without a deadline hangs, and the calls that it made until then are in the report.
func TestHangs(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: createsOnce, deadline: time.Second}
	e, err := explore.New(explore.Options{}, r.run(explore.Run{}), r.run(explore.Run{}))
	require.NoError(t, err)
	for _, run := range e.Next() {
		if run.Name() != "groups.create#1/timeout-after-commit" {
			e.Skip(run)
			continue
		}
		o := r.run(run)
		o.Ended = explore.Hung // as who runs it says, once its time is over
		result := e.Done(run, o)
		assert.Equal(t, explore.HungAfterwards, result.Reaction)
		assert.Equal(t, explore.Completed, result.Verdict)
		assert.Equal(t, []string{"groups.create#1 no answer"}, result.Calls)
		assert.Equal(
			t, []string{"After groups.create#1 failed with timeout-after-commit, it hung: it didn't end in its time."},
			result.Findings,
		)
	}
	for _, run := range e.Next() {
		assert.Regexp(t, "-stays$", run.Name(), "which go test -run may select")
	}
	assert.Equal(t, 3, e.Report().Runs)
	assert.Equal(t, 11, e.Report().LeftOut)
}
