package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/redact"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
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
		{"Accept-Language", "de", "de"},
		{"Accept-Charset", "utf-8", "utf-8"},
		{"Accept-Token", canary, secret},
		{"Banksim-Exchange", canary, secret},
		{"Banksim-Key", canary, secret},
		{"Location", canary, secret},
		{"Retry-After", canary, secret},
		{"WWW-Authenticate", canary, secret},
		{"Banksim-Fault", "status=500", "status=500"},
		{"Banksim-Fault", " Status = 429;; delay=1.5ms; connection=reset; phase=after ", " Status = 429;; delay=1.5ms; connection=reset; phase=after "},
		{"banksim-fault", "status=500; message= " + canary + " ; code=" + canary, "status=500; message=" + secret + "; code=" + secret},
		{"Banksim-Fault", "status=" + canary + ";phase=" + canary, "status=" + secret + ";phase=" + secret},
		{"Banksim-Fault", "connection=" + canary + ";delay=" + canary, "connection=" + secret + ";delay=" + secret},
		{"Banksim-Fault", canary + "; " + canary + "=500", secret + "; " + redact.Fingerprint(canary+"=500")},
		{"Banksim-Fault", "message=", "message="},
		{"Authorization", "Bearer " + canary, "Bearer " + secret},
		{"authorization", "bearer  " + canary, "bearer  " + secret},
		{"Authorization", "Basic " + canary, "Basic " + secret},
		{"Authorization", canary, secret},
		{"Authorization", "Bearer", "Bearer"},
		{"Authorization", "Bearer ", "Bearer "},
		{"Authorization", "Bearer" + canary, redact.Fingerprint("Bearer" + canary)},
		{"Authorization", canary + " more", redact.Fingerprint(canary + " more")},
		{"Proxy-Authorization", "Bearer " + canary, redact.Fingerprint("Bearer " + canary)},
		{"Cookie", canary, secret},
		{"Set-Cookie", canary, secret},
		{"Origin", canary, secret},
		{"Referer", canary, secret},
		{"X-Api-Key", canary, secret},
		{"Acceptance", canary, secret},
		{"X-Empty", "", ""},
		{"X-" + strings.Repeat("long", 20), canary, secret},
	} {
		assert.Equal(t, c.want, redact.RequestHeader(c.name, c.value), c.name)
	}
}

func TestAnswerHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, value, want string }{
		{"Allow", "GET, POST", "GET, POST"},
		{"Banksim-Exchange", "7", "7"},
		{"Content-Type", "application/json", "application/json"},
		{"transactionId", "t-1", "t-1"},
		{"correlationid", "c-1", "c-1"},
		{"Retry-After", "2", "2"},
		{"WWW-Authenticate", `Bearer realm="banksim"`, `Bearer realm="banksim"`},
		{"Location", "https://bank.example/login", "https://bank.example/login"},
		{"Location", "/login?code=" + canary, "/login?" + redact.Fingerprint("code="+canary)},
		{"location", "/login#access_token=" + canary, "/login#" + redact.Fingerprint("access_token="+canary)},
		{"Location", "https://" + canary + "@bank.example/", redact.Fingerprint("https://" + canary + "@bank.example/")},
		{"Set-Cookie", canary, secret},
		{"Authorization", canary, secret},
		{"Accept-Token", canary, secret},
		{"Banksim-Key", canary, secret},
		{"Banksim-Fault", canary, secret},
		{"X-Empty", "", ""},
	} {
		assert.Equal(t, c.want, redact.AnswerHeader(c.name, c.value), c.name)
	}
}
