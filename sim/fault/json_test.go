package fault_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// codecs are the two ways in which rules are read and written.
var codecs = map[string]struct {
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}{
	"encoding/json": {json.Marshal, json.Unmarshal},
	"sim/wire":      {wire.Encode, wire.Decode},
}

func TestJSON(t *testing.T) {
	then := func(t fault.Then) fault.Rule { return fault.Rule{Then: t} }
	broken := func(kind fault.Kind) fault.Rule {
		return then(fault.Then{Connection: &fault.Connection{Kind: kind}})
	}
	rules := map[string]fault.Rule{
		`{"name":"n","operation":"tokens.revoke","when":{"first":9,"nth":8,"every":4,"after":7,"probability":0.25,` +
			`"during":{"from":"30s","for":"1m0s"}},"phase":"after","then":{"status":401}}`: {
			Name: "n", Operation: fault.Operations{"tokens.revoke"}, Phase: fault.After, Then: fault.Then{Status: 401},
			When: fault.When{First: 9, Nth: 8, Every: 4, After: 7, Probability: 0.25,
				During: &fault.During{From: afterStart(30 * time.Second), For: fault.Duration(time.Minute)}},
		},
		`{"when":{"request":{"institutionId":"02688","hostUserId":"~^1","header":{"X-A":null,"x-b":"1"},` +
			`"query":{"page":null,"size":"~"},"body":{"a":{"b":[1,"~x",null,true]}}}},"then":{"status":500}}`: {
			When: fault.When{Request: &fault.Request{
				InstitutionID: "02688", HostUserID: "~^1",
				Header: map[string]*string{"X-A": nil, "x-b": ptr("1")},
				Query:  map[string]*string{"page": nil, "size": ptr("~")},
				Body:   map[string]any{"a": map[string]any{"b": []any{json.Number("1"), "~x", nil, true}}},
			}}, Then: fault.Then{Status: 500},
		},
		`{"then":{"status":400,"error":{"code":"1","message":"m"},"headers":{"Retry-After":"2"},` +
			`"delay":"250ms"}}`: then(fault.Then{
			Status: 400, Error: &fault.Error{Code: "1", Message: "m"}, Headers: map[string]fault.HeaderValues{"Retry-After": {"2"}},
			Delay: fixedDelay(250 * time.Millisecond)}),
		`{"then":{"status":204,"body":""}}`: then(fault.Then{Status: 204, Body: &fault.Body{}}),
		`{"path":"/{id}","then":{"status":200,"body":{"id":"{id}"}}}`: {Path: "/{id}",
			Then: fault.Then{Status: 200, Body: &fault.Body{Text: `{"id":"{id}"}`, IsJSON: true}}},
		`{"path":"/{id}","then":{"status":200,"body":"{\"id\":\"{id}\"}"}}`: {Path: "/{id}",
			Then: fault.Then{Status: 200, Body: &fault.Body{Text: `{"id":"{id}"}`}}},
		`{"then":{"delay":{"uniform":["100ms","2s"]}}}`: then(fault.Then{Delay: uniform(100*time.Millisecond,
			2*time.Second)}),
		`{"then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}}`: then(fault.Then{
			Delay: longTailed(200*time.Millisecond, 0.6)}),
		`{"then":{"delay":{"p50":"200ms","p95":"800ms"}}}`: then(fault.Then{Delay: byPercentiles(200*time.Millisecond,
			800*time.Millisecond)}),
		`{"operation":["groups.create","tokens.*"],"then":{"status":500}}`: {
			Operation: fault.Operations{"groups.create", "tokens.*"},
			Then:      fault.Then{Status: 500}},
		`{"operation":"groups.create","then":{"expireToken":true}}`: {Operation: fault.Operations{"groups.create"},
			Then: fault.Then{ExpireToken: true}},
		`{"when":{"during":{"from":"2026-01-15T09:00:00Z","until":"2026-01-15T10:30:00.5Z"}},` +
			`"then":{"status":500}}`: {Then: fault.Then{Status: 500},
			When: fault.When{During: &fault.During{From: fault.Moment{At: time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)},
				Until: fault.Moment{At: time.Date(2026, 1, 15, 10, 30, 0, 5e8, time.UTC)}}}},
		`{"when":{"during":{"until":"1h0m0s"}},"then":{"status":500}}`: {Then: fault.Then{Status: 500},
			When: fault.When{During: &fault.During{Until: afterStart(time.Hour)}}},
		`{"then":{"connection":{"hang":"10s"}}}`:  broken(fault.Hang{For: fault.Duration(10 * time.Second)}),
		`{"then":{"connection":{"truncate":20}}}`: broken(fault.Truncate{Bytes: ptr(20)}),
		`{"then":{"connection":{"truncate":0}}}`:  broken(fault.Truncate{Bytes: ptr(0)}),
		`{"then":{"connection":{"dribble":{"bytes":16,"every":"50ms"}}}}`: broken(
			fault.Dribble{Bytes: 16, Every: fault.Duration(50 * time.Millisecond)}),
		`{"then":{"connection":{"dribble":{"bytes":1}}}}`: broken(fault.Dribble{Bytes: 1}),
	}
	for _, kind := range fault.Kinds {
		rules[`{"then":{"connection":"`+kind.Describe().Name+`"}}`] = broken(kind)
	}
	for name, codec := range codecs {
		for text, rule := range rules {
			var read fault.Rule
			require.NoError(t, codec.unmarshal([]byte(text), &read), "%s: %s", name, text)
			assert.Equal(t, rule, read, name)
			written, err := codec.marshal(rule)
			require.NoError(t, err, "%s: %s", name, text)
			assert.Equal(t, text, string(written), name)
		}
	}
}

// The example of a kind is a fault with all settings of the kind.
func TestExamples(t *testing.T) {
	for _, kind := range fault.Kinds {
		d := kind.Describe()
		if d.Settings == nil {
			assert.Nil(t, d.Example())
			continue
		}
		text, err := json.Marshal(d.Example())
		require.NoError(t, err)
		var c fault.Connection
		require.NoError(t, json.Unmarshal(text, &c), "%s", text)
		assert.IsType(t, kind, c.Kind)
		written, err := json.Marshal(c)
		require.NoError(t, err)
		assert.JSONEq(t, string(text), string(written))
	}
}

func TestBadJSON(t *testing.T) {
	for _, text := range []string{
		`{"then":{"connection":"rset"}}`,
		`{"then":{"connection":{"rset":{}}}}`,
		`{"then":{"connection":{}}}`,
		`{"then":{"connection":{"hang":"1s","truncate":20}}}`,
		`{"then":{"delay":"soon"}}`,
		`{"then":{"delay":""}}`,
		`{"then":{"delay":250}}`,
		`{"then":{"delay":["1s"]}}`,
		`{"then":{"connection":7}}`,
		`{"then":{"connection":{"hang":10}}}`,
		`{"then":{"connection":{"truncate":"20"}}}`,
		`{"then":{"connection":{"truncate":1.5}}}`,
		`{"when":{"during":{"from":30}},"then":{}}`,
		`{"when":{"during":{"from":"noon"}},"then":{}}`,
		`{"when":{"during":{"until":"2026-02-30T00:00:00Z"}},"then":{}}`,
		`{"operation":7,"then":{}}`,
		`{"operation":[7],"then":{}}`,
		`{"operation":{"groups":"list"},"then":{}}`,
	} {
		for name, codec := range codecs {
			assert.Error(t, codec.unmarshal([]byte(text), &fault.Rule{}), "%s: %s", name, text)
		}
	}
}
