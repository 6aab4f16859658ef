package bankapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A user goes paperless: it accepts the disclosures, and then its preferences can be changed. What an account's deletion leaves
// is as if the disclosure had never been there.
func TestAcceptedDisclosuresPermitUpdates(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	path := contract.DisclosuresCreateUser.Path + "?hostUserId=1003"
	allOf := updateUser.At(simtest.UpdateUserPath + "1003")
	assert.Contains(t, allOf.Send(b).Body, "UXESTMT_11013")
	assert.Equal(t, 204, simtest.CreateDisclosure.At(path).Send(b).StatusCode)
	assert.Equal(t, 204, allOf.Send(b).StatusCode)

	// Another disclosure that isn't accepted is no obstacle, and one that is is no substitute.
	esign := simtest.CreateDisclosure.At(path).WithBody(`{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"NOT_ACCEPTED"}`)
	assert.Equal(t, 204, esign.Send(b).StatusCode)
	assert.Equal(t, 204, allOf.Send(b).StatusCode)
	assert.Equal(t, 204, simtest.CreateDisclosure.At(path).WithBody(`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"NOT_ACCEPTED","paperWaiver":true}`).Send(b).StatusCode)
	assert.Equal(t, 204, esign.WithBody(`{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"ACCEPTED"}`).Send(b).StatusCode)
	assert.Contains(t, allOf.Send(b).Body, "UXESTMT_11013")

	ofAccount := updateAccount.At(simtest.UpdateAccountPath + "1001")
	assert.Equal(t, 204, simtest.DeleteDisclosure.WithBody(`{"institutionDisclosureName":"OLS","accountId":"acc-1001-checking"}`).Send(b).StatusCode)
	assert.Contains(t, ofAccount.Send(b).Body, "UXESTMT_11012")
	assert.NotContains(t, simtest.ListDisclosures.Send(b).Body, "acc-1001-checking")
	accept := simtest.CreateDisclosure.WithBody(
		`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED","paperWaiver":false,"accountId":"acc-1001-checking"}`).
		WithQuery("accountType=CHECKING")
	assert.Equal(t, 204, accept.Send(b).StatusCode)
	assert.Contains(t, getDisclosures.Send(b).Body, `"institutionDisclosureStatus":"ACCEPTED"`)
	account, _ := b.World().Account("02688", "1001", "acc-1001-checking")
	assert.False(t, account.ActivateEstatement)
	assert.Equal(t, 200, ofAccount.Send(b).StatusCode)
	account, _ = b.World().Account("02688", "1001", "acc-1001-checking")
	assert.True(t, account.ActivateEstatement)
}
