package journal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// noFault is the faults of a sandbox that has none.
func noFault(string, int) bool { return false }

func possible(t *testing.T, j *journal.Journal, expectation string, injects journal.Injects) error {
	t.Helper()
	var e journal.Expectation
	require.NoError(t, wire.DecodeKnown([]byte(expectation), &e), expectation)
	return j.CheckPossible(e, injects)
}

// What no request can be like is refused, with what was meant or what there is. Each of these would hold, for want of
// such requests, without that.
func TestImpossibleExpectations(t *testing.T) {
	j := bank(t)
	for expectation, want := range map[string]string{
		`{"operation":"groups.crate"}`: `unknown operation "groups.crate": did you mean ` +
			`"groups.create"?`,
		`{"operation":"group.*"}`:            `did you mean "groups.*"?`,
		`{"operation":"groups"}`:             `did you mean "groups.*"?`,
		`{"operation":"~^groups[.]remove$"}`: `operation matches no operation: the operations are`,
		`{"operation":"payments.send"}`:      `unknown operation: the operations are "estatements`,
		`{"operation":"groups.list","status":418}`: `status is 418, which groups.list never answers with, ` +
			`and no fault of the sandbox gave: the statuses are 200, 400, 401, 500`,
		`{"operation":"groups.list","status":204}`: `status is 204, which groups.list never`,
		`{"operation":"groups.*","status":299}`:    `no operation that is asked for answers with`,
		`{"status":299}`:                           `status is 299, which no operation`,
		`{"header":{"transacionId":"t-1"}}`: `no request had the header "transacionId": did you mean ` +
			`"transactionId"?`,
		`{"header":{"transactionID ":null}}`:  `did you mean "transactionId"?`,
		`{"header":{"Transaction-Id":"t-1"}}`: `did you mean "transactionId"?`,
		`{"header":{"authorisation":"~"}}`:    `did you mean "Authorization"?`,
		`{"header":{"fid":"02688"}}`:          `did you mean "fiid"?`,
		`{"header":{"Banksim-Faults":"~"}}`:   `did you mean "Banksim-Fault"?`,
		`{"query":{"Size":"2"}}`: `no request had the query parameter "Size": did you mean ` +
			`"size"?`,
		`{"operation":"estatements.updateUser","query":{"hostUserID":"1"}}`: `did you mean "hostUserId"?`,
		`{"body":{"groupNmae":"Night owls"}}`: `no request had the member "groupNmae": did you mean ` +
			`"groupName"?`,
		`{"operation":"groups.create","body":{"groupname":null}}`: `did you mean "groupName"?`,
		`{"operation":"groups.create","body":{"name":"Night owls"}}`: `the members are "groupId", "groupName", ` +
			`"groupDescription", "groupType", "groupPlatform"; to look for one of the app's own, give path instead of operation`,
		// it is an alert's
		`{"operation":"groups.create","body":{"alertOpted":true}}`: `no request had the member "alertOpted"`,
		`{"operation":"alerts.*","body":{"alertPreferenceDetails":{"alertTypName":"LOW"}}}`: `no request had the member ` +
			`"alertTypName": did you mean "alertTypeName"?`,
		`{"operation":"tokens.issue","body":{"grantType":"password"}}`:                           `did you mean "grant_type"?`,
		`{"operation":"estatements.updateAccount","body":{"activateEStatements":true,"x":"~("}}`: ``, // Verify reports the expression
	} {
		for _, count := range []string{`,"atMost":0}`, `,"exactly":0}`, `}`} {
			err := possible(t, j, strings.TrimSuffix(expectation, "}")+count, noFault)
			if want == "" {
				assert.NoError(t, err, expectation)
				continue
			}
			assert.ErrorContains(t, err, want, expectation)
		}
	}
}

// A fault makes a status possible, and a request makes possible whatever it had.
func TestWhatHappenedIsPossible(t *testing.T) {
	j := bank(t)
	fault := func(operation string, status int) bool { return operation == "groups.list" && status == 418 }
	assert.NoError(t, possible(t, j, `{"operation":"groups.list","status":418}`, fault))
	assert.NoError(t, possible(t, j, `{"operation":"groups.*","status":418}`, fault))
	assert.Error(t, possible(t, j, `{"operation":"groups.create","status":418}`, fault))
	j.Add(journal.Raw{
		Operation: "groups.create", Method: http.MethodPost, Path: "/digitalbanking/groups/v3/groups", RawQuery: "Size=2",
		RequestHeader: http.Header{"Transaction-Id": {"t-1"}, "Content-Type": {"application/json"}}, Status: 418,
		RequestBody: []byte(`{"groupNmae":"Night owls","name":null}`),
	})
	for _, expectation := range []string{
		`{"operation":"groups.create","status":418}`, `{"header":{"transaction-id":"~"}}`, `{"query":{"Size":"3"}}`,
		`{"operation":"groups.create","body":{"groupNmae":"x","name":"x"}}`,
	} {
		assert.NoError(t, possible(t, j, expectation, noFault), expectation)
	}
	assert.Error(t, possible(t, j, `{"operation":"groups.list","status":418}`, noFault), "it was another operation's")
}

func TestImpossibleQueries(t *testing.T) {
	j := bank(t)
	assert.NoError(t, j.CheckQuery(journal.Query{}, noFault))
	good := journal.Query{Operation: "groups.*", Status: 401, Outcome: journal.Faulted, Text: strings.Repeat("é", 200)}
	assert.NoError(t, j.CheckQuery(good, noFault))
	assert.ErrorContains(t, j.CheckQuery(journal.Query{Outcome: "refusd"}, noFault), `unknown outcome "refusd": did you mean`)
	assert.ErrorContains(t, j.CheckQuery(journal.Query{Operation: "groups.list", Status: 418}, noFault), "never answers with")
}
