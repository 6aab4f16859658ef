package journal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// A text is found in what the journal shows of an exchange, whatever its case, and in nothing else.
func TestATextIsLookedFor(t *testing.T) {
	j := journal.New(0, journal.NewBudget(0))
	raw := list(0)
	raw.Method, raw.Operation = http.MethodPost, "groups.create"
	raw.RawQuery = "sort=groupName%2Cdesc&size=7"
	raw.RequestHeader = http.Header{"Content-Type": {"application/json"}, "Transactionid": {"Order-4711"},
		"Authorization": {"Bearer Secret-Token"}}
	raw.RequestBody = []byte(`{"groupName": "Straße ÄÖ \u00e9 x"}`)
	raw.ResponseHeader = [][2]string{{"Retry-After", "Thirty"}}
	raw.ResponseBody = []byte(`{"groupDescription":"Owls"}`)
	raw.Decision = journal.Decision{Outcome: journal.Refused, Rule: "group-exists", Row: "groups/02688/g-1",
		Message: "a Group named X exists"}
	raw.User = "1009"
	raw.Lints = []journal.Lint{{Code: journal.Misspelt, Message: "fild is nearly fiid"}}
	raw.Fault = &journal.Fault{Fired: []string{"Late-Answer"}}
	j.Add(raw.record())
	j.Add(journal.Record{Exchange: &journal.Exchange{Decision: journal.Decision{Outcome: journal.Faulted}}})
	for text, found := range map[string]bool{
		"post": true, "GROUPS.CREATE": true, "/V3/Groups": true, "groups/v3?": false,
		"groupName,desc": true, "groupname%2cDESC": true, "size=7": true,
		"order-4711": true, "application/JSON": true, "transactionid": true, "thirty": true,
		"STRASSE": false, "straße äö": true, `\U00E9 X`: true, "owls": true, "é": false,
		"exists": true, "02688/G": true, "GROUP-": true, "a group named x": true,
		"secret-token": false, redact.Fingerprint("Secret-Token"): true, "bearer TOK_": true,
		"late-answer": true, "refused": true, "10": true, "misspelt": true, "nearly FIID": true,
		"127.0.0.1": false, "groups.create/digital": false,
	} {
		want := []string{}
		if found {
			want = []string{"1"}
		}
		assert.Equal(t, want, ids(pageOf(j, journal.Query{Search: search(t, text)}).Exchanges), text)
	}
	assert.Equal(t, []string{"1"}, ids(pageOf(j, journal.Query{Search: search(t, "outcome:refused")}).Exchanges))
	assert.Equal(t, []string{"2"}, ids(pageOf(j, journal.Query{Search: search(t, "outcome:faulted")}).Exchanges))
	assert.Empty(t, pageOf(j, journal.Query{Search: search(t, "outcome:faulted owls")}).Exchanges)
}

// All words of a text must occur, and those about the status must hold. An exchange says where its words are.
func TestWordsOfAText(t *testing.T) {
	j := journal.New(0, journal.NewBudget(0))
	raw := list(0)
	raw.Status = 404
	raw.RequestHeader = http.Header{"User-Agent": {"Night/1.0 (401)"}, "X-Night": {"1"}}
	raw.ResponseBody = []byte("no owls at night")
	j.Add(raw.record())
	j.Add(journal.Record{Exchange: &journal.Exchange{Decision: journal.Decision{Outcome: journal.Faulted}}}) // lost
	for text, want := range map[string][]string{
		"owls NIGHT":                     {"request header User-Agent", "response body"},
		"v3/groups night status:4xx":     {"path", "request header User-Agent"},
		"(401) status:<500 status:>=404": {"request header User-Agent"},
		"STATUS:401,404 user-agent":      {"request header User-Agent"},
		"night status:5xx":               nil, "night day": nil, "night status:401": nil, "night status:>404": nil,
		"night status:<404": nil, "night 4xx": nil, `"no owls" status:4xx`: {"response body"}, `"owls no"`: nil,
		"status:404 404 401":                          {"status", "request header User-Agent"},
		"night status:<=404 status:4xx status:404 no": {"request header User-Agent", "response body"},
	} {
		var got []string
		for _, x := range pageOf(j, journal.Query{Search: search(t, text)}).Exchanges {
			got = append(got, x.Matched...)
		}
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]int{
		"status:<500": 1, "status:404": 1, "  ": 2, "status:4xx status:5xx": 0, "status:lost": 1,
		"method:get": 1, "method:post": 0, "path:/V3/groups": 1, "path:v3/x": 0, "operation:groups.*": 1,
		"operation:tokens.issue": 0, "user:1": 0, "code:2004": 0, "fault:x": 0, "outcome:faulted": 1,
		"dialect:public": 0,
	} {
		assert.Len(t, pageOf(j, journal.Query{Search: search(t, text)}).Exchanges, want, text)
	}
}

// search reads a search.
func search(t *testing.T, text string) journal.Search {
	t.Helper()
	s, err := journal.ParseSearch(text)
	require.NoError(t, err)
	return s
}

func TestSearchesThatFindNothing(t *testing.T) {
	for text, want := range map[string]string{
		"night status:": `"status:" has no value after it`, "status:4": `"status:4" is no status: write status:404`,
		"status:>=600": "is no status", "status:600": "is no status",
		"stats:404": `unknown key "stats:": did you mean "status:"?; write "stats:404" in quotes to look for the text`,
		"http://x": `unknown key "http:": the keys are "status:", "user:", "method:", "operation:", "code:", "fault:", ` +
			`"path:", "outcome:", "dialect:"; write "http://x" in quotes`,
		"operation:groups.lst": `unknown operation "groups.lst": did you mean "groups.list"?`,
		"outcome:refusd":       `unknown outcome "refusd": did you mean "refused"?`, "dialect:publc": "unknown dialect",
		strings.Repeat("x", 201): "at most 200 characters",
	} {
		_, err := journal.ParseSearch(text)
		assert.ErrorContains(t, err, want, text)
	}
}
