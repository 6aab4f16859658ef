package journal_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// newJournal returns a journal with one exchange of each of four kinds.
func newJournal(t testing.TB) *journal.Journal {
	t.Helper()
	j := journal.New(0, journal.NewBudget(0))
	j.Add(raw{ // 1
		Operation: "groups.list", Method: http.MethodGet, Path: "/digitalbanking/groups/v3/groups",
		RawQuery:      "size=2&sort=a&sort=b&key=hush",
		RequestHeader: http.Header{"Transactionid": {"t-1"}, "Accept": {"a", "b"}, "X-Key": {"hush"}}, Status: 200,
	}.record())
	j.Add(raw{ // 2
		Operation: "groups.create", Method: http.MethodPost, Path: "/digitalbanking/groups/v3/groups",
		RequestHeader: http.Header{"Transactionid": {"t-2"}, "Content-Type": {"application/json"}}, Status: 200,
		RequestBody: []byte(`{"groupName":"Night owls","groupDescription":"d\u00e9j\u00e0"}`),
	}.record())
	j.Add(raw{ // 3
		Operation: "tokens.issue",
		Method:    http.MethodPost,
		Path:      "/digitalbanking/oauth2/v1/token",
		RequestHeader: http.Header{
			"Authorization": {"Basic ZGVtbw=="},
			"Content-Type":  {"application/x-www-form-urlencoded"},
		},
		Status:      401,
		RequestBody: []byte("grant_type=password&username=avery&password=demo"),
	}.record())
	j.Add(raw{ // 4
		Operation: "alerts.createPreference",
		Method:    http.MethodPost,
		Path:      "/digitalbanking/db-alerts-preferences/v1/alert-preferences",
		RequestHeader: http.Header{
			"Authorization": {"demo-token"},
			"Fiid":          {"02688"},
			"Content-Type":  {"application/json"},
		},
		Status: 201,
		RequestBody: []byte(
			`{"alertOpted":true,"alertPreferenceDetails":{"alertPrefId":9007199254740993,"alertTypeName":"LOW",` +
				`"externalId":null},` +
				`"alertPreferenceAccountDetails":{"cardNumber":"4111"},"additionalInfo":{"a":{"x":1,"y":[2]},"n":5},"custom":{"b":1,"a":"s"}}`,
		),
	}.record())
	return j
}

func verify(t *testing.T, j *journal.Journal, expectation string) (journal.Verification, error) {
	t.Helper()
	var e journal.Expectation
	require.NoError(t, strictjson.DecodeKnown([]byte(expectation), &e), expectation)
	return j.Verify(t.Context(), e, 0)
}

func TestMatching(t *testing.T) {
	j := newJournal(t)
	for expectation, matches := range map[string][]string{
		`{"operation":"groups.list"}`:                                              {"1"},
		`{"operation":"groups.*"}`:                                                 {"1", "2"},
		`{"operation":"~^(tokens|alerts)"}`:                                        {"3", "4"},
		`{"operation":"groups"}`:                                                   {},
		`{"method":"POST"}`:                                                        {"2", "3", "4"},
		`{"path":"/digitalbanking/oauth2/v1/token"}`:                               {"3"},
		`{"header":{"transactionId":"t-1"}}`:                                       {"1"},
		`{"header":{"transactionid":"~"}}`:                                         {"1", "2"},
		`{"header":{"transactionid":null}}`:                                        {"3", "4"},
		`{"header":{"x-key":"hush"}}`:                                              {"1"},
		`{"header":{"x-key":"loud"}}`:                                              {},
		`{"header":{"authorization":"demo-token"}}`:                                {"4"},
		`{"header":{"authorization":"~^Basic tok_"}}`:                              {"3"},
		`{"query":{"size":"2"}}`:                                                   {"1"},
		`{"query":{"Size":"2"}}`:                                                   {},
		`{"query":{"size":null},"status":200}`:                                     {"2"},
		`{"body":{}}`:                                                              {"2", "3", "4"},
		`{"body":{"groupDescription":"déjà"}}`:                                     {"2"},
		`{"body":{"groupName":"~"},"header":{"transactionid":"t-1"}}`:              {},
		`{"body":{"password":"demo"}}`:                                             {"3"},
		`{"body":{"username":"avery","password":"demo","grant_type":"password"}}`:  {"3"},
		`{"body":{"password":"` + redact.Fingerprint("demo") + `"}}`:               {"3"},
		`{"body":{"alertPreferenceDetails":{"alertPrefId":9007199254740993}}}`:     {"4"},
		`{"body":{"alertPreferenceDetails":{"externalId":null}}}`:                  {"1", "2", "3", "4"},
		`{"body":{"alertPreferenceAccountDetails":{"cardNumber":"4111"}}}`:         {"4"},
		`{"operation":"groups.*","method":"GET","query":{"size":"2"},"exactly":1}`: {"1"},
	} {
		verdict, err := verify(t, j, expectation)
		require.NoError(t, err, expectation)
		assert.Equal(t, matches, verdict.Matches, expectation)
		assert.Equal(t, len(matches), verdict.Matched, expectation)
		assert.Equal(t, len(matches) > 0, verdict.Verified, expectation)
		if verdict.Verified {
			assert.Empty(t, verdict.NearMisses, expectation)
		}
	}
}

