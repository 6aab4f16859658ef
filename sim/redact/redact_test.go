package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

const canary = "cAnary7secret"

var secret = redact.Fingerprint(canary)

func TestQueries(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                     "",
		"hostUserId=1001":                      "hostUserId=1001",
		"page=1&size=2&sort=a,desc&sort=b":     "page=1&size=2&sort=a,desc&sort=b",
		"host%55serId=1001":                    "host%55serId=1001",
		"access_token=" + canary:               "access_token=" + secret,
		"size=2&token=" + canary + "&page=1":   "size=2&token=" + secret + "&page=1",
		"token=c%41nary7secret":                "token=" + secret,
		"token=":                               "token=",
		canary + "=":                           secret + "=",
		canary + "==":                          secret + "=" + redact.Fingerprint("="),
		canary + "=" + canary:                  secret + "=" + secret,
		"%63Anary7secret=&Token=" + canary:     secret + "=&Token=" + secret,
		"size":                                 "size",
		canary:                                 secret,
		"size=2;token=" + canary:               "size=" + redact.Fingerprint("2;token="+canary),
		"size;token=" + canary:                 redact.Fingerprint("size;token=" + canary),
		"%zz" + canary + "=" + canary:          redact.Fingerprint("%zz" + canary + "=" + canary),
		"token=%zz" + canary:                   "token=" + redact.Fingerprint("%zz"+canary),
		"&&token=" + canary + "=" + canary:     "&&token=" + redact.Fingerprint(canary+"="+canary),
		"HOSTUSERID=" + canary + "&hostUserId": "HOSTUSERID=" + secret + "&hostUserId",
	} {
		assert.Equal(t, want, redact.Query(query))
	}
	assert.Less(t, len(redact.Query(strings.Repeat("a=b&", 8000))), 10_000, "many parameters get one fingerprint together")
	most := strings.Repeat("size=1&", 200)
	assert.Equal(t, most, redact.Query(most))
	assert.Equal(t, most+redact.Fingerprint("size=2&size=3"), redact.Query(most+"size=2&size=3"), "of plain parameters, too")
	assert.Equal(t, "1001", redact.Parameter("hostUserId", "1001"))
	assert.Equal(t, secret, redact.Parameter("token", canary))
	assert.Empty(t, redact.Parameter("token", ""))
}

