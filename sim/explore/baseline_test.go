package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// group returns the call that creates a group.
func group(name string) simtest.Call {
	return simtest.CreateGroup.WithBody(simtest.JSON(map[string]any{"groupName": name, "groupDescription": "of a test"}))
}

// The first difference between two undisturbed runs is named, and calls whose order differs are found by what they ask for: each
// fault meets the call that it is for.
func TestNotDeterministic(t *testing.T) {
	t.Parallel()
	swapped := func(a *app) error { // as two threads do
		names := []string{"Early birds", "Night owls"}
		if a.run%2 == 1 {
			names[0], names[1] = names[1], names[0]
		}
		for _, name := range names {
			if _, err := a.send(group(name)); err != nil {
				return err
			}
		}
		return nil
	}
	r := &runner{t: t, app: swapped}
	report := r.explore(explore.Options{MayFail: true, Select: func(a explore.Aimed) bool { return a.Failure.Name == "reset" }})
	assert.Equal(t, `the body of groups.create#1 differs in member groupName: "Early birds" in one run, "Night owls" in the other; `+
		"so calls are found by operation and request", report.NotDeterministic)
	require.Len(t, report.Results, 2)
	for i, name := range []string{"Early birds", "Night owls"} {
		result := report.Results[i]
		assert.NotEqual(t, explore.DidNotNotice, result.Reaction)
		assert.Contains(t, strings.Join(result.Differences, "\n"), name, result.Name)
		assert.Contains(t, result.Go, `Request: testkit.RequestMatcher{Body: map[string]any{"groupDescription": "of a test", "groupName": "`+name+`"}}`)
		assert.Contains(t, result.YAML, `when: {nth: 1, request: {body: {groupDescription: of a test, groupName: `+name+`}}}`)
	}
}

// So are calls with parameters, and with a form.
func TestFoundByParametersAndForms(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) error {
		for i := range 2 {
			list := simtest.ListGroups
			if (i+a.run)%2 == 0 {
				list = list.WithQuery("size=1")
			}
			_, _ = a.send(list)
			_, _ = a.send(simtest.IssueTokens.WithForm("grant_type=client_credentials&scopes=" + fmt.Sprint(1+(i+a.run)%2)))
		}
		return nil
	}}
	report := r.explore(explore.Options{Select: func(a explore.Aimed) bool {
		return a.Failure.Name == "500-after-commit" || a.Failure.Name == "500_2001"
	}})
	require.Len(t, report.Results, 4)
	for _, result := range report.Results {
		assert.NotEqual(t, explore.DidNotNotice, result.Reaction, result.YAML)
		assert.Contains(t, result.YAML, "request: {", result.Name)
	}
	all := results(report)
	assert.Contains(t, all["groups.list#1/500_2001"].Go, `Query: map[string]*string{"size": testkit.Text("1")}`)
	assert.Contains(t, all["groups.list#2/500_2001"].Go, `Query: map[string]*string{"size": nil}`, "which it lacks")
}

// Calls of different operations in another order are found by their numbers, as ever.
func TestOtherOrderOfOperations(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) error {
		calls := []simtest.Call{simtest.CreateGroup, simtest.ListJobs}
		if a.run == 1 {
			calls[0], calls[1] = calls[1], calls[0]
		}
		for _, call := range calls {
			_, _ = a.send(call)
		}
		return nil
	}}
	report := r.explore(explore.Options{Select: func(a explore.Aimed) bool { return a.Failure.Name == "reset" }})
	assert.Equal(t, "call 1: groups.create in one run, jobs.list in the other; so calls are found by operation and number", report.NotDeterministic)
	all := results(report)
	assert.Equal(t, explore.NothingHappened, all["groups.create#1/reset"].Verdict)
	assert.Equal(t, explore.WentOn, all["groups.create#1/reset"].Reaction)
	assert.Contains(t, all["groups.create#1/reset"].Go, "When: testkit.When{Nth: 1}")
	assert.Equal(t, explore.Completed, all["jobs.list#1/reset"].Verdict)
	assert.Equal(t, explore.RetriedSameID, all["jobs.list#1/reset"].Reaction, "Go's client sends what only reads again by itself, on a new connection")
}

