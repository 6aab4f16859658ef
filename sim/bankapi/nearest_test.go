package bankapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// An unknown path leads to the operation that its end means, whatever comes before, and is answered in the shape of that
// operation's family unless the path begins like another one's.
func TestNearestOperation(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for _, test := range []struct {
		method, path string
		want         *contract.Operation
	}{
		{"POST", "/api/v1/alert-preferences", contract.AlertsCreatePreference},
		{"GET", "/api/v1/alert-preferences/", contract.AlertsListPreferences},
		{"POST", "/digitalbanking/v1/alert-preferences", contract.AlertsCreatePreference},
		{"POST", "/v1/alert-preference", contract.AlertsCreatePreference},
		{"POST", "/api/oauth2/v1/token", contract.TokensIssue},
		{"POST", "/token", contract.TokensIssue},
		{"POST", "/api/digitalbanking/oauth2/v1/token", contract.TokensIssue},
		{"DELETE", "/api/oauth2/v1/revoke", contract.TokensRevoke},
		{"DELETE", "/oauth2/v1/revok", contract.TokensRevoke},
		{"GET", "/api/v3/groups", contract.GroupsList},
		{"HEAD", "/api/v3/groups", contract.GroupsList},
		{"POST", "/api/v3/groups", contract.GroupsCreate},
		{"GET", "/V3/GROUPS", contract.GroupsList},
		{"GET", "/digitalbanking/groups/v2/groups", contract.GroupsList},
		{"GET", "/api/v3/groups/7", contract.GroupsUpdate},
		{"DELETE", "/api/v3/groups/7", contract.GroupsDelete},
		{"GET", "/api/v3/jobs", contract.JobsList},
		{"GET", "/api/v3/jobs/7", contract.JobsGet},
		{"GET", "/api/v3/jobs/7/errors", contract.JobsListErrors},
		{"GET", "/api/v1/e-statements/acc-1/disclosures", contract.EstatementsGetDisclosures},
		{"GET", "/disclosures", contract.EstatementsGetDisclosures},
		{"GET", "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking", contract.EstatementsGetDisclosures},
		{"PUT", "/api/v1/e-statements/preference", contract.EstatementsUpdateAccount},
		{"PUT", "/api/v2/e-statements/user/preferences", contract.EstatementsUpdateUser},
		{"PUT", "/digitalbanking/ux-users/v1/e-statements/user/preferences", contract.EstatementsUpdateUser},
	} {
		res := b.Send(test.method, test.path, "", test.want.Family.RequestID+": id-1")
		assert.Equal(t, http.StatusNotFound, res.StatusCode, test.path)
		x := b.ExchangeOf(res)
		assert.Contains(t, x.Decision.Message, "the nearest operation is "+test.want.Name+": ", "%s %s", test.method, test.path)
		assert.Equal(t, test.want.Family.ErrorRests[0].ID, x.Decision.Entries[1], "%s %s", test.method, test.path)
		assert.Equal(t, "id-1", res.Header.Get(test.want.Family.RequestID), test.path)
	}
}
