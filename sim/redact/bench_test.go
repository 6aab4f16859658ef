package redact_test

import (
	"testing"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

func BenchmarkQuery(b *testing.B) {
	for name, query := range map[string]string{
		"plain":  "hostUserId=1001&size=20&sort=groupName,desc",
		"hidden": "hostUserId=1001&token=secret",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				redact.Query(query)
			}
		})
	}
}

func BenchmarkRequestHeader(b *testing.B) {
	for name, value := range map[string]string{
		"Accept-Encoding": "gzip", "Authorization": "Bearer demo-token", "Correlationid": "c-1", "X-Request-Id": "4b1e7cb2",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				redact.RequestHeader(name, value)
			}
		})
	}
}

func BenchmarkRequestBody(b *testing.B) {
	for name, body := range map[string]string{
		"plain":  `{"groupName":"night owls","groupDescription":"out after dark"}`,
		"hidden": `{"grant_type":"password","username":"avery","password":"secret"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				redact.RequestBody([]byte(body), "application/json", true)
			}
		})
	}
}
