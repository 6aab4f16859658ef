package testkit_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/testkit"
)

func TestRowsAndLogin(t *testing.T) {
	bank := testkit.Start(t)
	assert.Equal(t, "avery", bank.User("1001").Username)
	assert.Equal(t, "acc-1001-savings", bank.Account("acc-1001-savings").AccountID)
	assert.Equal(t, "Early adopters", bank.Group("Early adopters").GroupName)
	text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) { bank.User("9999") })
	assert.True(t, failed)
	assert.Contains(t, text, `the bank has no user with hostUserId "9999"`)

	grant := bank.Login("1001")
	assert.Equal(t, []string{"demo-app", "1001"}, []string{grant.Client, grant.HostUserID})
	assert.Equal(t, "active", bank.TokenStatus(grant.AccessToken))
	bank.Advance(25 * time.Hour)
	assert.Equal(t, "expired", bank.TokenStatus(grant.AccessToken))
	assert.Equal(t, "active", bank.TokenStatus(grant.RefreshToken))
	assert.Equal(t, "unknown", bank.TokenStatus("nobody"))
	grant = bank.Login("1001")
	r, err := http.NewRequest("DELETE", bank.BaseURL()+"/digitalbanking/oauth2/v1/revoke", strings.NewReader("token="+grant.RefreshToken))
	require.NoError(t, err)
	r.SetBasicAuth("demo-app", "demo-secret")
	for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded", "institutionId": "02688",
		"transactionId": "t-1"} {
		r.Header.Set(name, value)
	}
	_, err = bank.Client().Do(r)
	require.NoError(t, err)
	assert.Equal(t, "revoked", bank.TokenStatus(grant.AccessToken))
}

func TestFaultsHaveToFire(t *testing.T) {
	never := testkit.Fault{Name: "never", Operation: "groups.list", Then: testkit.Then{Status: 500}}
	for name, story := range map[string]func(bank *testkit.Bank){
		"at the end":       func(bank *testkit.Bank) { bank.Inject(never) },
		"when it is reset": func(bank *testkit.Bank) { bank.Inject(never); bank.Reset() },
	} {
		text, failed := fails(t, func(_ testing.TB, bank *testkit.Bank) { story(bank) })
		assert.True(t, failed, name)
		assert.Contains(t, text, "the fault never never fired: 0 requests", name)
	}
	optional := never
	optional.Optional = true
	text, failed := fails(t, func(t testing.TB, bank *testkit.Bank) {
		bank.Inject(optional, testkit.Fault{Operation: "groups.create", Then: testkit.Then{Status: 500}})
		createGroup(t, bank, "Night owls")
	})
	assert.False(t, failed, text)
}
