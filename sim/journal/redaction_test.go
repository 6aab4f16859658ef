package journal_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// recorded returns an exchange as a journal gives it back.
func recorded(t *testing.T, raw raw) journal.Exchange {
	t.Helper()
	j := journal.New(0, journal.NewBudget(0))
	x, ok := j.Get(j.Add(raw.record()))
	require.True(t, ok)
	return x
}

func sent(contentType, body string) raw {
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
	assert.Equal(t, url.Values{"debug": {"on"}, "token": {secret}}, x.Request.Query.Values())
	assert.Equal(t, map[string][]string{"Content-Type": {"application/json"}, "Cookie": {secret}, "X-Key": {"k"}},
		x.Request.Headers.Values())
	assert.Equal(t, map[string][]string{"Set-Cookie": {secret}}, x.Response.Headers.Values())
	document, err := json.Marshal(x)
	require.NoError(t, err)
	assert.NotContains(t, string(document)+har(t, slices.Values([]journal.Exchange{x}), "1"), canary)
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
	j.Add(raw.record())
	j.Add(raw.record())
	_, err := json.Marshal(pageOf(j, journal.Query{}))
	require.NoError(t, err)
}

// A secret that a foreign answer repeats is masked, also where the journal cuts the answer.
func TestARepeatedSecretIsMaskedAtTheCut(t *testing.T) {
	secret := strings.Repeat("s3cret", 1000)
	raw := sent("text/plain", "")
	raw.Operation = ""
	raw.RequestHeader.Set("Authorization", "Bearer "+secret)
	for before := 15_000; before < 21_000; before += 1000 {
		raw.ResponseBody = []byte(strings.Repeat("x", before) + secret)
		assert.NotContains(t, recorded(t, raw).Response.Body, "s3cret", before)
	}
}
