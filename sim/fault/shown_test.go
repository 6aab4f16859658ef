package fault_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// What a rule shows is redacted as the journal redacts requests and answers. The rule itself stays as it was given.
func TestShown(t *testing.T) {
	t.Parallel()
	const canary = "cAnary7secret"
	for given, want := range map[string]string{
		`{"when":{"request":{"institutionId":"02688","hostUserId":"~^10"}}}`:                    `{"when":{"request":{"institutionId":"02688","hostUserId":"~^10"}}}`,
		`{"when":{"request":{"header":{"fiid":"~^0","x-absent":null,"x-any":"~","x-no":""}}}}`:  `{"when":{"request":{"header":{"fiid":"~^0","x-absent":null,"x-any":"~","x-no":""}}}}`,
		`{"when":{"request":{"header":{"authorization":"Bearer CANARY","cookie":"CANARY"}}}}`:   `{"when":{"request":{"header":{"authorization":"Bearer SECRET","cookie":"SECRET"}}}}`,
		`{"when":{"request":{"header":{"x-key":"~CANARY"}}}}`:                                   `{"when":{"request":{"header":{"x-key":"~EXPRESSION"}}}}`,
		`{"when":{"request":{"query":{"size":"~[0-9]","debug":null,"token":"CANARY"}}}}`:        `{"when":{"request":{"query":{"size":"~[0-9]","debug":null,"token":"SECRET"}}}}`,
		`{"when":{"request":{"query":{"token":"~CANARY"}}}}`:                                    `{"when":{"request":{"query":{"token":"~EXPRESSION"}}}}`,
		`{"when":{"request":{"body":{"groupName":"~(?i)night","password":"CANARY","x":null}}}}`: `{"when":{"request":{"body":{"groupName":"~(?i)night","password":"SECRET","x":null}}}}`,
		`{"when":{"request":{"body":{"password":"~CANARY","token":"~"}}}}`:                      `{"when":{"request":{"body":{"password":"~EXPRESSION","token":"~"}}}}`,
		`{"when":{"request":{"body":{"unknown":["CANARY"],"groupName":["a",{"token":"CANARY"}]}}}}`: `{"when":{"request":{"body":{"unknown":"` +
			redact.Fingerprint(`["`+canary+`"]`) + `","groupName":["a",{"token":"SECRET"}]}}}}`,
		`{"when":{"request":{"body":{"alertPreferenceAccountDetails":{"cardNumber":"CANARY","accountId":"a"}}}}}`:   `{"when":{"request":{"body":{"alertPreferenceAccountDetails":{"cardNumber":"SECRET","accountId":"a"}}}}}`,
		`{"when":{"request":{"body":{}}},"then":{"status":500,"error":{"code":"1","message":"m"}}}`:                 `{"when":{"request":{}},"then":{"status":500,"error":{"code":"1","message":"m"}}}`,
		`{"then":{"headers":{"Retry-After":"2","Set-Cookie":"CANARY"}}}`:                                            `{"then":{"headers":{"Retry-After":"2","Set-Cookie":"SECRET"}}}`,
		`{"then":{"status":200,"body":"{\"access_token\":\"CANARY\",\"expires_in\":\"1\"}"}}`:                       `{"then":{"status":200,"body":"{\"access_token\":\"SECRET\",\"expires_in\":\"1\"}"}}`,
		`{"then":{"status":502,"body":"<html>Bad Gateway</html>"}}`:                                                 `{"then":{"status":502,"body":"<html>Bad Gateway</html>"}}`,
		`{"operation":["groups.list","tokens.issue"],"then":{"status":200,"body":"{\"access_token\":\"CANARY\"}"}}`: `{"operation":["groups.list","tokens.issue"],"then":{"status":200,"body":"{\"access_token\":\"SECRET\"}"}}`,
		`{"when":{"during":{"from":"2026-01-15T09:00:00Z"}},"then":{"delay":{"p50":"1s","p95":"2s"}}}`:              `{"when":{"during":{"from":"2026-01-15T09:00:00Z"}},"then":{"delay":{"p50":"1s","p95":"2s"}}}`,
		`{"operation":"groups.list","then":{"status":200,"body":"{\"content\":[]}"}}`:                               `{"operation":"groups.list","then":{"status":200,"body":"{\"content\":[]}"}}`,
	} {
		given = strings.ReplaceAll(given, "CANARY", canary)
		want = strings.NewReplacer("SECRET", redact.Fingerprint(canary), "EXPRESSION", redact.Fingerprint("~"+canary)).Replace(want)
		var rule fault.Rule
		require.NoError(t, json.Unmarshal([]byte(given), &rule))
		before := string(wire.MustEncode(rule))
		assert.JSONEq(t, want, strings.Replace(string(wire.MustEncode(rule.Shown())), `,"then":{}`, "", 1))
		assert.Equal(t, before, string(wire.MustEncode(rule)), "the rule is as it was")
	}
}

// The journal shows what a request asks for by the header, as far as that is one of the words that the header has.
func TestHeaderStaysReadable(t *testing.T) {
	t.Parallel()
	assert.Equal(t, fault.Header, redact.FaultHeader)
	for _, kind := range fault.Kinds {
		value := "connection=" + string(kind)
		assert.Equal(t, value, redact.RequestHeader(fault.Header, value))
	}
	for _, value := range []string{"status=500", "delay=200ms", "delay=1.5s", "phase=before", "phase=after"} {
		_, err := fault.ParseHeader(value+"; status=500", "groups.list")
		if !strings.HasPrefix(value, "status") {
			require.NoError(t, err)
		}
		assert.Equal(t, value, redact.RequestHeader(fault.Header, value))
	}
}

// What is kept of an error about the header has fingerprints in place of what the error quotes.
func TestHeaderErrorsThatAreShown(t *testing.T) {
	t.Parallel()
	const canary = "canary7secret"
	secret := redact.Fingerprint(canary)
	for value, shown := range map[string]string{
		canary:                                 `"` + secret + `" has no value: write it as in status=500`,
		canary + "=1":                          `unknown key "` + secret + `": the keys are status, code, message, delay, connection, phase`,
		"status=" + canary:                     `status must be a number such as 500, not "` + secret + `"`,
		"status=4111111111":                    `status must be a number such as 500, not "` + redact.Fingerprint("4111111111") + `"`,
		"delay=" + canary:                      `delay must be a duration such as 200ms, not "` + secret + `"`,
		"connection=" + canary:                 `connection must be one of reset close hang truncate malformed dribble garbage, not "` + secret + `"`,
		"phase=" + canary:                      `phase must be before or after, not "` + secret + `"`,
		"status=700":                           "status must be from 400 to 599, not 700: the header can't give the body that any other needs",
		"message=" + canary:                    "error needs a status: add status: 500, for example",
		"status=500;message=" + canary + "\n.": "message must have no control characters, such as a line break: write it on one line",
		"status=500;code=" + canary + "\xff":   "code must be UTF-8: remove the other bytes",
	} {
		_, err := fault.ParseHeader(value, "groups.list")
		var wrong *fault.HeaderError
		require.ErrorAs(t, err, &wrong, value)
		assert.Equal(t, shown, wrong.Shown)
		if strings.Contains(shown, secret) {
			assert.Equal(t, strings.ReplaceAll(shown, secret, canary), wrong.Error())
		}
	}
}
