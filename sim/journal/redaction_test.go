package journal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// recorded returns an exchange as a journal gives it back.
func recorded(t *testing.T, raw raw) journal.Exchange {
	t.Helper()
	j := journal.New(0, journal.NewBudget(0))
	x, ok := j.Get(j.Add(raw.record()))
	require.True(t, ok)
	return x
}

func sent(contentType, body string) raw {
	raw := list(0)
	raw.RequestHeader = http.Header{"Content-Type": {contentType}}
	raw.RequestBody = []byte(body)
	return raw
}

// A secret that a foreign answer repeats is masked, also where the journal cuts the answer.
func TestARepeatedSecretIsMaskedAtTheCut(t *testing.T) {
	secret := strings.Repeat("s3cret", 1000)
	raw := sent("text/plain", "")
	raw.Operation = ""
	raw.RequestHeader.Set("Authorization", "Bearer "+secret)
	for before := 15_000; before < 21_000; before += 1000 {
		raw.ResponseBody = []byte(strings.Repeat("x", before) + secret)
		assert.NotContains(t, recorded(t, raw).Response.Body, "s3cret", before)
	}
}