func TestJSONRequestBodies(t *testing.T) {
	t.Parallel()
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
		`{"unknown":{"groupName":"CANARY"}}`:             `{"unknown":"` + redact.Fingerprint(`{"groupName":"`+canary+`"}`) + `"}`,
		`{"unknown":{"b":1, "a":2}}`:                     `{"unknown":"` + redact.Fingerprint(`{"a":2,"b":1}`) + `"}`,
		`{"unknown":["CANARY"]}`:                         `{"unknown":"` + redact.Fingerprint(`["`+canary+`"]`) + `"}`,
		`{"password":4111}`:                              `{"password":"` + redact.Fingerprint("4111") + `"}`,
		`{"password":true}`:                              `{"password":"` + redact.Fingerprint("true") + `"}`,
		`{"password":"","token":null}`:                   `{"password":"","token":null}`,
		`{"groupName":{"password":"CANARY"}}`:            `{"groupName":{"password":"SECRET"}}`,
		`{"groupName":["plain",{"password":"CANARY"}]}`:  `{"groupName":["plain",{"password":"SECRET"}]}`,
		`{"additionalInfo":{}}`:                          `{"additionalInfo":{}}`,
		`{"additionalInfo":{"groupName":"CANARY"}}`:      `{"additionalInfo":{"groupName":"SECRET"}}`,
		`{"additionalInfo":{"a":{"groupName":"x"}}}`:     `{"additionalInfo":{"a":"` + redact.Fingerprint(`{"groupName":"x"}`) + `"}}`,
		`{"additionalInfo":[{"groupName":"CANARY"}]}`:    `{"additionalInfo":[{"groupName":"SECRET"}]}`,
		`{"additionalInfo":"CANARY"}`:                    `{"additionalInfo":"SECRET"}`,
		`{"additionalInfo":["CANARY"]}`:                  `{"additionalInfo":["SECRET"]}`,
		`"CANARY"`:                                       `"SECRET"`,
		` [ "CANARY" , {"groupName":"n"}, ["CANARY"] ] `: ` [ "SECRET" , {"groupName":"n"}, ["SECRET"] ] `,
		`{"password":"CANARY","password":"CANARY"}`:      `{"password":"SECRET","password":"SECRET"}`,
		`{"unknown":{"a":[1,{"b":"}]\""}], "c" : 1.0}}`:  `{"unknown":"` + redact.Fingerprint(`{"a":[1,{"b":"}]\""}],"c":1}`) + `"}`,
		`{"unknown":[1e999, 2]}`:                         `{"unknown":"` + redact.Fingerprint(`[1e999,2]`) + `"}`,
		`{"groupName":"\"\\","password":"CANARY\\"}`:     `{"groupName":"\"\\","password":"` + redact.Fingerprint(canary+`\`) + `"}`,
		`{"groupName":-1.5e+3 ,"token":-1.5e+3}`:         `{"groupName":-1.5e+3 ,"token":"` + redact.Fingerprint("-1.5e+3") + `"}`,
		`[]`:                                             `[]`,
		`null`:                                           `null`,
	} {
		body, want := strings.ReplaceAll(body, "CANARY", canary), strings.ReplaceAll(want, "SECRET", secret)
		for _, media := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded", ""} {
			assert.Equal(t, want, string(redact.RequestBody([]byte(body), media, true)))
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	assert.True(t, redact.IsForm("application/x-www-form-urlencoded; charset=utf-8"))
	assert.False(t, redact.IsForm("application/json"))
	for body, want := range map[string]string{
		"grant_type=password&username=avery&password=" + canary: "grant_type=password&username=avery&password=" + secret,
		"refresh_token=" + canary + "&scopes=a+b":               "refresh_token=" + secret + "&scopes=a+b",
		"unknown=" + canary:                                     redact.Fingerprint("unknown") + "=" + secret,
		canary + "=":                                            secret + "=",
		"password==":                                            "password=" + redact.Fingerprint("="),
		canary:                                                  secret,
		"{" + canary:                                            redact.Fingerprint("{" + canary),
		"password=":                                             "password=",
		"additionalInfo=" + canary:                              "additionalInfo=" + secret,
	} {
		assert.Equal(t, want, string(redact.RequestBody([]byte(body), "application/x-www-form-urlencoded; charset=utf-8", true)))
	}
}

func TestBodiesThatCannotBeReadAreMasked(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"password":"` + canary:              `{"xxxxxxxx":"xxxxxxxxxxxxx`,
		`{"groupName": "a" ` + canary:         `{"xxxxxxxxx": "x" xxxxxxxxxxxxx`,
		`{"groupName":"a"} ` + canary:         `{"xxxxxxxxx":"x"} xxxxxxxxxxxxx`,
		`{"groupName":"a"} "` + canary:        `{"xxxxxxxxx":"x"} "xxxxxxxxxxxxx`,
		"pass=" + canary + "\n-_!§ü" + "\xff": "xxxx=xxxxxxxxxxxxx\nxxxxxxxx",
		canary:                                "xxxxxxxxxxxxx",
		"\xff\xfe" + canary:                   "xxxxxxxxxxxxxxx",
		`{"groupName":"` + "\xff" + `"}`:      `{"xxxxxxxxx":"x"}`,
		`{"groupName":"` + "\x01" + `"}`:      `{"xxxxxxxxx":"x"}`,
		`{"groupName":"\ud800"}`:              `{"xxxxxxxxx":"\xxxxx"}`,
	} {
		got := redact.RequestBody([]byte(body), "application/json", true)
		assert.Equal(t, want, string(got))
		assert.Len(t, got, len(body), "positions stay")
	}
	for body, want := range map[string]string{
		`{"groupName":"Night`: `{"xxxxxxxxx":"xxxxx`,
		"password=dem":        "xxxxxxxx=xxx",
	} {
		assert.Equal(t, want, string(redact.RequestBody([]byte(body), "application/x-www-form-urlencoded", false)), "only the beginning of a body")
	}
}

func TestAnswerBodies(t *testing.T) {
	t.Parallel()
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
		body, want := strings.ReplaceAll(c.body, "CANARY", canary), strings.ReplaceAll(c.want, "SECRET", secret)
		assert.Equal(t, want, string(redact.AnswerBody([]byte(body), c.operation)))
	}
}

func TestHideValues(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]string{
		`{}`: "{}",
		` { "a" : "CANARY", "groupName":"CANARY" } `: ` { "a" : "SECRET", "groupName":"SECRET" } `,
		`{"a":{"b":"CANARY"},"n":null,"e":""}`:       `{"a":"` + redact.Fingerprint(`{"b":"`+canary+`"}`) + `","n":null,"e":""}`,
		`["CANARY"]`:                                 "",
		`"CANARY"`:                                   "",
		`{"a":`:                                      "",
		``:                                           "",
	} {
		got := redact.HideValues(strings.ReplaceAll(object, "CANARY", canary))
		assert.Equal(t, strings.ReplaceAll(want, "SECRET", secret), string(got), object)
	}
}

// Member says the same of a member's value as RequestBody does.
func TestMember(t *testing.T) {
	t.Parallel()
	path := func(names ...string) []string { return names }
	object := map[string]any{"b": json.Number("1"), "a": "2"}
	for _, c := range []struct {
		path  []string
		value any
		want  string
	}{
		{nil, object, ""},
		{path("groupName"), canary, ""},
		{path("token"), canary, secret},
		{path("token"), json.Number("4111"), redact.Fingerprint("4111")},
		{path("token"), true, redact.Fingerprint("true")},
		{path("token"), "", ""},
		{path("token"), nil, ""},
		{path("unknown"), object, redact.Fingerprint(`{"a":"2","b":1}`)},
		{path("groupName", "password"), canary, secret},
		{path("additionalInfo"), object, ""},
		{path("additionalInfo"), []any{canary}, ""},
		{path("additionalInfo"), canary, secret},
		{path("additionalInfo", "groupName"), canary, secret},
		{path("additionalInfo", "a"), object, redact.Fingerprint(`{"a":"2","b":1}`)},
	} {
		assert.Equal(t, c.want, redact.Member(c.path, c.value), "%v %v", c.path, c.value)
	}
}

func TestFingerprintsAreEqualForEqualSecrets(t *testing.T) {
	t.Parallel()
	assert.Regexp(t, `^tok_[0-9a-f]{12}$`, redact.Fingerprint("demo-token"))
	assert.Equal(t, redact.Fingerprint("demo-token"), redact.Fingerprint("demo-token"))
	assert.NotEqual(t, redact.Fingerprint("demo-token"), redact.Fingerprint("demo-token-2"))
	assert.Equal(t, "Bearer "+redact.Fingerprint("demo-token"), redact.RequestHeader("Authorization", "Bearer demo-token"))
	assert.Equal(t, `{"token":"`+redact.Fingerprint("demo-token")+`"}`, string(redact.RequestBody([]byte(`{"token":"demo-token"}`), "", true)))
}

// Whatever is sent, JSON stays JSON, and any other text keeps its length.
func FuzzRequestBody(f *testing.F) {
	for _, seed := range []string{`{"token":"a","groupName":{"b":[1,"c",null]}}`, ` [ "\"" , {} ] `, `{"a":`, "a=b&c", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := redact.RequestBody(body, "application/json", true)
		if wire.Valid(body) {
			assert.True(t, wire.Valid(got), "%q", got)
			assert.Equal(t, got, redact.RequestBody(body, "", true), "the same each time")
		} else {
			assert.Len(t, got, len(body))
		}
	})
}
