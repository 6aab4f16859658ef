package fault_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

// What a request asks for is the rule that a scenario would have. What is wrong with it stays, to be refused as there.
func TestFromHeader(t *testing.T) {
	for header, want := range map[string]string{
		" status = 500 ;; ":                           `"then":{"status":500}`,
		"status=500; delay=200ms":                     `"then":{"status":500,"delay":"200ms"}`,
		"phase=after; connection=reset; delay=1s":     `"phase":"after","then":{"connection":"reset","delay":"1s"}`,
		"status=404; code=10; message=not here, a=\"": `"then":{"status":404,"error":{"code":"10","message":"not here, a=\""}}`,
		"expireToken=true":                            `"then":{"expireToken":true}`,
		"status=bad; statsu=7; status":                `"then":{"status":"bad","statsu":"7","status":""}`,
		"":                                            `"then":{}`,
	} {
		assert.Equal(t, `{"name":"Banksim-Fault","operation":"groups.list",`+want+`}`, string(fault.FromHeader(header, "groups.list")))
	}
}

// Whatever the header contains, the result is JSON.
func FuzzFromHeader(f *testing.F) {
	for _, seed := range []string{"status=+5; delay=200ms", "connection=reset; phase=after", "status=404; code=1; message=m", ";=;",
		"\xff=\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		assert.True(t, json.Valid(fault.FromHeader(value, "groups.list")))
	})
}