// A member that is another in each run is named, and doesn't count: neither in requests, nor in the rows that they leave.
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
	report := r.explore(explore.Options{MayFail: true, AllOrNothing: true, Select: withoutTimeouts})
	assert.Equal(t, `the body of groups.create#1 differs in member groupName: "Group 0" in one run, "Group 1" in the other; `+
		"so calls are found by operation and number", report.NotDeterministic)
	all := results(report)
	for _, name := range []string{"groups.create#1/500_2001", "groups.create#1/reset", "groups.create#1/answer-lost-after-commit"} {
		assert.Equal(t, explore.Completed, all[name].Verdict, "%s: %v", name, all[name].Differences)
		assert.Equal(t, explore.RetriedNewID, all[name].Reaction, name)
	}
}

// The name of an uploaded file may vary, as that of a temporary one does.
func TestVaryingFile(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: func(a *app) error {
		call := simtest.UploadParticipants
		_, err := a.send(call.WithBody(strings.Replace(call.Body, "participants.csv", fmt.Sprintf("tmp-%d.csv", a.run), 1)))
		return err
	}}
	report := r.explore(explore.Options{MayFail: true, Select: func(a explore.Aimed) bool { return a.Failure.Name == "answer-lost-after-commit" }})
	assert.Equal(t, `the file of groups.uploadParticipants#1 differs in member fileName: "tmp-0.csv" in one run, "tmp-1.csv" in the other; `+
		"so calls are found by operation and number", report.NotDeterministic)
	require.Len(t, report.Results, 1)
	assert.Equal(t, explore.Completed, report.Results[0].Verdict, report.Results[0].Differences)
}

// Runs that make another number of calls, and ends that differ, are named, too.
func TestOtherDifferences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		app  anApp
		want string
	}{
		{func(a *app) error {
			_, err := a.send(simtest.ListGroups)
			if a.run == 1 {
				_, err = a.send(simtest.ListJobs)
			}
			return err
		}, "call 2: no call in one run, jobs.list in the other"},
		{func(a *app) error {
			_, err := a.send(simtest.ListGroups)
			if a.run == 0 {
				_, err = a.send(simtest.ListJobs)
			}
			return err
		}, "call 2: jobs.list in one run, no call in the other"},
		{func(a *app) error {
			_, err := a.send(simtest.ListGroups.WithQuery(fmt.Sprintf("page=0&size=%d", a.run+1)))
			return err
		}, "the query of groups.list#1 differs in member size: 1 in one run, 2 in the other"},
		{func(a *app) error {
			call := simtest.CreateGroup
			if a.run == 1 {
				call = call.With("institutionId", "05523")
			}
			_, err := a.send(call)
			return err
		}, "the header of groups.create#1 differs in member institutionId: nothing in one run, 05523 in the other"},
	} {
		r := &runner{t: t, app: test.app}
		e := explore.New(explore.Options{})
		require.NoError(t, e.Undisturbed(r.runUndisturbed(), r.runUndisturbed()))
		assert.True(t, strings.HasPrefix(e.Report().NotDeterministic, test.want), "%s\n%s", test.want, e.Report().NotDeterministic)
	}
}

// Where the calls are the same and the ends are not, that is the difference.
func TestOtherEnd(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: createsOnce}
	one, other := r.runUndisturbed(), r.runUndisturbed()
	other.Changes = nil
	e := explore.New(explore.Options{})
	require.NoError(t, e.Undisturbed(one, other))
	assert.Contains(t, e.Report().NotDeterministic, "the ends of the two undisturbed runs differ: missing: a new row of groups/02688 {")
}

