package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// group returns the call that creates a group.
func group(name string) simtest.Call {
	return simtest.CreateGroup.WithBody(
		simtest.JSON(map[string]any{"groupName": name, "groupDescription": "of a test"}),
	)
}

// each sends calls, whatever comes of them.
func each(a *app, calls ...simtest.Call) error {
	for _, call := range calls {
		_, _ = a.send(call)
	}
	return nil
}

// The first difference between two undisturbed runs is named, and the exploration goes on.
func TestNotDeterministic(t *testing.T) {
	t.Parallel()
	for want, app := range map[string]anApp{
		`body.groupName of groups.create#1: "Early birds" in one run, "Night owls" in the other`: func(a *app) error { // as two threads do
			names := []string{"Early birds", "Night owls"}
			return each(a, group(names[a.run%2]), group(names[(a.run+1)%2]))
		},
		"call 1: groups.create#1 in one run, jobs.list#1 in the other": func(a *app) error {
			calls := []simtest.Call{simtest.CreateGroup, simtest.ListJobs}
			return each(a, calls[a.run%2], calls[(a.run+1)%2])
		},
		"call 2: no call in one run, jobs.list#1 in the other": func(a *app) error {
			return each(a, []simtest.Call{simtest.ListGroups, simtest.ListJobs}[:1+a.run%2]...)
		},
		"header.institutionId of groups.list#1: nothing in one run, 05523 in the other": func(a *app) error {
			calls := []simtest.Call{simtest.ListGroups, simtest.ListGroups.With("institutionId", "05523")}
			return each(a, calls[a.run%2])
		},
		`body.scopes of tokens.issue#1: 0 in one run, 1 in the other`: func(a *app) error {
			return each(a, simtest.IssueTokens.WithForm(fmt.Sprintf("grant_type=client_credentials&scopes=%d",
				a.run%2)))
		},
	} {
		r := &runner{t: t, app: app}
		report := r.explore(explore.Options{Only: []string{"*/reset"}})
		assert.True(t, strings.HasPrefix(report.NotDeterministic, want), "%s\n%s", want, report.NotDeterministic)
		assert.NotEmpty(t, report.Results, want)
	}
}

// A member that is another in each run, such as a random name, is named, and doesn't count: neither in requests, nor in
// rows.
func TestVaryingMember(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) error {
		name := fmt.Sprintf("Group %d", a.run)
		if _, err := a.send(group(name)); err != nil {
			_, err = a.send(group(name))
			return err
		}
		return nil
	}}
	report := r.explore(explore.Options{MayFail: true, AllOrNothing: true, Only: withoutTimeouts})
	assert.Equal(
		t,
		`body.groupName of groups.create#1: "Group 0" in one run, "Group 1" in the other`,
		report.NotDeterministic,
	)
	all := results(report)
	for _, name := range []string{"groups.create#1/500_2001", "groups.create#1/reset",
		"groups.create#1/answer-lost-after-commit"} {
		assert.Equal(t, explore.Completed, all[name].Verdict, "%s: %v", name, all[name].Differences)
		assert.Equal(t, explore.RetriedNewID, all[name].Reaction, name)
	}
}

// Random boundaries of parts, times, tokens and ids that the bank draws are no difference.
func TestWhatMayDiffer(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, scenario: "name: test\nextends: retail\n", app: func(a *app) error {
		for range a.run { // so that the bank draws other ids, and other tokens
			if err := each(a, group("Extra"), createAlert, simtest.IssueTokens); err != nil {
				return err
			}
		}
		created, err := a.send(simtest.CreateGroup)
		if err != nil {
			return err
		}
		call := simtest.UploadParticipants
		call.Path = strings.Replace(call.Path, simtest.RetailGroup, fmt.Sprint(created.body["groupId"]), 1)
		boundary := fmt.Sprintf("part%d", a.run)
		call = call.WithBody(strings.ReplaceAll(call.Body, "--part", "--"+boundary)).With("content-type",
			"multipart/form-data; boundary="+boundary)
		if _, err = a.send(call); err != nil {
			return err
		}
		preference, err := a.send(createAlert.WithBody(strings.Replace(createAlert.Body, "SMS", "EMAIL", 1)))
		if err != nil {
			return err
		}
		id := preference.body["alertPreferenceDetails"].(map[string]any)["alertPrefId"]
		path := fmt.Sprintf("%s/%v", simtest.CreateAlert.Path, id)
		_, err = a.send(simtest.UpdateAlert.At(path).Without("transactionid"))
		return err
	}}
	one, other := r.run(explore.Run{}), r.run(explore.Run{})
	require.Equal(t, explore.Passed, other.Ended, other.Message)
	other.Exchanges, other.Changes = other.Exchanges[3:], one.Changes // those of the extra rows are for this test alone
	e, err := explore.New(explore.Options{}, one, other)
	require.NoError(t, err)
	assert.Empty(t, e.Report().NotDeterministic)
}

