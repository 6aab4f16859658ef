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
		raw.RawQuery = "size=2&token=" + canary + "&" + canary + "=1"
		raw.RequestHeader["Accept-Token"], raw.RequestHeader["Location"], raw.RequestHeader["Banksim-Key"] = []string{canary}, []string{canary}, []string{canary}
		raw.RequestHeader["Banksim-Fault"] = []string{"status=500; message=" + canary}
		raw.RequestHeader["X-Api-Key"] = []string{canary}
		raw.RequestHeader["Authorization"] = []string{"Bearer " + canary}
		raw.ResponseHeader = [][2]string{{"Set-Cookie", canary}, {"Content-Type", media}}
		raw.ResponseBody = []byte(hide(`{"access_token":"CANARY","expires_in":"1"}`))
		x := recorded(t, raw)
		assert.Equal(t, journal.Header{"Content-Type": {media}, "X-Api-Key": {secret}, "Authorization": {"Bearer " + secret},
			"Accept-Token": {secret}, "Location": {secret}, "Banksim-Key": {secret}, "Banksim-Fault": {"status=500; message=" + secret}}, x.Request.Headers)
		assert.Equal(t, url.Values{"size": {"2"}, "token": {secret}, secret: {redact.Fingerprint("1")}}, x.Request.Query)
		assert.Equal(t, raw.BaseURL+raw.Path+"?size=2&token="+secret+"&"+secret+"="+redact.Fingerprint("1"), x.Request.URL)
		assert.Equal(t, hide(body[1]), x.Request.Body)
		assert.Equal(t, len(raw.RequestBody), x.Request.BodyBytes)
		assert.Equal(t, journal.Header{"Content-Type": {media}, "Set-Cookie": {secret}}, x.Response.Headers)
		assert.Equal(t, hide(`{"access_token":"SECRET","expires_in":"1"}`), x.Response.Body)

		document, err := json.Marshal(x)
		require.NoError(t, err)
		assert.NotContains(t, string(document), canary)
		assert.NotContains(t, har(t, slices.Values([]journal.Exchange{x}), "1"), canary)
	}
}

// A path that is no operation's, and a method that is none, may be anything. An answer that quotes them is kept as the
// caller of the journal says.
func TestAnUnknownPathIsRedacted(t *testing.T) {
	t.Parallel()
	const canary = "cAnary7secret"
	secret := redact.Fingerprint(canary)
	raw := list(0)
	raw.Operation, raw.Path, raw.Method = "", "/digitalbanking/"+canary+"/groups", canary
	raw.ResponseBody, raw.ResponseKept = []byte("no path "+canary), []byte("no path")
	x := recorded(t, raw)
	assert.Equal(t, "/digitalbanking/"+secret+"/groups", x.Request.Path)
	assert.Equal(t, raw.BaseURL+x.Request.Path, x.Request.URL)
	assert.Equal(t, secret, x.Request.Method)
	assert.Equal(t, "no path", x.Response.Body)
	assert.Equal(t, len(raw.ResponseBody), x.Response.BodyBytes)
	assert.Equal(t, x.Request, raw.Exchange().Request)

	document, err := json.Marshal(x)
	require.NoError(t, err)
	assert.NotContains(t, string(document)+har(t, slices.Values([]journal.Exchange{x}), "1"), canary)

	raw.Operation = "estatements.getDisclosures"
	raw.Path = "/digitalbanking/ux-users/v1/e-statements/acc-1/disclosures"
	assert.Equal(t, raw.Path, recorded(t, raw).Request.Path, "with its variable")
}

// A test verifies what it has sent, although the journal holds it redacted.
func TestVerifyWhatIsRedacted(t *testing.T) {
	t.Parallel()
	raw := sent("application/x-www-form-urlencoded", "custom=1&username=avery")
	raw.Operation, raw.Path, raw.Method, raw.RawQuery = "", "/other/cards", "BREW", "debug=on"
	j := journal.New(journal.DefaultLimits(), nil)
	j.Add(raw)
	x, _ := j.Get("1")
	word := func(text string) *string { return &text }
	for name, e := range map[string]journal.Expectation{
		"path": {Path: "/other/cards"}, "path as it is shown": {Path: x.Request.Path}, "path by an expression": {Path: "~^/tok_[0-9a-f]+/"},
		"method":    {Method: "BREW"},
		"parameter": {Query: map[string]*string{"debug": word("on")}}, "parameter as it is shown": {Query: map[string]*string{redact.Fingerprint("debug"): word("on")}},
		"form": {Body: []byte(`{"custom":"1","username":"avery"}`)}, "form as it is shown": {Body: []byte(`{"` + redact.Fingerprint("custom") + `":"1"}`)},
		"absent": {Query: map[string]*string{"other": nil}, Path: "/other/cards"},
	} {
		verdict, err := j.Verify(t.Context(), e)
		require.NoError(t, err, name)
		assert.True(t, verdict.Verified, name)
	}
	verdict, err := j.Verify(t.Context(), journal.Expectation{Method: "STEEP", Path: "/other/hush", Query: map[string]*string{"debug": nil}, Header: map[string]*string{"x-key": word("~hush")}})
	require.NoError(t, err)
	require.Len(t, verdict.NearMisses, 1)
	assert.Equal(t, []journal.Difference{
		{Field: "method", Want: redact.Fingerprint("STEEP"), Got: redact.Fingerprint("BREW")},
		{Field: "path", Want: redact.Path("/other/hush"), Got: x.Request.Path},
		{Field: "header.x-key", Want: "~" + redact.Fingerprint("~hush"), Got: nil},
		{Field: "query.debug", Want: nil, Got: redact.Fingerprint("on")},
	}, verdict.NearMisses[0].Differences)
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
	verdict, err := j.Verify(t.Context(), journal.Expectation{Operation: "groups.list", Body: []byte(`{"username":"a","grant_type":"b"}`), Query: map[string]*string{"size": new(string)}})
	require.NoError(t, err)
	_, err = json.Marshal(verdict)
	require.NoError(t, err)
}
