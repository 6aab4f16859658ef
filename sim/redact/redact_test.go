package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

const canary = "cAnary7secret"

// shown puts a secret in the place of CANARY, and its fingerprint in the place of SECRET.
var shown = strings.NewReplacer("CANARY", canary, "SECRET", redact.Fingerprint(canary)).Replace

func TestHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[[2]string]string{
		{"Authorization", "Bearer CANARY"}:         "Bearer SECRET",
		{"authorization", "basic CANARY"}:          "basic SECRET",
		{"Authorization", "CANARY"}:                "SECRET",
		{"Authorization", ""}:                      "",
		{"Proxy-Authorization", "Basic CANARY"}:    "Basic SECRET",
		{"Cookie", "CANARY"}:                       "SECRET",
		{"Set-Cookie", "CANARY"}:                   "SECRET",
		{"Traceparent", "CANARY"}:                  "CANARY",
		{"X-Request-Id", "CANARY"}:                 "CANARY",
		{"Banksim-Fault", "status=500; message=x"}: "status=500; message=x",
	} {
		assert.Equal(t, shown(want), redact.Header(header[0], shown(header[1])), header)
	}
	assert.Equal(t, redact.Fingerprint("Unknown "+canary), redact.Header("Authorization", "Unknown "+canary))
}

func TestQueries(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                 "",
		"view=short&page=1&&x":             "view=short&page=1&&x",
		"size=2&token=CANARY&page=1":       "size=2&token=SECRET&page=1",
		"Access_Token=CANARY":              "Access_Token=SECRET",
		"toke%6E=c%41nary7secret":          "toke%6E=SECRET",
		"size=2;token=CANARY":              "size=2;token=SECRET",
		"token=":                           "token=",
		"token":                            "token",
		"password=CANARY&password=CANARY&": "password=SECRET&password=SECRET&",
	} {
		assert.Equal(t, shown(want), redact.Query(shown(query)))
	}
	assert.Equal(t, shown("password="+redact.Fingerprint("%zz"+canary)), redact.Query("password=%zz"+canary))
	assert.Equal(t, "short", redact.Parameter("view", "short"))
	assert.Equal(t, shown("SECRET"), redact.Parameter("Token", canary))
}

func TestJSONBodies(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"groupName":"n", "unknown": {"a":[1, null]}}`:            `{"groupName":"n", "unknown": {"a":[1, null]}}`,
		`{"username":"avery", "password" : "CANARY"}`:              `{"username":"avery", "password" : "SECRET"}`,
		`{"PASSWORD":"c\u0041nary7secret"}`:                        `{"PASSWORD":"SECRET"}`,
		`{"toke\u006e":"CANARY"}`:                                  `{"toke\u006e":"SECRET"}`,
		`[{"x":{"token":"CANARY"}},{"cardNumber":"CANARY","y":1}]`: `[{"x":{"token":"SECRET"}},{"cardNumber":"SECRET","y":1}]`,
		`{"password":"","token":null}`:                             `{"password":"","token":null}`,
		`{"note":"\"password\":\"x\"","a":["password","CANARY"]}`:  `{"note":"\"password\":\"x\"","a":["password","CANARY"]}`,
		`"password"`:                        `"password"`,
		`{"password":4111}`:                 `{"password":"` + redact.Fingerprint("4111") + `"}`,
		`{"a":{"password":4111 },"b":1}`:    `{"a":{"password":"` + redact.Fingerprint("4111") + `" },"b":1}`,
		`{"password":{"a":["}\"]"]},"b":1}`: `{"password":"` + redact.Fingerprint(`{"a":["}\"]"]}`) + `","b":1}`,
		`{"password":[1,{"b":2}] }`:         `{"password":"` + redact.Fingerprint(`[1,{"b":2}]`) + `" }`,
	} {
		for _, media := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded", ""} {
			got := redact.RequestBody([]byte(shown(body)), media)
			assert.Equal(t, shown(want), string(got))
			assert.True(t, json.Valid(got))
		}
	}
}

