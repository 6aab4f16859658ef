package explore_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// change returns a change of a row, given the JSON of both; empty: there is none.
func change(row, before, after string) explore.Change {
	members := func(text string) (members map[string]any) {
		_ = json.Unmarshal([]byte(text), &members)
		return members
	}
	return explore.Change{Row: row, Before: members(before), After: members(after)}
}

const (
	oneID   = "11111111-1111-4111-8111-111111111111"
	otherID = "22222222-2222-4222-8222-222222222222"
	thirdID = "33333333-3333-4333-8333-333333333333"
)

func newGroupRow(id, name string, participants int) explore.Change {
	return change("groups/02688/"+id, "", fmt.Sprintf(
		`{"groupId":%q,"groupName":%q,"groupParticipantCount":%d,"groupLastUpdatedDateTime":"2026-01-15T09:00:00Z"}`,
		id,
		name,
		participants,
	))
}

func jobRow(id, group, status string, succeeded int) explore.Change {
	return change("jobs/02688/"+id, "", fmt.Sprintf(
		`{"jobId":%q,"groupId":%q,"type":"ADD","jobStatus":%q,"successRecordsCount":%d,"createdDateTime":"2026-01-15T09:00:0%d.5Z"}`,
		id,
		group,
		status,
		succeeded,
		succeeded,
	))
}

func participantRow(group, id string) explore.Change {
	return change("participants/02688/"+group+"/"+id, "", `{"participantId":"`+id+`"}`)
}

func preferenceRow(id int, channel string) explore.Change {
	return change(fmt.Sprintf("alertPreferences/02688/1001/%d", id), "",
		fmt.Sprintf(`{"alertPreferenceDetails":{"alertPrefId":%d,"channelTypeName":%q}}`, id, channel))
}

func grantRow(number int, before, after string) explore.Change {
	row := func(text string) string {
		if text == "" {
			return ""
		}
		return `{"accessToken":"tok_00000000000` + fmt.Sprint(number) + `",` + text + `}`
	}
	return change(fmt.Sprintf("grants/02688/demo-app/%d", number), row(before), row(after))
}

