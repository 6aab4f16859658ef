package controlapi_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// An authorization code brings an id_token once, signed with the key that the control API shows. Then why says which exchange used it.
func TestAuthorizationCode(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	create := simtest.CreateCode.WithForm(simtest.CreateCode.Body + "&nonce=n-1")
	code := simtest.Decode[struct {
		Code        string `json:"code"`
		RedirectURI string `json:"redirect_uri"`
	}](t, create.Send(b)).Code
	partner := "Basic " + base64.StdEncoding.EncodeToString([]byte("partner-app:partner-secret"))
	redeem := simtest.NewCall(http.MethodPost, "/oauth2/v1/token", "", "authorization: "+partner,
		"transactionId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11").WithForm("grant_type=authorization_code&code=" + code)
	token := simtest.Decode[map[string]string](t, redeem.Send(b))["id_token"]

	signed := token[:strings.LastIndex(token, ".")]
	signature, err := base64.RawURLEncoding.DecodeString(token[len(signed)+1:])
	require.NoError(t, err)
	keys := simtest.Decode[sandbox.KeySet](t, b.ControlSandbox(200, "GET /keys", "")).Keys
	modulus, err := base64.RawURLEncoding.DecodeString(keys[0].Modulus)
	require.NoError(t, err)
	public, sum := &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: 65537}, sha256.Sum256([]byte(signed))
	require.NoError(t, rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], signature))
	_, claims, _ := strings.Cut(signed, ".")
	text, err := base64.RawURLEncoding.DecodeString(claims)
	require.NoError(t, err)
	assert.JSONEq(t, `{"sub": "e013e3bd0440d18c8638bbb61bed7ff7", "iss": "urn:banksim:02688", "nonce": "n-1",
		"iat": 1768467600, "exp": 1768467900}`, string(text))

	refused := b.ExchangeOf(redeem.Send(b))
	why := simtest.Decode[struct {
		explanation.Explanation
		Changes any `json:"changes"`
	}](t, b.ControlSandbox(200, "GET /journal/"+refused.ID+"/why", ""))
	assert.Contains(t, why.Cause, "it was used by exchange 2; tokens.createCode gives another")
	assert.NotContains(t, b.ControlSandbox(200, "GET /journal", "").Body+get(b, "/state"), code, "a code is a secret")
}
