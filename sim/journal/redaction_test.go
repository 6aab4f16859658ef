package journal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

const canary = "cAnary7secret"

// recorded returns an exchange as a journal gives it back.
func recorded(t *testing.T, raw journal.Raw) journal.Exchange {
	t.Helper()
	j := journal.New(journal.DefaultLimits(), nil)
	x, ok := j.Get(j.Add(raw))
	require.True(t, ok)
	return x
}

// everywhere is all text that shows an exchange.
func everywhere(t *testing.T, x journal.Exchange) string {
	t.Helper()
	document, err := json.Marshal([]any{x, journal.HAR([]journal.Exchange{x}, "1")})
	require.NoError(t, err)
	return string(document)
}

func sent(contentType, body string) journal.Raw {
	raw := list(0)
	raw.RequestHeader = http.Header{"Content-Type": {contentType}}
	raw.RequestBody = []byte(body)
	return raw
}

func TestHeaders(t *testing.T) {
	secret := journal.Fingerprint(canary)
	for _, c := range []struct{ name, value, want string }{
		{"Accept", "a", "a"},
		{"accept-encoding", "gzip", "gzip"},
		{"Content-Type", "application/json", "application/json"},
		{"Host", "bank", "bank"},
		{"User-Agent", "app", "app"},
		{"correlationId", "c-1", "c-1"},
		{"Transactionid", "t-1", "t-1"},
		{"institutionid", "02688", "02688"},
		{"fiid", "02688", "02688"},
		{"Userid", "1001", "1001"},
		{"Banksim-Fault", "status=500", "status=500"},
		{"Authorization", "Bearer " + canary, "Bearer " + secret},
		{"authorization", "bearer  " + canary, "bearer  " + secret},
		{"Authorization", "Basic " + canary, "Basic " + secret},
		{"Authorization", canary, secret},
		{"Authorization", "Bearer", "Bearer"},
		{"Authorization", "Bearer ", "Bearer "},
		{"Authorization", "Bearer" + canary, journal.Fingerprint("Bearer" + canary)},
		{"Authorization", canary + " more", journal.Fingerprint(canary + " more")},
		{"Proxy-Authorization", "Bearer " + canary, journal.Fingerprint("Bearer " + canary)},
		{"Cookie", canary, secret},
		{"Set-Cookie", canary, secret},
		{"Origin", canary, secret},
		{"Referer", canary, secret},
		{"X-Api-Key", canary, secret},
		{"Acceptance", canary, secret},
		{"X-Empty", "", ""},
		{"X-" + strings.Repeat("long", 20), canary, secret},
	} {
		raw := list(0)
		raw.RequestHeader = http.Header{c.name: {c.value}}
		raw.ResponseHeader = [][2]string{{c.name, c.value}}
		x := recorded(t, raw)
		assert.Equal(t, journal.Values{c.name: {c.want}}, x.Request.Headers)
		assert.Equal(t, journal.Values{c.name: {c.want}}, x.Response.Headers)
		if c.want != c.value {
			assert.NotContains(t, everywhere(t, x), canary)
		}
	}
}

func TestQueries(t *testing.T) {
	secret := journal.Fingerprint(canary)
	for query, want := range map[string]string{
		"":                                     "",
		"hostUserId=1001":                      "hostUserId=1001",
		"page=1&size=2&sort=a,desc&sort=b":     "page=1&size=2&sort=a,desc&sort=b",
		"host%55serId=1001":                    "host%55serId=1001",
		"access_token=" + canary:               "access_token=" + secret,
		"size=2&token=" + canary + "&page=1":   "size=2&token=" + secret + "&page=1",
		"token=c%41nary7secret":                "token=" + secret,
		"token=":                               "token=",
		"size":                                 "size",
		canary:                                 secret,
		"size=2;token=" + canary:               "size=" + journal.Fingerprint("2;token="+canary),
		"size;token=" + canary:                 journal.Fingerprint("size;token=" + canary),
		"%zz" + canary + "=" + canary:          journal.Fingerprint("%zz" + canary + "=" + canary),
		"token=%zz" + canary:                   "token=" + journal.Fingerprint("%zz"+canary),
		"&&token=" + canary + "=" + canary:     "&&token=" + journal.Fingerprint(canary+"="+canary),
		"HOSTUSERID=" + canary + "&hostUserId": "HOSTUSERID=" + secret + "&hostUserId",
	} {
		raw := list(0)
		raw.RawQuery = query
		x := recorded(t, raw)
		_, got, _ := strings.Cut(x.Request.URL, "?")
		assert.Equal(t, want, got)
		assert.NotContains(t, everywhere(t, x), canary)
	}
	raw := list(0)
	raw.RawQuery = "size=2&token=" + canary
	assert.Equal(t, journal.Values{"size": {"2"}, "token": {secret}}, recorded(t, raw).Request.Query)
}