// The end of a run is judged by the rows in which its bank differs from its start, up to ids, tokens and times.
func TestVerdicts(t *testing.T) {
	const account = "accounts/02688/1001/acc-1001-checking"
	type changes = []explore.Change
	for name, test := range map[string]struct {
		undisturbed, end changes
		want             explore.Verdict
		differences      []string
	}{
		"nothing changes, ever": {nil, nil, explore.Completed, []string{}},
		"another id of a group": {changes{newGroupRow(oneID, "A", 0)}, changes{newGroupRow(otherID, "A", 0)},
			explore.Completed,
			[]string{}},
		"another name": {changes{newGroupRow(oneID, "A", 0)}, changes{newGroupRow(oneID, "B", 0)}, explore.HalfDone,
			[]string{`different: a new row of groups/02688 has groupId "(the new group B)" instead of "(the new group A)"`,
				`different: a new row of groups/02688 has groupName "B" instead of "A"`}},
		"nothing": {changes{newGroupRow(oneID, "A", 0)}, nil, explore.NothingHappened, nil},
		"two groups": {changes{newGroupRow(oneID, "A", 0)},
			changes{newGroupRow(otherID, "A", 0), newGroupRow(thirdID, "A", 0)}, explore.DoneTwice, nil},
		"twice, but one row is missing": {changes{newGroupRow(oneID, "A", 0), preferenceRow(1, "SMS")},
			changes{newGroupRow(oneID, "A", 0), newGroupRow(otherID, "A", 0)}, explore.HalfDone, nil},
		"a job of another group": {changes{newGroupRow(oneID, "A", 0), newGroupRow(otherID, "B", 0),
			jobRow(thirdID, oneID, "FAILED", 0)},
			changes{newGroupRow(oneID, "B", 0), newGroupRow(otherID, "A", 0), jobRow(thirdID, oneID, "FAILED", 0)},
			explore.HalfDone, nil},
		"a row that is gone": {changes{change("alertPreferences/02688/1001/1", `{"alertOpted":true}`, "")},
			changes{change("alertPreferences/02688/1001/1", `{"alertOpted":true}`, "")},
			explore.Completed, []string{}},
		"changed otherwise": {changes{change(account, `{"activateEstatement":false}`, `{"activateEstatement":true}`)},
			changes{change(account, `{"activateEstatement":false}`, `{"activateEstatement":false,"updateFails":true}`)},
			explore.HalfDone, []string{"different: " + account + " has activateEstatement false instead of true",
				"different: " +
					account + " has updateFails true instead of nothing"}},
		"still there": {changes{change(account, `{"a":1}`, "")}, changes{change(account, `{"a":1}`, `{"a":2}`)}, explore.HalfDone,
			[]string{"missing: the end of " + account, "besides: " + account + " with a 2"}},
		"another time": {changes{change(account, `{"at":"2026-01-15T09:00:00Z","x":1}`, `{"at":"2026-01-15T10:00:00Z","x":2}`)},
			changes{change(account, `{"at":"2026-01-15T09:00:00Z","x":1}`,
				`{"at":"2026-01-15T11:00:00.25Z","x":2}`)}, explore.Completed, []string{}},
		"set back, at another time": {changes{newGroupRow(oneID, "A", 0)},
			changes{change(account, `{"at":"2026-01-15T09:00:00Z"}`, `{"at":"2026-01-15T10:00:00Z"}`)},
			explore.NothingHappened, nil},
		"a grant more": {changes{grantRow(1, "", `"revoked":false`)},
			changes{grantRow(1, "", `"revoked":true`), grantRow(2, "", `"revoked":false`)}, explore.Completed, []string{}},
		"a grant refreshed": {nil, changes{change("grants/02688/demo-app/1", `{"accessToken":"tok_1","revoked":false}`,
			`{"accessToken":"tok_2","revoked":false}`)}, explore.Completed, []string{}},
		"a grant revoked": {nil, changes{grantRow(1, `"revoked":false`, `"revoked":true`)}, explore.HalfDone,
			[]string{"besides: grants/02688/demo-app/1 with revoked true"}},
		"a grant not revoked": {changes{grantRow(1, `"revoked":false`, `"revoked":true`)}, nil, explore.NothingHappened,
			[]string{"missing: grants/02688/demo-app/1 with revoked true"}},
		"a job that came further": {changes{newGroupRow(oneID, "A", 0), jobRow(thirdID, oneID, "CREATED", 0)},
			changes{newGroupRow(otherID, "A", 2), jobRow(thirdID, otherID, "SUCCESSFUL", 2),
				participantRow(otherID, "1001"),
				participantRow(otherID, "1002")},
			explore.Completed, []string{}},
		"a job of the scenario that goes on": {nil,
			changes{change("jobs/02688/"+oneID, `{"jobId":"x","groupId":"`+otherID+`","jobStatus":"CREATED"}`,
				`{"jobId":"x","groupId":"`+otherID+`","jobStatus":"SUCCESSFUL"}`),
				change("groups/02688/"+otherID, `{"groupName":"A","groupParticipantCount":1}`,
					`{"groupName":"A","groupParticipantCount":3}`), participantRow(otherID, "1002")},
			explore.Completed, []string{}},
	} {
		passed := explore.Observation{Ended: explore.Passed, Changes: test.undisturbed,
			Exchanges: []journal.Exchange{{Operation: "groups.list", Dialect: "document"}}}
		e, err := explore.New(explore.Options{}, passed, passed)
		require.NoError(t, err)
		require.Empty(t, e.Report().NotDeterministic, name)
		got := e.Done(e.Next()[0], explore.Observation{Ended: explore.Passed, Changes: test.end})
		assert.Equal(t, test.want, got.Verdict, "%s: %v", name, got.Differences)
		if test.differences != nil {
			assert.Equal(t, test.differences, got.Differences, name)
		} else {
			assert.NotEmpty(t, got.Differences, name)
		}
		assert.Equal(t, explore.NotReached, got.Reaction, name)
	}
}
