package explanation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

const aUUID = "9b2f3c52-9d4e-4d26-8a39-1d4a5a0e8f11"

// deleted is the deletion of a group.
func deleted(group string) simtest.Call {
	return simtest.DeleteGroup.At(simtest.GroupsPath + "/" + group)
}

// withoutOLS is a user who has only accepted a disclosure about something else than statements.
const withoutOLS = `
institutions:
  - institutionId: "02688"
    users:
      - hostUserId: "9001"
        disclosures: [{institutionDisclosureName: Mobile deposit, institutionDisclosureStatus: ACCEPTED}]
        accounts: [{accountId: acc-9001}]
`

// After the calls that an explanation names, the same request is not refused by the same rule.
func TestFixes(t *testing.T) {
	t.Parallel()
	type change struct{ call, body string }
	account, user := simtest.UpdateAccount, simtest.UpdateUser
	institution := "PATCH /institutions/02688"
	upload := simtest.UploadParticipants
	for name, test := range map[string]struct {
		rule     sim.Code // or "" if the accounts fail
		behavior string
		changes  []change
		before   simtest.Call // or zero
		call     simtest.Call
		labels   []string
	}{
		"multistatement": {sim.MultistatementNotConfigured, "", []change{{institution, `{"multistatement":false}`}},
			simtest.Call{}, account, []string{"Configure multistatement for institution 02688"}},
		"public disclosures": {sim.DisclosuresWithoutMultistatement, "dialect: public",
			[]change{{institution, `{"multistatement":false}`}},
			simtest.Call{}, simtest.GetDisclosures.With("correlationid", aUUID),
			[]string{"Configure multistatement for institution 02688"}},
		"inactive": {sim.UserNotActive, "", []change{{institution + "/users/1001", `{"active":false}`}},
			simtest.Call{}, user, []string{"Set user 1001 active"}},
		"disclosure of a user": {sim.DisclosureNotAccepted, "", nil,
			simtest.Call{}, user.At(simtest.UpdateUserPath + "1003"), []string{"Accept the disclosures of user 1003"}},
		"no disclosure about statements": {sim.DisclosuresNotAllAccepted, "", nil,
			simtest.Call{}, user.At(simtest.UpdateUserPath + "9001"), []string{"Accept the disclosures of user 9001"}},
		"disclosure of an account": {sim.DisclosureNotAccepted, "",
			[]change{{institution + "/users/1001/accounts/acc-1001-checking", `{"disclosureStatus":"NOT_ACCEPTED"}`}},
			simtest.Call{}, account, []string{"Accept the disclosures of account acc-1001-checking"}},
		"upload": {sim.JobRunning, "", nil, upload, upload, []string{"Move the clock by 1h"}},
		"a long job": {sim.GroupBusy, "jobs: {processingFor: 150m}", nil, upload, deleted(simtest.RetailGroup),
			[]string{"Move the clock by 3h"}},
		"accounts": {"", "estatements: {partialUpdate: allow}",
			[]change{{institution + "/users/1001/accounts/acc-1001-checking", `{"updateFails":true}`}},
			simtest.Call{}, user, []string{"Let account acc-1001-checking be updated"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {"+test.behavior+"}\n"+withoutOLS)
			for _, c := range test.changes {
				b.ControlSandbox(200, c.call, c.body)
			}
			if test.before.Method != "" {
				require.Less(t, test.before.Send(b).StatusCode, 300)
			}
			isFailing := func() bool {
				res := test.call.Send(b)
				if test.rule == "" {
					return res.StatusCode == contract.UpdatedPartly.Status
				}
				return b.Last().Decision.Rule == string(test.rule)
			}
			require.True(t, isFailing(), b.Last().Decision.Rule)
			var labels []string
			for _, fix := range newest(t, b).Fixes {
				labels = append(labels, fix.Label)
				b.ControlSandbox(200, fix.Method+" "+fix.Path, string(fix.Body))
			}
			assert.Equal(t, test.labels, labels)
			assert.False(t, isFailing())
		})
	}
}

// No patch makes a user, and a job that a scenario holds has no end.
func TestNoFix(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`
institutions:
  - institutionId: "02688"
    groups:
      - groupId: `+aUUID+`
        groupName: Held
        jobs: [{type: ADD, inputFileName: a.csv, jobStatus: PROCESSING}]
`)
	for _, c := range []struct {
		rule sim.Code
		call simtest.Call
	}{
		{sim.GroupBusy, deleted(aUUID)},
		{sim.UserUnknown, simtest.UpdateUser.At(simtest.UpdateUserPath + "9")},
	} {
		c.call.Send(b)
		require.Equal(t, string(c.rule), b.Last().Decision.Rule)
		assert.Equal(t, []explanation.Fix{}, newest(t, b).Fixes, c.rule)
	}
}
