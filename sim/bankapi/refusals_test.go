package bankapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// NUL is refused in the name of a group, in both dialects.
func TestNULInANameOfAGroup(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, in := range contract.Interfaces() {
		call := exampleCall(in.Operation(contract.GroupsCreate.Name)).WithBody(`{"groupName":"Night\u0000owls"}`)
		res := call.Send(b)
		assert.Equal(t, "2000", res.Code(), res.Body)
		assert.Equal(t, "group-name-has-nul", b.Last().Decision.Rule)
	}
}

// Where a bank repeats answers, a request with a used transactionId has no second effect and gets the first answer, but
// only in the same operation, only for a day, and not if the first was refused.
func TestRepeatedAnswers(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {groups: {transactionIdReuse: replay}}\n")
	create := createGroup.With("transactionId", "once")
	create.WithBody(`{}`).Expect(b, 400)
	first := create.Expect(b, 200)
	again := create.WithBody(`{"groupName":"Another"}`).Send(b)
	assert.Equal(t, first.Body, again.Body)
	assert.Contains(t, b.ControlSandbox(200, "GET /journal?limit=1", "").Body, "answer-repeated")
	assert.False(t, b.Last().Changed)

	var group struct {
		ID string `json:"groupId"`
	}
	require.NoError(t, json.Unmarshal([]byte(first.Body), &group))
	path := contract.GroupsCreate.Path + "/" + group.ID
	for range 2 {
		create.WithMethod("DELETE").At(path).WithBody("").Expect(b, 200)
	}
	other := simtest.Decode[map[string]any](t, createGroup.With("transactionId", "two").WithBody(`{"groupName":"Two"}`).Send(b))
	otherPath := contract.GroupsCreate.Path + "/" + other["groupId"].(string)
	deleted := create.WithMethod("DELETE").At(otherPath).WithBody("").Send(b)
	assert.Contains(t, deleted.Body, other["groupId"], "another path, another answer")
	listGroups.With("transactionId", "once").Expect(b, 200)
	b.Advance(24 * time.Hour)
	assert.NotEqual(t, first.Body, create.Send(b).Body)
}