func TestJSONRequestBodies(t *testing.T) {
	secret := journal.Fingerprint(canary)
	for body, want := range map[string]string{
		`{"activateEstatement": true, "accountId": "acc-1"}`:                   `{"activateEstatement": true, "accountId": "acc-1"}`,
		`{"groupId":"g","groupName":"n","groupDescription":"d"}`:               `{"groupId":"g","groupName":"n","groupDescription":"d"}`,
		`{"alertOpted":true,"alertPreferenceDetails":{"alertTypeName":"LOW"}}`: `{"alertOpted":true,"alertPreferenceDetails":{"alertTypeName":"LOW"}}`,
		`{"grant_type":"password", "username":"avery", "password": "CANARY"}`:  `{"grant_type":"password", "username":"avery", "password": "SECRET"}`,
		`{"token":"CANARY"}`:             `{"token":"SECRET"}`,
		`{"token":"c\u0041nary7secret"}`: `{"token":"SECRET"}`,
		`{"toke\u006e":"CANARY"}`:        `{"toke\u006e":"SECRET"}`,
		`{"refresh_token":"CANARY","access_token":"CANARY","secretKey":"CANARY"}`:   `{"refresh_token":"SECRET","access_token":"SECRET","secretKey":"SECRET"}`,
		`{"alertPreferenceAccountDetails":{"accountId":"a","cardNumber":"CANARY"}}`: `{"alertPreferenceAccountDetails":{"accountId":"a","cardNumber":"SECRET"}}`,
		`{"unknown":"CANARY"}`:                           `{"unknown":"SECRET"}`,
		`{"Username":"CANARY"}`:                          `{"Username":"SECRET"}`,
		`{"unknown":{"groupName":"CANARY"}}`:             `{"unknown":"` + journal.Fingerprint(`{"groupName":"`+canary+`"}`) + `"}`,
		`{"unknown":{"b":1, "a":2}}`:                     `{"unknown":"` + journal.Fingerprint(`{"a":2,"b":1}`) + `"}`,
		`{"unknown":["CANARY"]}`:                         `{"unknown":"` + journal.Fingerprint(`["`+canary+`"]`) + `"}`,
		`{"password":4111}`:                              `{"password":"` + journal.Fingerprint("4111") + `"}`,
		`{"password":true}`:                              `{"password":"` + journal.Fingerprint("true") + `"}`,
		`{"password":"","token":null}`:                   `{"password":"","token":null}`,
		`{"groupName":{"password":"CANARY"}}`:            `{"groupName":{"password":"SECRET"}}`,
		`{"groupName":["plain",{"password":"CANARY"}]}`:  `{"groupName":["plain",{"password":"SECRET"}]}`,
		`{"additionalInfo":{}}`:                          `{"additionalInfo":{}}`,
		`{"additionalInfo":{"groupName":"CANARY"}}`:      `{"additionalInfo":{"groupName":"SECRET"}}`,
		`{"additionalInfo":{"a":{"groupName":"x"}}}`:     `{"additionalInfo":{"a":"` + journal.Fingerprint(`{"groupName":"x"}`) + `"}}`,
		`{"additionalInfo":[{"groupName":"CANARY"}]}`:    `{"additionalInfo":[{"groupName":"SECRET"}]}`,
		`{"additionalInfo":"CANARY"}`:                    `{"additionalInfo":"SECRET"}`,
		`{"additionalInfo":["CANARY"]}`:                  `{"additionalInfo":["SECRET"]}`,
		`"CANARY"`:                                       `"SECRET"`,
		` [ "CANARY" , {"groupName":"n"}, ["CANARY"] ] `: ` [ "SECRET" , {"groupName":"n"}, ["SECRET"] ] `,
		`{"password":"CANARY","password":"CANARY"}`:      `{"password":"SECRET","password":"SECRET"}`,
		`null`: `null`,
	} {
		body, want := strings.ReplaceAll(body, "CANARY", canary), strings.ReplaceAll(want, "SECRET", secret)
		for _, media := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded", ""} {
			x := recorded(t, sent(media, body))
			assert.Equal(t, want, x.Request.Body)
			assert.Equal(t, len(body), x.Request.BodyBytes)
			assert.NotContains(t, everywhere(t, x), canary)
		}
	}
}

func TestForms(t *testing.T) {
	secret := journal.Fingerprint(canary)
	for body, want := range map[string]string{
		"grant_type=password&username=avery&password=" + canary: "grant_type=password&username=avery&password=" + secret,
		"refresh_token=" + canary + "&scopes=a+b":               "refresh_token=" + secret + "&scopes=a+b",
		"unknown=" + canary:                                     "unknown=" + secret,
		canary:                                                  secret,
		"{" + canary:                                            journal.Fingerprint("{" + canary),
		"password=":                                             "password=",
		"additionalInfo=" + canary:                              "additionalInfo=" + secret,
	} {
		x := recorded(t, sent("application/x-www-form-urlencoded; charset=utf-8", body))
		assert.Equal(t, want, x.Request.Body)
		assert.NotContains(t, everywhere(t, x), canary)
	}
}