// A member of a row that is another in each undisturbed run, such as a number, is named and doesn't count. A row that only one of
// them leaves makes verdicts uncertain, and the report says so, also where calls differ.
func TestVaryingEnd(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, app: createsOnce}
	run := r.runUndisturbed()
	amount := func(n int, changes ...explore.Change) explore.Observation {
		o := run
		o.Changes = append(changes, change("users/02688/1003", `{"limits":[{"amount":1}],"active":true}`, fmt.Sprintf(`{"limits":[{"amount":%d}],"active":false}`, n)),
			change("alertPreferences/02688/1001/9", "", fmt.Sprintf(`{"value":{"amount":%d},"channel":"SMS"}`, n)))
		return o
	}
	e := explore.New(explore.Options{AllOrNothing: true})
	require.NoError(t, e.Undisturbed(amount(5), amount(6)))
	assert.Equal(t, "the ends of the two undisturbed runs differ: different: users/02688/1003 has limits[0].amount 6 instead of 5", e.Report().NotDeterministic)
	disturbed := e.Next()[0]
	assert.Equal(t, explore.Completed, e.Done(disturbed, amount(7)).Verdict)
	half := amount(8)
	half.Changes = half.Changes[:1]
	assert.Equal(t, explore.HalfDone, e.Done(disturbed, half).Verdict)

	e = explore.New(explore.Options{})
	other := amount(6, change("users/02688/1001", `{"active":true}`, `{"active":false}`))
	other.Exchanges = append(slices.Clone(other.Exchanges), other.Exchanges...)
	require.NoError(t, e.Undisturbed(amount(5), other))
	assert.Equal(t, "call 2: no call in one run, groups.create in the other; so calls are found by operation and number; "+
		"and the ends of the two undisturbed runs differ: besides: users/02688/1001 with active false; so verdicts, which compare with the first of them, may be wrong",
		e.Report().NotDeterministic)
}

// Random boundaries of parts, times, tokens and ids that the bank draws are no difference.
func TestWhatMayDiffer(t *testing.T) {
	t.Parallel()
	r := &runner{t: t, scenario: "name: test\nextends: retail\n", app: func(a *app) error {
		for range a.run { // so that the bank draws other ids, and other tokens
			if err := extra(a); err != nil {
				return err
			}
		}
		created, err := a.send(simtest.CreateGroup)
		if err != nil {
			return err
		}
		call := upload(created.body["groupId"])
		boundary := fmt.Sprintf("part%d", a.run)
		call = call.WithBody(strings.ReplaceAll(call.Body, "--part", "--"+boundary)).With("content-type", "multipart/form-data; boundary="+boundary)
		if _, err = a.send(call); err != nil {
			return err
		}
		preference, err := a.send(createAlert)
		if err != nil {
			return err
		}
		id := preference.body["alertPreferenceDetails"].(map[string]any)["alertPrefId"]
		_, err = a.send(simtest.UpdateAlert.At(fmt.Sprintf("%s/%v", simtest.AlertsPath, id)).Without("transactionid"))
		return err
	}}
	one, other := r.runUndisturbed(), r.runUndisturbed()
	require.Equal(t, explore.Passed, other.Ended, other.Message)
	other.Exchanges, other.Changes = other.Exchanges[4:], withoutRow(other.Changes, "Extra")
	e := explore.New(explore.Options{})
	require.NoError(t, e.Undisturbed(one, other))
	assert.Empty(t, e.Report().NotDeterministic)
}

// extra creates a group and a preference, and takes the preference back.
func extra(a *app) error {
	if _, err := a.send(group("Extra")); err != nil {
		return err
	}
	preference, err := a.send(createAlert)
	if err != nil {
		return err
	}
	id := preference.body["alertPreferenceDetails"].(map[string]any)["alertPrefId"]
	if _, err := a.send(simtest.DeleteAlert.At(fmt.Sprintf("%s/%v", simtest.AlertsPath, id)).Without("transactionid")); err != nil {
		return err
	}
	_, err = a.send(simtest.IssueTokens)
	return err
}

// withoutRow returns changes without those that hold a text.
func withoutRow(changes []explore.Change, text string) (kept []explore.Change) {
	for _, c := range changes {
		if !strings.Contains(string(c.After), text) {
			kept = append(kept, c)
		}
	}
	return kept
}

// An exploration of an app that fails undisturbed, or never calls its bank, says what is wrong.
func TestUndisturbedMustPass(t *testing.T) {
	passed := explore.Observation{Ended: explore.Passed}
	assert.EqualError(t, explore.New(explore.Options{}).Undisturbed(passed, passed),
		"the undisturbed run made no call to the bank: give the app the base URL of its bank")
	assert.EqualError(t, explore.New(explore.Options{}).Undisturbed(passed, explore.Observation{Ended: explore.Failed, Message: "2 tests failed"}),
		"undisturbed run 2 failed: 2 tests failed")
	assert.EqualError(t, explore.New(explore.Options{}).Undisturbed(explore.Observation{Ended: explore.Hung}, passed),
		"undisturbed run 1 didn't end in its time: give it more, or look what it waits for")
}
