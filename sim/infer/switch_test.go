package infer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// journey is a run through the interface that shows most switches.
func journey() (all []simtest.Call) {
	call := func(name string) simtest.Call { return simtest.Calls[name] }
	group := func(name string) simtest.Call {
		return call("groups.create").WithBody(`{"groupName":` + simtest.JSON(name) + `}`)
	}
	form := func(text string) simtest.Call { return call("tokens.issue").WithForm(text) }
	password := func(text string) simtest.Call { return form("grant_type=password&username=avery&password=" + text) }
	all = append(all, reads...)
	return append(all,
		call("groups.list"), call("groups.list").WithQuery("sort=groupNaem"),
		call("groups.list").WithQuery("size=5000"),
		call("groups.list").WithQuery("sort=groupName"), call("groups.list").With("institutionId", "99999"),
		call("groups.list").Without("Authorization"),
		group("Night owls"), group("Night owls"), group("EARLY ADOPTERS"), group(strings.Repeat("long name ", 4)),
		group(strings.Repeat("longer name ", 8)),
		call("groups.create").WithBody(`{"groupName":"With an id","groupId":"11111111-2222-4333-8444-555555555555"}`),
		call("groups.create").WithBody(`{"groupName":"Other type","groupType":"FAN_GROUP"}`).With("transactionId", "t-9"),
		call("groups.create").Without("transactionId").WithBody(`{"groupName":"No id"}`),
		call("groups.create").WithBody(`{"groupName":"Long","groupDescription":"`+strings.Repeat("long ", 60)+`"}`),
		call("estatements.updateAccount"), call("estatements.updateUser"),
		call("estatements.updateUser").Without("correlationid"),
		call("estatements.updateUser").With("correlationid", "no uuid"),
		call("estatements.updateUser").With("Authorization", "Bearer nobody"),
		call("estatements.getDisclosures").WithQuery("hostUserId=1002"),
		call("users.getStatus").Without("transactionId"), call("disclosures.listUser").With("transactionId", "any"),
		call("alerts.createPreference"), call("alerts.createPreference").With("userid", "avery"),
		call("alerts.createPreference").Without("Authorization"), call("alerts.createPreference").Without("fiid"),
		call("alerts.createPreference").WithBody(
			`{"alertPreferenceDetails":{"alertTypeName":"LOW_BALANCE","channelTypeName":"FAX"}}`),
		password("demo"), form("grant_type=client_credentials").Without("transactionId"),
		password("wrong"), password("demo"), password("wrong"), password("wrong"), password("demo"),
		call("tokens.revoke"), call("tokens.revoke").WithForm("token=unknown-token"),
	)
}

// otherSettings are settings whose values the contract doesn't list, beside those of words and statuses.
var otherSettings = []string{
	"groups: {nameLimit: 39}", "groups: {descriptionLimit: 299}", "groups: {defaultPageSize: 10}",
	"groups: {maxPageSize: 100}", "groups: {sortProperties: [groupId]}", "tokens: {lockAfter: 2}",
	"tokens: {accessTokenAlone: true}", "tokens: {accessLifetime: 15m0s}", "tokens: {refreshLifetime: 24h0m0s}",
	"alerts: {knownChannelsOnly: true}", "alerts: {requiredFields: [allowCallback]}",
	"refusals: {groups.transaction-id: accept}", "refusals: {groups.create.types: accept}",
	"refusals: {groups.institution: accept}", "refusals: {users.transaction-id: accept}",
	"refusals: {disclosures.transaction-id: accept}", "refusals: {tokens.issue.transaction-id: accept}",
	"refusals: {alerts.user: accept}", "refusals: {everywhere.repeated-parameter: accept}",
}

// notFound has the settings that a search explains by something else, with what.
var notFound = map[string]string{
	"alerts: {requiredFields: [allowCallback]}": "another member that the refused requests lack",
	"groups: {nameCase: insensitive}":           "a group with the name in the other case",
	"refusals: {groups.institution: accept}":    "another institution",
	"refusals: {alerts.user: accept}":           "a user with the login as hostUserId, but for institutionCustomerId",
}

// A search finds the setting of each switch that a journey shows, and then explains all answers.
func TestSwitchesOfABank(t *testing.T) {
	t.Parallel()
	usual := record(t, frozen, journey()...)
	settings := otherSettings
	for _, w := range contract.Switches() {
		block, key, isInBlock := strings.Cut(w.Key, ".")
		if isInBlock && (w.Kind == contract.Status || w.Kind == contract.Word) {
			for _, value := range w.Names[1:] {
				if value == "null" {
					value = `"null"`
				}
				settings = append(settings, block+": {"+key+": "+value+"}")
			}
		}
	}
	shown, found := 0, 0
	for i, set := range settings {
		if i%simtest.Times(9, 1) != 0 {
			continue
		}
		all := record(t, frozen+"behavior: {"+set+"}\n", journey()...)
		if same(usual, all) {
			t.Logf("not shown: %s", set)
			continue
		}
		shown++
		result := find(t, archive(all), false)
		if notFound[set] == "" {
			assert.Empty(t, result.Unexplained, set)
		}
		_, value, _ := strings.Cut(strings.Trim(set, "}"), "{")
		switch {
		case strings.Contains(result.YAML, value):
			found++
		default:
			assert.NotEmpty(t, notFound[set], "%s isn't found:\n%s", set, result.YAML)
		}
	}
	t.Logf("%d of %d found", found, shown)
}

// same reports whether two banks have given the same answers.
func same(a, b []said) bool {
	for i := range a {
		if a[i].status != b[i].status || a[i].answer != b[i].answer {
			return false
		}
	}
	return true
}
