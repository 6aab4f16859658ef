package bankapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A preference may name several channels, separated by commas. Each must be known, and be a channel of the alert type.
func TestSeveralChannels(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`institutions:
  - institutionId: "02688"
    institutionAlertTypes: [{alertTypeName: TWO_CHANNELS, channelsOptd: [EMAIL, SMS]}]
    alertTypes: [LARGE_WITHDRAWAL, LOW_BALANCE]
`)
	for channels, code := range map[string]string{
		"EMAIL,SMS": "", "SMS": "",
		"EMAIL,FAX": "PRMVAL_10005", "EMAIL,": "PRMVAL_10005", "EMAIL, SMS": "PRMVAL_10005", "": "PRMVAL_10005",
		"EMAIL,PUSH": "PRMVAL_10015",
	} {
		call := createAlert.At("/v1/alert-preferences?hostUserId=1001").With("transactionId", aUUID)
		call = call.WithBody(fmt.Sprintf(
			`{"alertPreferenceDetails":{"alertTypeName":"TWO_CHANNELS","channelTypeName":%q}}`, channels))
		res := call.Send(b)
		if code == "" {
			assert.Equal(t, http.StatusCreated, res.StatusCode, "%s: %s", channels, res.Body)
			continue
		}
		assert.Equal(t, http.StatusBadRequest, res.StatusCode, channels)
		assert.Contains(t, res.Body, code, channels)
	}
}
