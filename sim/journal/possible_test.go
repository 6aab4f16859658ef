package journal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// plain is a bank without faults.
var plain = journal.Bank{
	Injects: func(string, int) bool { return false },
	HasStub: func(string) bool { return false },
}

func possible(t *testing.T, j *journal.Journal, expectation string, bank journal.Bank) error {
	t.Helper()
	var e journal.Expectation
	require.NoError(t, strictjson.DecodeKnown([]byte(expectation), &e), expectation)
	return j.CheckPossible(e, bank)
}

// What no request can be like is refused, with what was meant or what there is. Each of these would hold, for want of
// such requests, without that.
func TestImpossibleExpectations(t *testing.T) {
	j := newJournal(t)
	bank := plain
	bank.ValuesOf = func(name string) []string {
		return map[string][]string{"alertTypeName": {"LOW_BALANCE"}}[name]
	}
	const groups = "/digitalbanking/groups/v3/groups"
	for expectation, want := range map[string]string{
		`{"operation":"groups.crate"}`:             `unknown operation "groups.crate": did you mean "groups.create"?`,
		`{"operation":"group.*"}`:                  `did you mean "groups.*"?`,
		`{"operation":"groups"}`:                   `did you mean "groups.*"?`,
		`{"operation":"~^groups[.]remove$"}`:       `operation matches no operation: the operations are`,
		`{"operation":"payments.send"}`:            `unknown operation: the operations are "estatements`,
		`{"operation":"groups.list","status":418}`: `status is 418, which groups.list never answers with, and no fault of the sandbox gave: the statuses are 200, 400, 401`,
		`{"operation":"groups.*","status":299}`:    `no operation that is asked for answers with`,
		`{"status":299}`:                           `status is 299, which no operation`,

		`{"operation":"groups.list","method":"POST"}`:   `method is "POST": groups.list has "GET", "HEAD"`,
		`{"operation":"groups.list","method":"~^get$"}`: `method is "~^get$": groups.list has "GET", "HEAD"`,
		`{"operation":"jobs.*","method":"PUT"}`:         `method is "PUT": the operations have "GET", "HEAD"`,
		`{"method":"GETT"}`:                             `method is "GETT": did you mean "GET"?`,

		`{"path":"` + groups + `?size=2"}`:                `did you mean "` + groups + `"? Give the query as query.`,
		`{"path":"digitalbanking/groups/v3/jobs"}`:        `did you mean "/digitalbanking/groups/v3/jobs"?`,
		`{"path":"https://bank.test/v3/groups"}`:          `did you mean "/v3/groups"?`,
		`{"path":"/sandboxes/a/v3/groups"}`:               `did you mean "/v3/groups"?`,
		`{"path":"/digitalbanking/groups/v3/group"}`:      `did you mean "` + groups + `"?`,
		`{"path":"/digitalbanking/groups/v3/group/g-1"}`:  `did you mean "` + groups + `/g-1"?`,
		`{"path":"/groups/v3/groups"}`:                    `did you mean "` + groups + `"?`,
		`{"path":"/v3/groups/"}`:                          `did you mean "/v3/groups"?`,
		`{"path":"/v3/groups/{groupId}"}`:                 `without variables`,
		`{"operation":"groups.list","path":"/v3/jobs"}`:   `path is "/v3/jobs": groups.list has "` + groups + `", "/v3/groups"`,
		`{"dialect":"public","path":"` + groups + `"}`:    `path is "` + groups + `": the operations have "`,
		`{"operation":"groups.list","path":"/own/stuff"}`: `path is "/own/stuff": groups.list has`,

		`{"header":{"transacionId":"t-1"}}`:   `unknown header "transacionId": did you mean "transactionId"?`,
		`{"header":{"transactionID ":null}}`:  `did you mean "transactionId"?`,
		`{"header":{"Transaction-Id":"t-1"}}`: `did you mean "transactionId"?`,
		`{"header":{"authorisation":"~"}}`:    `did you mean "Authorization"?`,
		`{"header":{"fid":"02688"}}`:          `did you mean "fiid"?`,
		`{"header":{"Banksim-Faults":"~"}}`:   `did you mean "Banksim-Fault"?`,
		`{"header":{"my header":null}}`:       `"my header" can't be the name of a header`,
		`{"header":{"":null}}`:                `"" can't be the name of a header`,
		`{"header":{"host":null}}`:            `header "host" can't be compared`,

		`{"query":{"Size":"2"}}`: `unknown query parameter "Size": did you mean "size"?`,
		`{"operation":"estatements.updateUser","query":{"hostUserID":"1"}}`:        `did you mean "hostUserId"?`,
		`{"operation":"groups.list","query":{"pageSize":"2"}}`:                     `unknown query parameter "pageSize": groups.list has "page", "size", "sort"`,
		`{"operation":"groups.delete","query":{"size":"2"}}`:                       `unknown query parameter "size": groups.delete has none`,
		`{"query":{"transactionid":"t-1"}}`:                                        `unknown query parameter "transactionid": it is a header`,
		`{"operation":"users.getStatus","query":{"userIdType":"HOST_USERID"}}`:     `query.userIdType is "HOST_USERID": did you mean "HOST_USER_ID"?`,
		`{"operation":"alerts.listInstitutionTypes","query":{"statusOptd":"ACT"}}`: ``, // no slip: the bank refuses it

		`{"body":{"groupNmae":"Night owls"}}`:                              `unknown member "groupNmae" of the body: did you mean {"groupName": …}?`,
		`{"operation":"groups.create","body":{"groupname":null}}`:          `did you mean {"groupName": …}?`,
		`{"operation":"groups.create","body":{"name":"Night owls"}}`:       `groups.create has "groupDescription", "groupId", "groupName", "groupPlatform", "groupType"; to look for one of the app's own, give path instead of operation`,
		`{"operation":"groups.create","body":{"alertOpted":true}}`:         `unknown member "alertOpted" of the body`, // it is an alert's
		`{"operation":"groups.list","body":{"groupName":"x"}}`:             `leave body out: groups.list has none`,
		`{"operation":"groups.list","body":{}}`:                            `leave body out: groups.list has none`,
		`{"operation":"jobs.*","body":{"groupName":null}}`:                 `leave body out: the operations have none`,
		`{"operation":"tokens.issue","body":{"grantType":"password"}}`:     `did you mean {"grant_type": …}?`,
		`{"operation":"alerts.*","body":{"alertTypeName":"LOW_BALANCE"}}`:  `unknown member "alertTypeName" of the body: did you mean {"alertPreferenceDetails": {"alertTypeName": …}}?`,
		`{"body":{"alertTypName":"LOW_BALANCE"}}`:                          `did you mean {"alertPreferenceDetails": {"alertTypeName": …}}?`,
		`{"body":{"alertPreferenceDetails":{"alertOpted":true}}}`:          `unknown member "alertPreferenceDetails.alertOpted" of the body: did you mean {"alertOpted": …}?`,
		`{"body":{"alertPreferenceDetails.alertTypeName":"LOW_BALANCE"}}`:  `did you mean {"alertPreferenceDetails": {"alertTypeName": …}}?`,
		`{"body":{"alertPreferenceDetails":{"alertTypName":"X"}}}`:         `unknown member "alertPreferenceDetails.alertTypName" of the body: did you mean {"alertPreferenceDetails": {"alertTypeName": …}}?`,
		`{"body":{"alertPreferenceDetails":{"alertTypeName":"LOWBALANS"}}`: `body.alertPreferenceDetails.alertTypeName is "LOWBALANS": did you mean "LOW_BALANCE"?`,
		`{"body":{"alertPreferenceDetails":{"channelTypeName":"EMIAL"}}}`:  `body.alertPreferenceDetails.channelTypeName is "EMIAL": did you mean "EMAIL"?`,
		`{"body":{"alertPreferenceDetails":{"alertPrefId":1.5}}}`:          `body.alertPreferenceDetails.alertPrefId is a number, not an integer`,
		`{"body":{"alertPreferenceDetails":"LOW"}}`:                        `body.alertPreferenceDetails is a string, not an object`,
		`{"body":{"alertOpted":"true"}}`:                                   `body.alertOpted is a string, not a boolean`,
		`{"body":{"groupName":5}}`:                                         `body.groupName is a number, not a string`,
		`{"body":{"groupName":{"text":"x"}}}`:                              `body.groupName is an object, not a string`,
		`{"body":{"password":5}}`:                                          `body.password is a number, not a string`,
		`{"operation":"estatements.updateAccount","body":{"x":"~("}}`:      ``, // Verify reports the expression

		`{"operation":"groups.list","method":"head","path":"/v3/groups"}`:                              ``,
		`{"method":"PATCH","path":"/v3/groups"}`:                                                       `method is "PATCH": the operations have "GET", "HEAD", "POST"`,
		`{"path":"/own/path","body":{"alertTypeName":5},"query":{"transactionId":"1"}}`:                ``,
		`{"path":"/v3/groups/a%20b","header":{"X-Fiid":"1","traceparent":"~"}}`:                        ``,
		`{"path":"~/v3/group$","query":{"debug":"1"}}`:                                                 ``,
		`{"operation":"groups.list","query":{"debug":"1"}}`:                                            `unknown query parameter "debug": groups.list has "page", "size", "sort"; to look for one of the app's own, give path instead of operation`,
		`{"operation":"groups.list","query":{"pagesize":"5"}}`:                                         `unknown query parameter "pagesize": groups.list has "page", "size", "sort"`,
		`{"path":"/v3/groups","query":{"PAGESIZE":"5"}}`:                                               `unknown query parameter "PAGESIZE": the operations have "page", "size", "sort"`,
		`{"operation":"tokens.issue","body":{"grant_type":"refresh_tokn"}}`:                            `body.grant_type is "refresh_tokn": did you mean "refresh_token"?`,
		`{"path":"/v3/groups","method":"POST","body":{"testCase":1}}`:                                  ``,
		`{"operation":"alerts.*","body":{"additionalInfo":{"groupName":5}}}`:                           ``,
		`{"operation":"alerts.*","body":{"alertOpted":"~^true$"}}`:                                     ``,
		`{"operation":"tokens.issue","body":{"scopes":["a","b"]}}`:                                     ``, // of a form
		`{"operation":"groups.create","dialect":"public","path":"/v3/groups"}`:                         ``,
		`{"body":{"alertPreferenceDetails":{"alertTypeName":"OTHER_TYPE","channelTypeName":"PIGEON"}}`: ``,
	} {
		if strings.Count(expectation, "{") > strings.Count(expectation, "}") {
			expectation += "}"
		}
		for _, count := range []string{`,"atMost":0}`, `,"exactly":0}`, `}`} {
			err := possible(t, j, strings.TrimSuffix(expectation, "}")+count, bank)
			if want == "" {
				assert.NoError(t, err, expectation)
				continue
			}
			assert.ErrorContains(t, err, want, expectation)
		}
	}
}