func TestNearMisses(t *testing.T) {
	j := newJournal(t)
	verdict, err := verify(t, j, `{"operation":"tokens.issue","status":200,
		"header":{"authorization":"Basic other"},"body":{"username":"avery","password":"wrong"}}`)
	require.NoError(t, err)
	assert.False(t, verdict.Verified)
	assert.Contains(t, verdict.Text, "\n\tnear miss: exchange 3, tokens.issue\n\t\tstatus is 401, not 200\n")
	verdict.Text = ""
	document, err := json.Marshal(verdict)
	require.NoError(t, err)
	fp := redact.Fingerprint
	assert.JSONEq(t, `{"verified":false,"matched":0,"matches":[],"nearMisses":[
		{"id":"3","operation":"tokens.issue","differences":[
			{"field":"status","want":200,"got":401},
			{"field":"header.authorization","want":"Basic `+fp("other")+`","got":"Basic `+fp("ZGVtbw==")+`"},
			{"field":"body.password","want":"`+fp("wrong")+`","got":"`+fp("demo")+`"}]},
		{"id":"2","operation":"groups.create","differences":[
			{"field":"operation","want":"tokens.issue","got":"groups.create"},
			{"field":"header.authorization","want":"Basic `+fp("other")+`","got":null},
			{"field":"body.password","want":"`+fp("wrong")+`","got":null},
			{"field":"body.username","want":"avery","got":null}]},
		{"id":"1","operation":"groups.list","differences":[
			{"field":"operation","want":"tokens.issue","got":"groups.list"},
			{"field":"header.authorization","want":"Basic `+fp("other")+`","got":null},
			{"field":"body.password","want":"`+fp("wrong")+`","got":null},
			{"field":"body.username","want":"avery","got":null}]}],
		"expected":{"operation":"tokens.issue","status":200,"header":{"authorization":"Basic `+fp("other")+`"},
			"body":{"password":"`+fp("wrong")+`","username":"avery"},"atLeast":1},
		"actual":{"operation":"tokens.issue","status":401,"header":{"authorization":"Basic `+fp("ZGVtbw==")+`"},
			"body":{"password":"`+fp("demo")+`","username":"avery"},"atLeast":0},"text":""}`, string(document))

	verdict, err = verify(t, j, `{"method":"POST","atLeast":4}`)
	require.NoError(t, err)
	require.Len(t, verdict.NearMisses, 1, "what matches is no near miss")
	assert.Equal(t, "1", verdict.NearMisses[0].ID)

	verdict, err = verify(t, j, `{"method":"POST","atMost":2}`)
	require.NoError(t, err)
	assert.Empty(t, verdict.NearMisses, "too many match: nothing is missing")
	assert.Equal(t, []string{"2", "3", "4"}, verdict.Matches)
}

// The text says where a check that nothing happened says little, and the types of values where they differ.
func TestTextOfAVerdict(t *testing.T) {
	text := func(j *journal.Journal, expectation string) string {
		verdict, err := verify(t, j, expectation)
		require.NoError(t, err)
		return verdict.Text
	}
	const none = `expected requests (operation "groups.list", exactly 0): the bank had 0 such requests`
	j := journal.New(0, journal.NewBudget(0))
	assert.Equal(
		t,
		"verified: the bank had no request at all\n"+none,
		text(j, `{"operation":"groups.list","exactly":0}`),
	)
	assert.NotContains(t, text(j, `{"operation":"groups.list"}`), "verified")
	j.Add(raw{Operation: "groups.create", RequestBody: []byte(`{"hidden":"true","count":5,"name":"a"}`)}.record())
	assert.Equal(t, none, text(j, `{"operation":"groups.list","exactly":0}`))
	assert.Contains(t, text(j, `{"body":{}}`), "the bank had 1 such request\n")
	assert.Equal(t, `
		body.count is 5, not 6
		body.hidden is "true" (a string), not true (a boolean)
		body.name is "a", not "b"
		body.other is null, not 1`, strings.SplitAfterN(text(j, `{"body":{"hidden":true,"count":6,"name":"b","other":1}}`),
		"groups.create", 2)[1])
}

