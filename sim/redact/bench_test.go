package redact_test

import (
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

func BenchmarkRequestBody(b *testing.B) {
	for name, body := range map[string]string{
		"plain":  `{"groupName":"night owls","groupDescription":"out after dark"}`,
		"hidden": `{"grant_type":"password","username":"avery","password":"secret"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				redact.RequestBody([]byte(body), "application/json")
			}
		})
	}
}