// A fault makes a status or a path possible, and a request makes possible whatever it had.
func TestWhatHappenedIsPossible(t *testing.T) {
	j := newJournal(t)
	fault := plain
	fault.Injects = func(operation string, status int) bool { return operation == "groups.list" && status == 418 }
	fault.HasStub = func(path string) bool { return path == "/v3/group" }
	assert.NoError(t, possible(t, j, `{"operation":"groups.list","status":418}`, fault))
	assert.NoError(t, possible(t, j, `{"operation":"groups.*","status":418}`, fault))
	assert.Error(t, possible(t, j, `{"operation":"groups.create","status":418}`, fault))
	assert.Error(t, possible(t, j, `{"path":"/v3/group"}`, plain))
	assert.NoError(t, possible(t, j, `{"path":"/v3/group","body":{"alertTypeName":5}}`, fault))
	j.Add(raw{
		Operation:     "groups.create",
		Method:        http.MethodPost,
		Path:          "/digitalbanking/groups/v3/groups",
		RawQuery:      "Size=2",
		RequestHeader: http.Header{"Transaction-Id": {"t-1"}, "Content-Type": {"application/json"}},
		Status:        418,
		RequestBody: []byte(
			`{"groupNmae":"Night owls","name":"x","groupDescription":5,"groupType":"EXPERIENCE_GRUOP"}`,
		),
	}.record())
	j.Add(raw{Method: "BREW", Path: "/v3/gruops"}.record())
	for _, expectation := range []string{
		`{"operation":"groups.create","status":418}`, `{"header":{"transaction-id":"~"}}`, `{"query":{"Size":"3"}}`,
		`{"operation":"groups.create","body":{"groupNmae":"x","name":"y","groupDescription":6}}`,
		`{"body":{"groupType":"EXPERIENCE_GRUOP"}}`, `{"method":"brew","path":"/v3/gruops"}`,
	} {
		assert.NoError(t, possible(t, j, expectation, plain), expectation)
	}
	for _, expectation := range []string{
		`{"operation":"groups.list","status":418}`, `{"operation":"groups.list","query":{"Size":"3"}}`, // another operation's
		`{"body":{"groupDescription":true}}`, `{"body":{"groupType":"EXPERIENCE_GROUPE"}}`, `{"method":"BREWW"}`,
	} {
		assert.Error(t, possible(t, j, expectation, plain), expectation)
	}
}

// A scenario can force a dialect: then a path of either dialect is answered in that one.
func TestPossibleInAForcedDialect(t *testing.T) {
	j := newJournal(t)
	forced := plain
	forced.Dialect = "public"
	const path = `"operation":"groups.list","path":"/digitalbanking/groups/v3/groups"`
	assert.NoError(t, possible(t, j, `{"dialect":"public",`+path+`}`, forced))
	assert.Error(t, possible(t, j, `{"dialect":"public",`+path+`}`, plain))
	assert.EqualError(t, possible(t, j, `{"dialect":"document"}`, forced),
		"dialect is document: the bank answers all requests in public, see behavior.dialect")
	j.Add(raw{Operation: "groups.list", Dialect: "document"}.record())
	assert.NoError(t, possible(t, j, `{"dialect":"document"}`, forced), "before the scenario was replaced")
}