func TestBodiesThatDoNotParseAreMasked(t *testing.T) {
	for body, want := range map[string]string{
		`{"password":"` + canary:              `{"xxxxxxxx":"xxxxxxxxxxxxx`,
		`{"groupName": "a" ` + canary:         `{"xxxxxxxxx": "x" xxxxxxxxxxxxx`,
		`{"groupName":"a"} ` + canary:         `{"xxxxxxxxx":"x"} xxxxxxxxxxxxx`,
		`{"groupName":"a"} "` + canary:        `{"xxxxxxxxx":"x"} "xxxxxxxxxxxxx`,
		"pass=" + canary + "\n-_!§ü" + "\xff": "xxxx=xxxxxxxxxxxxx\nxxxxxxxx",
		canary:                                "xxxxxxxxxxxxx",
		"\xff\xfe" + canary:                   "xxxxxxxxxxxxxxx",
		`{"groupName":"` + "\xff" + `"}`:      `{"xxxxxxxxx":"x"}`,
	} {
		x := recorded(t, sent("application/json", body))
		assert.Equal(t, want, x.Request.Body)
		assert.Len(t, x.Request.Body, len(body), "positions stay")
		assert.NotContains(t, everywhere(t, x), canary)
	}
}

func TestAnswers(t *testing.T) {
	secret := journal.Fingerprint(canary)
	for _, c := range []struct{ operation, body, want string }{
		{"tokens.issue", `{"token_type":"Bearer","access_token":"CANARY","expires_in":"1","di_fiid":"02688"}`, `{"token_type":"Bearer","access_token":"SECRET","expires_in":"1","di_fiid":"02688"}`},
		{"tokens.revoke", `{"refresh_token":"CANARY","di_ficustomer":"1001","refresh_token_expires_in":"0"}`, `{"refresh_token":"SECRET","di_ficustomer":"1001","refresh_token_expires_in":"0"}`},
		{"tokens.revoke", `{"userName":"avery","password":"CANARY","ticket":"CANARY","oldPassword":"","status":"S"}`, `{"userName":"avery","password":"SECRET","ticket":"SECRET","oldPassword":"","status":"S"}`},
		{"tokens.revoke", `{"secondaryAuthCookies":{"name":"n","value":"CANARY","maxAge":0}}`, `{"secondaryAuthCookies":{"name":"n","value":"SECRET","maxAge":0}}`},
		{"tokens.revoke", `{"statusMessage":"m","errorInfo":{"errorType":"USER_ERROR","errorCode":"C","errorMessage":"m"}}`, `{"statusMessage":"m","errorInfo":{"errorType":"USER_ERROR","errorCode":"C","errorMessage":"m"}}`},
		{"tokens.issue", `{"code":"C","message":"m"}`, `{"code":"C","message":"m"}`},
		{"tokens.issue", `{"access_token":"CANARY`, `{"xxxxxxxxxxxx":"xxxxxxxxxxxxx`},
		{"alerts.createPreference", `{"additionalInfo":{"a":"CANARY"},"alertPreferenceAccountDetails":{"cardNumber":"CANARY"},"alertPreferenceDetails":{"alertPrefId":3}}`, `{"additionalInfo":{"a":"SECRET"},"alertPreferenceAccountDetails":{"cardNumber":"SECRET"},"alertPreferenceDetails":{"alertPrefId":3}}`},
		{"groups.create", `{"anything": "goes"`, `{"anything": "goes"`},
		{"estatements.getDisclosures", `{"institutionUserDisclosures":[]}`, `{"institutionUserDisclosures":[]}`},
	} {
		raw := list(0)
		raw.Operation = c.operation
		raw.ResponseBody = []byte(strings.ReplaceAll(c.body, "CANARY", canary))
		x := recorded(t, raw)
		assert.Equal(t, strings.ReplaceAll(c.want, "SECRET", secret), x.Response.Body)
		assert.NotContains(t, everywhere(t, x), canary)
	}
}

func TestFingerprintsAreEqualForEqualSecrets(t *testing.T) {
	assert.Regexp(t, `^tok_[0-9a-f]{12}$`, journal.Fingerprint("demo-token"))
	assert.Equal(t, journal.Fingerprint("demo-token"), journal.Fingerprint("demo-token"))
	assert.NotEqual(t, journal.Fingerprint("demo-token"), journal.Fingerprint("demo-token-2"))

	raw := sent("application/json", `{"token":"demo-token"}`)
	raw.RequestHeader.Set("Authorization", "Bearer demo-token")
	x := recorded(t, raw)
	assert.Equal(t, fmt.Sprintf(`{"token":%q}`, journal.Fingerprint("demo-token")), x.Request.Body)
	assert.Equal(t, "Bearer "+journal.Fingerprint("demo-token"), x.Request.Headers["Authorization"][0])
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
