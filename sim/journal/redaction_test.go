package journal_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// recorded returns an exchange as a journal gives it back.
func recorded(t *testing.T, raw journal.Raw) journal.Exchange {
	t.Helper()
	j := journal.New(0, journal.NewBudget(0))
	x, ok := j.Get(j.Add(raw))
	require.True(t, ok)
	return x
}

func sent(contentType, body string) journal.Raw {
	raw := list(0)
	raw.RequestHeader = http.Header{"Content-Type": {contentType}}
	raw.RequestBody = []byte(body)
	return raw
}

// Secrets are redacted before an exchange is kept, in its headers, query and bodies. Everything else is as it was sent.
func TestAnExchangeIsRedacted(t *testing.T) {
	t.Parallel()
	const canary = "cAnary7secret"
	secret := redact.Fingerprint(canary)
	raw := sent("application/json", `{"token":"`+canary+`", "other":"n"`)
	raw.Operation, raw.Path, raw.Method, raw.RawQuery = "tokens.issue", "/other/cards", "BREW", "debug=on&token="+canary
	raw.RequestHeader["Cookie"], raw.RequestHeader["X-Key"] = []string{canary}, []string{"k"}
	raw.ResponseHeader = [][2]string{{"Set-Cookie", canary}}
	raw.ResponseBody = []byte(`{"access_token":"` + canary + `"}`)
	x := recorded(t, raw)
	assert.Equal(t, "BREW", x.Request.Method)
	assert.Equal(t, raw.BaseURL+"/other/cards?debug=on&token="+secret, x.Request.URL)
	assert.Equal(t, url.Values{"debug": {"on"}, "token": {secret}}, x.Request.Query)
	assert.Equal(t, journal.Header{"Content-Type": {"application/json"}, "Cookie": {secret}, "X-Key": {"k"}}, x.Request.Headers)
	assert.Equal(t, journal.Header{"Set-Cookie": {secret}}, x.Response.Headers)
	document, err := json.Marshal(x)
	require.NoError(t, err)
	assert.NotContains(t, string(document)+har(t, slices.Values([]journal.Exchange{x}), "1"), canary)
}

// A test verifies the secret that it has sent, although the journal holds its fingerprint.
func TestVerifyWhatIsRedacted(t *testing.T) {
	t.Parallel()
	raw := sent("application/x-www-form-urlencoded", "password=hush&username=avery")
	raw.RawQuery = "token=hush"
	j := journal.New(0, journal.NewBudget(0))
	j.Add(raw)
	word := func(text string) *string { return &text }
	secret := redact.Fingerprint("hush")
	for name, e := range map[string]journal.Expectation{
		"parameter":                {Query: map[string]*string{"token": word("hush")}},
		"parameter as it is shown": {Query: map[string]*string{"token": word(secret)}},
	} {
		verdict, err := j.Verify(t.Context(), e, 0)
		require.NoError(t, err, name)
		assert.True(t, verdict.Verified, name)
	}
	verdict, err := j.Verify(t.Context(), journal.Expectation{Query: map[string]*string{"token": word("~other")}}, 0)
	require.NoError(t, err)
	require.Len(t, verdict.NearMisses, 1)
	assert.Equal(t, []journal.Difference{{Field: "query.token", Want: "~" + redact.Fingerprint("~other"), Got: secret}},
		verdict.NearMisses[0].Differences)
}

// What callers send need not be UTF-8; the control API's JSON has to be.
func TestAnythingThatIsSentCanBeShown(t *testing.T) {
	raw := sent("application/x-www-form-urlencoded", "username=%ff&%ff=1&grant_type=\xff")
	raw.Path = "/\xff"
	raw.RawQuery = "size=%ff&size=\xff&\xff"
	raw.Method = "G\xffT"
	raw.RequestHeader["Transactionid"] = []string{"\xff", "\xff"}
	raw.ResponseBody = []byte("\xff")
	j := journal.New(0, journal.NewBudget(0))
	j.Add(raw)
	j.Add(raw)
	_, err := json.Marshal(pageOf(j, journal.Query{}))
	require.NoError(t, err)
	verdict, err := j.Verify(t.Context(), journal.Expectation{Operation: "groups.list", Body: []byte(`{"username":"a","grant_type":"b"}`),
		Query: map[string]*string{"size": new(string)}}, 0)
	require.NoError(t, err)
	_, err = json.Marshal(verdict)
	require.NoError(t, err)
}
