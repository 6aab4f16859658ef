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
	account, user, upload := simtest.UpdateAccount, simtest.UpdateUser, simtest.UploadParticipants
	const institution = "PATCH /institutions/02688"
	for label, test := range map[string]struct {
		rule     sim.Code // or "" if the accounts fail
		behavior string
		change   change       // or zero
		before   simtest.Call // or zero
		call     simtest.Call
	}{
		"Configure multistatement for institution 02688": {rule: sim.DisclosuresWithoutMultistatement,
			behavior: "dialect: public",
			change:   change{institution, `{"multistatement":false}`}, call: simtest.GetDisclosures.With("correlationid", aUUID)},
		"Set user 1001 active": {rule: sim.UserNotActive, call: user,
			change: change{institution + "/users/1001", `{"active":false}`}},
		"Accept the disclosures of user 9001": {rule: sim.DisclosuresNotAllAccepted,
			call: user.At(simtest.UpdateUserPath + "9001")},
		"Accept the disclosures of account acc-1001-checking": {rule: sim.DisclosureNotAccepted, call: account,
			change: change{institution + "/users/1001/accounts/acc-1001-checking", `{"disclosureStatus":"NOT_ACCEPTED"}`}},
		"Move the clock by 1h": {rule: sim.JobRunning, before: upload, call: upload},
		"Move the clock by 3h": {rule: sim.GroupBusy, behavior: "jobs: {processingFor: 150m}", before: upload,
			call: deleted(simtest.RetailGroup)},
		"Let account acc-1001-checking be updated": {behavior: "estatements: {partialUpdate: allow}", call: user,
			change: change{institution + "/users/1001/accounts/acc-1001-checking", `{"updateFails":true}`}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {"+test.behavior+"}\n"+withoutOLS)
			if test.change.call != "" {
				b.ControlSandbox(200, test.change.call, test.change.body)
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
			fixes := newest(t, b).Fixes
			require.Len(t, fixes, 1)
			assert.Equal(t, label, fixes[0].Label)
			b.ControlSandbox(200, fixes[0].Method+" "+fixes[0].Path, string(fixes[0].Body))
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
