package bankapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/fixtures"
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
	assert.Contains(t, b.Get("/journal?limit=1"), "answer-repeated")
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

// Each entry that a scenario can have accepted has a golden exchange that is refused by it. A bank accepts the same
// request with a lint then, unless it is strict.
func TestAcceptedRefusals(t *testing.T) {
	t.Parallel()
	public := func(op *contract.Operation) simtest.Call { return exampleCall(contract.Public().Operation(op.Name)) }
	upload := exampleCall(contract.GroupsUploadParticipants)
	own := map[string]simtest.Call{ // where each golden exchange has another mistake as well
		contract.EstatementsCharacters.ID: public(contract.EstatementsUpdateAccount).With("User-Agent", "Bänk"),
		contract.GroupsUploadFileType.ID:  upload.WithBody(strings.Replace(upload.Body, "text/csv", "text/html", 1)),
		contract.EverywhereCharacters.ID:  public(contract.GroupsCreate).WithBody(`{"groupName":"Größe"}`),
		contract.EverywhereHeaderSize.ID:  public(contract.GroupsList).With("User-Agent", strings.Repeat("a", 9000)),
	}
	exchanges, err := fixtures.Load()
	require.NoError(t, err)
	send := func(id, behavior string) (b *simtest.Bank, res simtest.Answer) {
		if call, isThere := own[id]; isThere {
			b = simtest.NewBank(t, simtest.FrozenRetail+"behavior: "+behavior+"\n")
			return b, call.Send(b)
		}
		for _, e := range exchanges {
			if e.Behavior != nil || e.Answer.Status < 400 || !slices.Contains(e.Entries, id) {
				continue
			}
			e.Behavior = []byte(behavior)
			b, _ = simtest.GoldenBank(t, e)
			if res = b.SendGolden(e.Request); res.StatusCode < 300 {
				break
			}
		}
		require.NotNil(t, b, "no golden exchange is refused by %s", id)
		return b, res
	}
	for _, id := range contract.EverywhereRefusals.Switch.Names {
		accept := `"refusals":{"` + id + `":"accept"}}`
		b, accepted := send(id, "{"+accept)
		assert.Less(t, accepted.StatusCode, 300, "%s: %s", id, accepted.Body)
		x := b.Last()
		assert.Equal(t, contract.EverywhereRefusals.ID, x.Decision.Entries[0], id)
		assert.Contains(t, x.Decision.Entries, id)
		assert.Contains(t, simtest.JSON(x.Lints), "behavior.refusals has "+id)
		_, refused := send(id, `{"strict":true,`+accept)
		assert.GreaterOrEqual(t, refused.StatusCode, 400, "strict wins over %s", id)
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