// In a body that can't be read, what follows the name of a secret is masked to the end of the line.
func TestOtherBodies(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"{\"groupName\": \"The key group\",\n\"password\": \"CANARY\n\"note\": 1": "{\"groupName\": \"The key " +
			"group\",\n\"password\": \"SECRET\n\"note\": 1",
		"{'Password':\r\n  'CANARY\r\n}": "{'Password':\r\n  'SECRET\r\n}",
		"{\"grant_type\": \"password\", \"username\": \"a\"\n\"password\": \"CANARY": "{\"grant_type\": " +
			"\"password\", \"username\": \"a\"\n\"password\": \"SECRET",
		"{\"password\", \"CANARY": "{\"password\"" + redact.Fingerprint(", \""+canary),
		"{\"password\" \"CANARY":  "{\"password\" \"SECRET",
		"<password>CANARY":        "<password>SECRET",
		"password = CANARY":       "password = SECRET",
		"a report on tokens":      "a report on tokens",
	} {
		assert.Equal(t, shown(want), string(redact.RequestBody([]byte(shown(body)), "application/json")))
	}
	form := redact.RequestBody([]byte(shown("username=avery&password=CANARY&scopes=a+b")),
		"application/x-www-form-urlencoded; charset=utf-8")
	assert.Equal(t, shown("username=avery&password=SECRET&scopes=a+b"), string(form))
}

func TestAnswerBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operation  string
		status     int
		body, want string
	}{
		{"tokens.issue", 200, `{"access_token":"CANARY","expires_in":"1"}`, `{"access_token":"SECRET","expires_in":"1"}`},
		{"tokens.issue", 400, `{"code":"2001","message":"m"}`, `{"code":"2001","message":"m"}`},
		{"tokens.createCode", 200, `{"code":"CANARY","redirect_uri":"r"}`, `{"code":"SECRET","redirect_uri":"r"}`},
		{"tokens.issue", 200, `{"access_token":"CANARY`, `{"access_token":"SECRET`},
		{"tokens.revoke", 200, `{"secondaryAuthCookies":{"name":"n","value":"CANARY"}}`,
			`{"secondaryAuthCookies":{"name":"n","value":"SECRET"}}`},
		{"groups.create", 200, `{"anything": "goes"`, `{"anything": "goes"`},
	} {
		assert.Equal(
			t, shown(test.want), string(redact.AnswerBody([]byte(shown(test.body)), test.operation, test.status)),
		)
	}
}

// Of two secrets that begin alike, the longer one is masked as a whole. A short one is in most texts by chance.
func TestEcho(t *testing.T) {
	t.Parallel()
	echoed := redact.Echo([]byte("you are "+canary+"-2, Ann"), []string{"Ann", canary, canary + "-2"})
	assert.Equal(t, "you are "+redact.Fingerprint(canary+"-2")+", Ann", string(echoed))
}

// Member says the same of a member's value as RequestBody does.
func TestMember(t *testing.T) {
	t.Parallel()
	assert.Empty(t, redact.Member(nil, canary))
	assert.Empty(t, redact.Member([]string{"password", "unknown"}, canary))
	assert.Equal(t, shown("SECRET"), redact.Member([]string{"groupName", "Password"}, canary))
	assert.Equal(t, redact.Fingerprint("4111"), redact.Member([]string{"token"}, json.Number("4111")))
	assert.Empty(t, redact.Member([]string{"token"}, nil))
}

// Whatever is sent, JSON stays JSON.
func FuzzRequestBody(f *testing.F) {
	for _, seed := range []string{`{"token":"a","groupName":{"b":[1,"c",null]}}`, ` [ "\"" , {} ] `, `{"a":`, "a=b&c", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got := redact.RequestBody(body, "application/json"); json.Valid(body) {
			assert.True(t, json.Valid(got), "%q", got)
		}
	})
}
