package bankapi_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// redeemCode returns a request for tokens by a new authorization code of a bank.
func redeemCode(t *testing.T, b *simtest.Bank) simtest.Call {
	t.Helper()
	created := simtest.Decode[struct {
		Code        string `json:"code"`
		RedirectURI string `json:"redirect_uri"`
	}](t, simtest.CreateCode.WithForm(simtest.CreateCode.Body+"&nonce=n-1").Send(b))
	partner := base64.StdEncoding.EncodeToString([]byte("partner-app:partner-secret"))
	call := simtest.NewCall(http.MethodPost, "/oauth2/v1/token", "")
	return call.With("authorization", "Basic "+partner).With("transactionId", aUUID).
		WithForm("grant_type=authorization_code&code=" + created.Code)
}

// An app checks id_tokens with the key set of the bank's listener, which asks for no credentials.
func TestKeySetOfTheBank(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	res := simtest.NewCall(http.MethodGet, "/.well-known/jwks.json", "").Expect(b, 200)
	assert.JSONEq(t, b.Get("/keys"), res.Body)
	assert.Equal(t, "key-set", b.Last().Decision.Rule)
	simtest.NewCall(http.MethodPost, "/.well-known/jwks.json", "{}").Expect(b, 404)
}

// keyless returns a bank whose key is not made: it has a seed that no other test has, and keys are those of seeds.
func keyless(t *testing.T, then string) *simtest.Bank {
	t.Helper()
	b := simtest.NewBank(t, fmt.Sprintf("extends: retail\nseed: %d\nclock: {run: false}\nfaults:\n"+
		"- {name: counting, operation: tokens.issue, then: %s}\n", rand.Uint64(), then))
	user := sim.Grant{InstitutionID: "02688", HostUserID: "1001", OpenID: &sim.OpenIDRequest{}}
	_, err := sandbox.IDToken(b.World(), &user, time.Now())
	require.ErrorIs(t, err, sandbox.ErrNoKey)
	return b
}

// The key of a bank is made for the first id_token. The request that needs it runs again then, and nothing of it
// happens twice.
func TestIDTokenBeforeKey(t *testing.T) {
	t.Parallel()
	for _, then := range []string{"{headers: {X-Node: b}}", "{delay: 1ms}"} {
		b := keyless(t, then)
		for turn := range 2 {
			redeem := redeemCode(t, b)
			res := redeem.Expect(b, 200)
			assert.Contains(t, res.Body, `"id_token":`)
			assert.EqualValues(t, 3*turn+2, b.Journal().Last(), "the code's exchange and this one")
			assert.EqualValues(t, 2*turn+1, b.Sandbox.Known().Faults.Counts()[0].Fired)
			redeem.Expect(b, 400)
		}
	}
}

// If several requests redeem a code at the same time, before the key is made, one of them gets tokens.
func TestCodeIsRedeemedOnceBeforeKey(t *testing.T) {
	t.Parallel()
	b := keyless(t, "{headers: {X-Node: b}}")
	redeem := redeemCode(t, b)
	const clients = 4
	var all sync.WaitGroup
	for range clients {
		all.Go(func() { _, _ = redeem.Try(b) })
	}
	all.Wait()
	assert.Len(t, b.Search("outcome:refused"), clients-1)
	assert.Len(t, b.Search("outcome:accepted"), 2, "one created the code, and one redeemed it")
}