func TestVerdictsThatEvictedExchangesCouldChangeAreRefused(t *testing.T) {
	j := journal.New(3, journal.NewBudget(0))
	for range 5 { // of which two are evicted
		j.Add(list(0).record())
	}
	for expectation, want := range map[string]any{
		`{"operation":"groups.list"}`:                        true,
		`{"operation":"groups.list","atLeast":3}`:            true,
		`{"operation":"groups.list","atLeast":4}`:            journal.ErrEvicted,
		`{"operation":"groups.list","atLeast":6}`:            false, // even if both matched
		`{"operation":"groups.list","atMost":2}`:             false,
		`{"operation":"groups.list","atMost":3}`:             journal.ErrEvicted,
		`{"operation":"groups.list","atMost":5}`:             true, // even if both matched
		`{"operation":"groups.list","exactly":2}`:            false,
		`{"operation":"groups.list","exactly":3}`:            journal.ErrEvicted,
		`{"operation":"groups.list","exactly":5}`:            journal.ErrEvicted,
		`{"operation":"groups.list","exactly":6}`:            false,
		`{"operation":"groups.list","atLeast":2,"atMost":3}`: journal.ErrEvicted,
		`{"operation":"tokens.issue"}`:                       journal.ErrEvicted,
		`{"operation":"tokens.issue","exactly":0}`:           journal.ErrEvicted,
	} {
		verdict, err := verify(t, j, expectation)
		if refusal, ok := want.(error); ok {
			assert.ErrorIs(t, err, refusal, expectation)
			continue
		}
		require.NoError(t, err, expectation)
		assert.Equal(t, want, verdict.Verified, expectation)
	}

	j.ClearTo(j.Last())
	verdict, err := verify(t, j, `{"operation":"tokens.issue","exactly":0}`)
	require.NoError(t, err, "evictions before the last ClearTo do not count")
	assert.True(t, verdict.Verified)
}

func TestBadExpectationsAreRefused(t *testing.T) {
	j := journal.New(0, journal.NewBudget(0))
	for expectation, message := range map[string]string{
		`{}`:                                 "nothing is expected: give at least one of",
		`{"header":{},"query":{}}`:           "nothing is expected: give at least one of",
		`{"status":99}`:                      "status is 99: an HTTP status is a number from 100 to 599",
		`{"operation":"a","exactly":-1}`:     "exactly is -1: a count is 0 or more",
		`{"operation":"a","atLeast":-1}`:     "atLeast is -1: a count is 0 or more",
		`{"operation":"a","atMost":-2}`:      "atMost is -2: a count is 0 or more",
		`{"exactly":1,"atLeast":1}`:          "exactly is given together with atLeast or atMost: leave one of them out",
		`{"exactly":1,"atMost":1}`:           "exactly is given together with atLeast or atMost: leave one of them out",
		`{"atLeast":0}`:                      "atLeast is 0, and any count is at least that: give exactly 0 for none",
		`{"atLeast":2,"atMost":1}`:           "atLeast is 2, more than atMost, 1: no count is both",
		`{"operation":"~("}`:                 `operation: missing closing ): what follows "~" has to be a Go regular expression (RE2)`,
		`{"method":"~("}`:                    "method: missing closing )",
		`{"path":"~("}`:                      "path: missing closing )",
		`{"header":{"x-test":"~("}}`:         "header.x-test: missing closing )",
		`{"query":{"size":"~("}}`:            "query.size: missing closing )",
		`{"body":{"groupName":"~("}}`:        "body.groupName: missing closing )",
		`{"body":{"scopes":[1,{"a":"~("}]}}`: "body.scopes[1].a: missing closing )",
		`{"body":[]}`:                        "body is not a JSON object: give the members",
		`{"body":null}`:                      "body is not a JSON object: give the members",
		`{"body":"groupName"}`:               "body is not a JSON object: give the members",
	} {
		_, err := verify(t, j, expectation)
		assert.ErrorContains(t, err, message, expectation)
		assert.NotErrorIs(t, err, journal.ErrEvicted)
	}
}
