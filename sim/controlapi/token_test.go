package controlapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestMintToken(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for body, want := range map[string]api.MintedToken{
		`{}`: {ExpiresAt: start.Add(24 * time.Hour), InstitutionID: "02688", Client: "demo-app"},
		`{"client":"demo-app","hostUserId":"1001","expiresIn":"90m"}`: {
			ExpiresAt: start.Add(90 * time.Minute), InstitutionID: "02688", Client: "demo-app", HostUserID: "1001"},
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		res := b.ControlSandbox(201, "POST "+tokensPath, body)
		assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
		got := simtest.Decode[api.MintedToken](t, res)
		assert.NotContains(t, b.State(), got.AccessToken)
		want.AccessToken = got.AccessToken
		assert.Equal(t, want, got)
		own := simtest.GetDisclosures.WithToken(got.AccessToken)
		other := own.At(
			"/digitalbanking/ux-users/v1/e-statements/acc-1003-checking/disclosures?hostUserId=1003",
		).Send(
			b,
		)
		assert.Equal(t, want.HostUserID != "", other.StatusCode == 403)
		b.Advance(want.ExpiresAt.Sub(start) - time.Second)
		assert.Equal(t, 200, own.Send(b).StatusCode)
		b.Advance(time.Second)
		assert.Equal(t, 401, own.Send(b).StatusCode)
	}
}