// An exploration of an app that fails undisturbed, or never calls its bank, says what is wrong.
func TestUndisturbedMustPass(t *testing.T) {
	t.Parallel()
	passed := explore.Observation{Ended: explore.Passed, Exchanges: made("groups.list a 1")}
	for want, o := range map[string]explore.Observation{
		"it fails: 2 tests failed": {Ended: explore.Failed,
			Message: "2 tests failed"},
		"it doesn't end in its time: ":                                {Ended: explore.Hung},
		"it calls no operation of the bank, and makes 0 other reques": {Ended: explore.Passed},
		"it makes more requests than a journal holds, ":               {Ended: explore.Passed, Evicted: 1},
		"the end breaks an invariant: one group": {Ended: explore.Passed,
			Broken: []string{"one group"}},
	} {
		_, err := explore.New(explore.Options{}, passed, o)
		assert.ErrorContains(t, err, "without a failure of the bank, "+want)
	}
}

// All or nothing says nothing about an app that changes nothing: it would hold whatever fails. A change that the app
// takes back, or that comes beside a refusal, is one.
func TestAllOrNothingNeedsAChange(t *testing.T) {
	t.Parallel()
	unknown := simtest.CreateGroup.With("institutionId", "99999")
	const refused = "without a failure of the bank, it changes nothing that could be left half done, so all or nothing can't be required: " +
		"its calls are %s. Let it make a change that the bank accepts, or don't require all or nothing"
	for name, test := range map[string]struct {
		app   anApp
		calls string // in the error, or "" if there is none
	}{
		"refused after a login": {func(a *app) error { return each(a, simtest.IssueTokens, unknown) },
			"tokens.issue#1 200, groups.create#1 400"},
		"only reads":                  {func(a *app) error { return each(a, simtest.ListGroups) }, "groups.list#1 200"},
		"changes, and is refused":     {func(a *app) error { return each(a, simtest.CreateGroup, unknown) }, ""},
		"takes back what it has done": {createsAndDeletes, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &runner{t: t, app: test.app}
			undisturbed := r.run(explore.Run{})
			_, err := explore.New(explore.Options{AllOrNothing: true}, undisturbed, undisturbed)
			if test.calls == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, fmt.Sprintf(refused, test.calls))
			}
			_, err = explore.New(explore.Options{}, undisturbed, undisturbed)
			assert.NoError(t, err, "without that, a refusal may be meant")
		})
	}
}

// createsAndDeletes creates a group and deletes it.
func createsAndDeletes(a *app) error {
	created, err := a.send(simtest.CreateGroup)
	if err == nil {
		_, err = a.send(simtest.DeleteGroup.At(simtest.GroupsPath + "/" + fmt.Sprint(created.body["groupId"])))
	}
	return err
}

// The report names the calls that the bank refuses without a failure.
func TestRefusedUndisturbed(t *testing.T) {
	t.Parallel()
	r := &runner{
		t:   t,
		app: func(a *app) error { return each(a, simtest.CreateGroup, simtest.CreateGroup, simtest.ListGroups) },
	}
	report := r.explore(explore.Options{Only: []string{"*/reset"}})
	assert.Equal(t, []string{"groups.create#1", "groups.create#2", "groups.list#1"}, report.Calls)
	assert.Equal(t, []string{"groups.create#2 400"}, report.Refused)
}
