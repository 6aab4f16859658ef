package journal_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// recorded returns an exchange as a journal gives it back.
func recorded(t *testing.T, raw journal.Raw) journal.Exchange {
	t.Helper()
	j := journal.New(journal.DefaultLimits(), nil)
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

// Every part of an exchange that can hold a secret is redacted before it is kept.
func TestAnExchangeIsRedacted(t *testing.T) {
	t.Parallel()
	const canary = "cAnary7secret"
	secret := redact.Fingerprint(canary)
	for media, body := range map[string][2]string{
		"application/json":                  {`{"token":"CANARY", "groupName":"n"}`, `{"token":"SECRET", "groupName":"n"}`},
		"application/x-www-form-urlencoded": {"token=CANARY&username=avery", "token=SECRET&username=avery"},
		"text/plain":                        {"CANARY", "xxxxxxxxxxxxx"},
	} {
		hide := strings.NewReplacer("CANARY", canary, "SECRET", secret).Replace
		raw := sent(media, hide(body[0]))
		raw.Operation = "tokens.issue"
		raw.RawQuery = "size=2&token=" + canary
		raw.RequestHeader["X-Api-Key"] = []string{canary}
		raw.RequestHeader["Authorization"] = []string{"Bearer " + canary}
		raw.ResponseHeader = [][2]string{{"Set-Cookie", canary}, {"Content-Type", media}}
		raw.ResponseBody = []byte(hide(`{"access_token":"CANARY","expires_in":"1"}`))
		x := recorded(t, raw)
		assert.Equal(t, journal.Values{"Content-Type": {media}, "X-Api-Key": {secret}, "Authorization": {"Bearer " + secret}}, x.Request.Headers)
		assert.Equal(t, journal.Values{"size": {"2"}, "token": {secret}}, x.Request.Query)
		assert.Equal(t, raw.BaseURL+raw.Path+"?size=2&token="+secret, x.Request.URL)
		assert.Equal(t, hide(body[1]), x.Request.Body)
		assert.Equal(t, len(raw.RequestBody), x.Request.BodyBytes)
		assert.Equal(t, journal.Values{"Content-Type": {media}, "Set-Cookie": {secret}}, x.Response.Headers)
		assert.Equal(t, hide(`{"access_token":"SECRET","expires_in":"1"}`), x.Response.Body)

		document, err := json.Marshal(x)
		require.NoError(t, err)
		assert.NotContains(t, string(document), canary)
		assert.NotContains(t, har(t, slices.Values([]journal.Exchange{x}), "1"), canary)
	}
}

// What callers send need not be UTF-8; the control API's JSON has to be.
func TestAnythingThatIsSentCanBeShown(t *testing.T) {
	raw := sent("application/x-www-form-urlencoded", "username=%ff&%ff=1&grant_type=\xff")
	raw.Path = "/\xff"
	raw.RawQuery = "size=%ff&size=\xff&\xff"
	raw.Method = "G\xffT"
	raw.RequestHeader["Transactionid"] = []string{"\xff", "\xff"}
	raw.ResponseBody = []byte("\xff")
	j := journal.New(journal.DefaultLimits(), nil)
	j.Add(raw)
	j.Add(raw)
	_, err := json.Marshal(j.Page(journal.Query{}))
	require.NoError(t, err)
	verdict, err := j.Verify(journal.Expectation{Operation: "groups.list", Body: []byte(`{"username":"a","grant_type":"b"}`), Query: map[string]*string{"size": new(string)}})
	require.NoError(t, err)
	_, err = json.Marshal(verdict)
	require.NoError(t, err)
}