// Each entry that a scenario can have accepted has a request here that is refused without it and accepted with it,
// with a lint.
func TestAcceptedRefusals(t *testing.T) {
	t.Parallel()
	public := func(op *contract.Operation) simtest.Call { return exampleCall(contract.Public().Operation(op.Name)) }
	boundToken := "user-token"
	scenario := simtest.FrozenRetail + "institutions: [{institutionId: \"02688\", tokens: [{client: demo-app, accessToken: user-token, hostUserId: \"1003\"}]}]\n"
	upload := exampleCall(contract.GroupsUploadParticipants)
	upload.Body = strings.Replace(upload.Body, "text/csv", "application/octet-stream", 1)
	paged := exampleCall(contract.AlertsListPreferences).WithQuery("pageSize=2&pageSize=3")
	ofTwo := exampleCall(contract.EstatementsGetDisclosures).WithQuery("hostUserId=1002")
	calls := map[*contract.Entry]simtest.Call{
		contract.TokensIssueTransactionID:    exampleCall(contract.TokensIssue).Without("transactionId"),
		contract.CodesTransactionID:          exampleCall(contract.TokensAuthorizeClient).With("transactionId", "any"),
		contract.EstatementsUserMissing:      public(contract.EstatementsGetDisclosures).WithQuery("loginId=avery"),
		contract.EstatementsOtherUser:        exampleCall(contract.EstatementsGetDisclosures).WithToken(boundToken),
		contract.EstatementsCharacters:       public(contract.EstatementsUpdateAccount).With("User-Agent", "Bänk"),
		contract.GroupsTransactionID:         exampleCall(contract.GroupsCreate).Without("transactionId"),
		contract.GroupsInstitution:           exampleCall(contract.GroupsList).With("institutionId", "99999"),
		contract.GroupsCreateTypes:           exampleCall(contract.GroupsCreate).WithBody(`{"groupName":"Owls","groupType":"FAN_GROUP"}`),
		contract.GroupsUploadFileType:        upload,
		contract.AlertsUser:                  exampleCall(contract.AlertsCreatePreference).With("userid", "avery"),
		contract.AlertsListParameters:        paged,
		contract.DisclosuresTransactionID:    exampleCall(contract.DisclosuresListUser).With("transactionId", "any"),
		contract.DisclosuresUser:             exampleCall(contract.DisclosuresListUser).WithQuery("loginId=avery"),
		contract.DisclosuresOtherUser:        exampleCall(contract.DisclosuresListUser).WithToken(boundToken),
		contract.UsersTransactionID:          exampleCall(contract.UsersGetStatus).Without("transactionId"),
		contract.EverywhereRepeatedParameter: ofTwo,
		contract.EverywhereCharacters:        public(contract.GroupsCreate).WithBody(`{"groupName":"Größe"}`),
		contract.EverywhereHeaderSize:        public(contract.GroupsList).With("User-Agent", strings.Repeat("a", 9000)),
	}
	for _, id := range contract.EverywhereRefusals.Switch.Names {
		e, _ := contract.FindEntry(id)
		call, ok := calls[e]
		if !assert.True(t, ok, "no request shows %s", id) {
			continue
		}
		refused := call.Send(simtest.NewBank(t, scenario))
		assert.GreaterOrEqual(t, refused.StatusCode, 400, "%s: %s", id, refused.Body)

		b := simtest.NewBank(t, scenario+"behavior: {refusals: {"+id+": accept}}\n")
		accepted := call.Send(b)
		assert.Less(t, accepted.StatusCode, 300, "%s: %s", id, accepted.Body)
		x := b.Last()
		assert.Equal(t, contract.EverywhereRefusals.ID, x.Decision.Entries[0], id)
		assert.Contains(t, x.Decision.Entries, id)
		assert.Contains(t, x.Lints[len(x.Lints)-1].Message+x.Lints[0].Message, "behavior.refusals has "+id)

		strict := call.Send(simtest.NewBank(t, scenario+"behavior: {strict: true, refusals: {"+id+": accept}}\n"))
		assert.GreaterOrEqual(t, strict.StatusCode, 400, "strict wins over %s", id)
	}
}

// Where a scenario accepts a parameter of alerts that is given twice, the first value counts, whatever type it has.
func TestFirstOfRepeatedParametersOfAlerts(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		simtest.FrozenRetail+"behavior: {refusals: {"+contract.AlertsListParameters.ID+": accept}}\n")
	listed := exampleCall(contract.AlertsListPreferences).WithQuery("default=false&default=true").Send(b)
	ofUser := simtest.NewBank(t,
		simtest.FrozenRetail+"behavior: {refusals: {"+contract.AlertsUser.ID+": accept}}\n")
	list := exampleCall(contract.Public().Operation(contract.AlertsListPreferences.Name))
	path, _, _ := strings.Cut(list.Path, "?")
	for _, query := range []string{"hostUserId=1001&hostUserId=1001", "hostUserId=1001&loginId=avery"} {
		list.At(path+"?"+query).Expect(ofUser, 200)
		accepted := slices.DeleteFunc(lints(ofUser.Last()), func(code string) bool { return code != "accepted" })
		assert.Len(t, accepted, 1, query)
	}
	assert.Contains(t, listed.Body, `"alertPrefId":1`)
	assert.Len(t, b.Last().Lints, 1)
	updated := exampleCall(contract.AlertsUpdatePreference).WithQuery("allowCallback=false&allowCallback=true").Send(b)
	assert.Contains(t, updated.Body, `"allowCallback":false`)
}

// Each whole number of 64 bits may be the id of an alert preference.
func TestIDsOfAlertPreferences(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, op := range []*contract.Operation{contract.AlertsGetPreference, contract.AlertsDeletePreference} {
		for id, status := range map[string]int{
			"-1": 404, "-9223372036854775808": 404, "9223372036854775807": 404, "9223372036854775808": 400, "1.0": 400,
		} {
			exampleCall(op).At(strings.Replace(op.Path, "{alertPreferenceId}", id, 1)).Expect(b, status, op.Name, id)
		}
	}
}
