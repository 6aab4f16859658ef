package fault_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// A store and the control API write rules as JSON, and read them back.
func TestJSON(t *testing.T) {
	then := func(t fault.Then) fault.Rule { return fault.Rule{Then: t} }
	slow := func(d *fault.Delay) fault.Rule { return then(fault.Then{Delay: d}) }
	broken := func(kind fault.Kind) fault.Rule {
		return then(fault.Then{Connection: &fault.Connection{Kind: kind}})
	}
	rules := map[string]fault.Rule{
		`{"name":"n","operation":["tokens.revoke","groups.*"],` +
			`"when":{"first":9,"nth":8,"every":4,"after":7,"probability":0.25,` +
			`"during":{"from":"30s","until":"2026-01-15T10:30:00.5Z","for":"1m0s","daily":"22:00-06:00","zone":"UTC"},` +
			`"request":{"institutionId":"02688","hostUserId":"~^1","header":{"X-A":null,"x-b":"1"},` +
			`"query":{"page":null},"body":{"a":{"b":[1,"~x",null,true]}}}},"phase":"after",` +
			`"then":{"status":400,"error":{"code":"1","message":"m"},"headers":{"Retry-After":"2"},"delay":"250ms"}}`: {
			Name:      "n",
			Operation: fault.Operations{"tokens.revoke", "groups.*"},
			Phase:     fault.After,
			When: fault.When{First: 9, Nth: 8, Every: 4, After: 7, Probability: 0.25,
				During: &fault.During{
					From:  fault.Moment{Offset: fault.Duration(30 * time.Second)},
					Until: fault.Moment{At: time.Date(2026, 1, 15, 10, 30, 0, 5e8, time.UTC)},
					For:   fault.Duration(time.Minute),
					Daily: "22:00-06:00", Zone: "UTC",
				},
				Request: &fault.Request{
					InstitutionID: "02688", HostUserID: "~^1", Header: map[string]*string{"X-A": nil, "x-b": ptr("1")},
					Query: map[string]*string{"page": nil},
					Body:  map[string]any{"a": map[string]any{"b": []any{json.Number("1"), "~x", nil, true}}},
				}},
			Then: fault.Then{
				Status:  400,
				Error:   &fault.Error{Code: "1", Message: "m"},
				Headers: map[string]fault.HeaderValues{"Retry-After": {"2"}},
				Delay:   &fault.Delay{Fixed: fault.Duration(250 * time.Millisecond)},
			},
		},
		`{"then":{"status":204,"body":""}}`: then(fault.Then{Status: 204, Body: &fault.Body{}}),
		`{"path":"/{id}","then":{"status":200,"body":{"id":"{id}"}}}`: {Path: "/{id}",
			Then: fault.Then{Status: 200, Body: &fault.Body{Text: `{"id":"{id}"}`, IsJSON: true}}},
		`{"then":{"delay":{"uniform":["100ms","2s"]}}}`: slow(&fault.Delay{
			Uniform: &[2]fault.Duration{fault.Duration(100 * time.Millisecond), fault.Duration(2 * time.Second)}}),
		`{"then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}}`: slow(&fault.Delay{
			Lognormal: &fault.Lognormal{Median: fault.Duration(200 * time.Millisecond), Sigma: 0.6}}),
		`{"then":{"delay":{"p50":"200ms","p95":"800ms"}}}`: slow(&fault.Delay{
			P50: fault.Duration(200 * time.Millisecond), P95: fault.Duration(800 * time.Millisecond)}),
		`{"operation":"groups.create","then":{"expireToken":true}}`: {Operation: fault.Operations{"groups.create"},
			Then: fault.Then{ExpireToken: true}},
		`{"then":{"connection":{"hang":"10s"}}}`: broken(fault.Hang{For: fault.Duration(10 * time.Second)}),
		`{"then":{"connection":{"truncate":0}}}`: broken(fault.Truncate{Bytes: ptr(0)}),
		`{"then":{"connection":{"dribble":{"bytes":16,"every":"50ms"}}}}`: broken(fault.Dribble{
			Bytes: 16, Every: fault.Duration(50 * time.Millisecond)}),
	}
	for _, kind := range fault.Kinds {
		d := kind.Describe()
		rules[`{"then":{"connection":"`+d.Name+`"}}`] = broken(kind)
		if d.Settings != nil { // the example is a fault with all settings
			text, err := json.Marshal(d.Example())
			require.NoError(t, err)
			var c fault.Connection
			require.NoError(t, json.Unmarshal(text, &c), "%s", text)
			assert.IsType(t, kind, c.Kind)
		}
	}
	for text, rule := range rules {
		var read, decoded fault.Rule
		require.NoError(t, json.Unmarshal([]byte(text), &read), text)
		assert.Equal(t, rule, read)
		require.NoError(t, strictjson.Decode([]byte(text), &decoded), text)
		assert.Equal(t, rule, decoded)
		for _, marshal := range []func(any) ([]byte, error){json.Marshal, strictjson.Encode} {
			written, err := marshal(rule)
			require.NoError(t, err, text)
			assert.Equal(t, text, string(written))
		}
	}
}

func TestBadJSON(t *testing.T) {
	for _, text := range []string{
		`{"then":{"connection":"rset"}}`, `{"then":{"connection":{"rset":{}}}}`, `{"then":{"connection":{}}}`,
		`{"then":{"connection":{"hang":"1s","truncate":20}}}`, `{"then":{"connection":7}}`,
		`{"then":{"connection":{"truncate":1.5}}}`,
		`{"then":{"delay":"soon"}}`, `{"then":{"delay":250}}`, `{"then":{"delay":["1s"]}}`,
		`{"when":{"during":{"from":"noon"}},"then":{}}`,
		`{"when":{"during":{"until":"2026-02-30T00:00:00Z"}},"then":{}}`,
		`{"operation":7,"then":{}}`, `{"operation":[7],"then":{}}`,
	} {
		assert.Error(t, json.Unmarshal([]byte(text), &fault.Rule{}), text)
	}
}
