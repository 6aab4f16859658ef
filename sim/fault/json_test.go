package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// A store and the control API write rules as JSON, and read them back. What the members mean is tested where rules
// fire.
func TestJSON(t *testing.T) {
	rules := []string{
		`{"name":"n","operation":["tokens.revoke","groups.*"],` +
			`"when":{"first":9,"nth":8,"every":4,"after":7,"probability":0.25,` +
			`"during":{"from":"30s","until":"2026-01-15T10:30:00.5Z","for":"1m0s","daily":"22:00-06:00","zone":"UTC"},` +
			`"request":{"institutionId":"02688","hostUserId":"~^1","header":{"X-A":null,"x-b":"1"},` +
			`"query":{"page":null},"body":{"a":{"b":[1,"~x",null,true]}}}},"phase":"after",` +
			`"then":{"status":400,"error":{"code":"1","message":"m"},"headers":{"Retry-After":"2"},"delay":"250ms"}}`,
		`{"then":{"status":204,"body":""}}`,
		`{"path":"/{id}","then":{"status":200,"body":{"id":"{id}"}}}`,
		`{"then":{"delay":{"uniform":["100ms","2s"]}}}`,
		`{"then":{"delay":{"lognormal":{"median":"200ms","sigma":0.6}}}}`,
		`{"then":{"delay":{"p50":"200ms","p95":"800ms"}}}`,
		`{"operation":"groups.create","then":{"expireToken":true}}`,
		`{"then":{"connection":{"hang":"10s"}}}`,
		`{"then":{"connection":{"truncate":0}}}`,
		`{"then":{"connection":{"dribble":{"bytes":16,"every":"50ms"}}}}`,
	}
	for _, kind := range fault.Kinds {
		d := kind.Describe()
		rules = append(rules, `{"then":{"connection":"`+d.Name+`"}}`)
		if d.Settings != nil { // the example is a fault with all settings
			text, err := json.Marshal(d.Example())
			require.NoError(t, err)
			var c fault.Connection
			require.NoError(t, json.Unmarshal(text, &c), "%s", text)
			assert.IsType(t, kind, c.Kind)
		}
	}
	for _, text := range rules {
		var read, decoded fault.Rule
		require.NoError(t, json.Unmarshal([]byte(text), &read), text)
		require.NoError(t, strictjson.Decode([]byte(text), &decoded), text)
		assert.Equal(t, read, decoded)
		for _, marshal := range []func(any) ([]byte, error){json.Marshal, strictjson.Encode} {
			written, err := marshal(read)
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
