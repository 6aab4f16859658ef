package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/conformance"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// What another setting of a service explains is found once, under the entry of the setting, wherever it shows.
func TestFindingsNameTheSetting(t *testing.T) {
	for _, service := range []struct {
		behavior string
		entry    *contract.Entry
	}{
		{"groups: {defaultPageSize: 10}", contract.GroupsListDefaultSize},
		{"groups: {maxPageSize: 100}", contract.GroupsListMaxSize},
		{"groups: {nameLimit: 30}", contract.GroupsCreateNameLimit},
		{"groups: {experience: omit}", contract.GroupsCreateExperience},
		{"groups: {transactionIdReuse: reject}", contract.GroupsTransactionIDReuse},
		{"groups: {transactionIdReuse: replay}", contract.GroupsTransactionIDReuse},
		{"groups: {createStatus: 201}", contract.GroupsCreateStatus},
		{"refusals: {groups.create.types: accept}", contract.GroupsCreateTypes},
		{"estatements: {correlationId: uuid}", contract.EstatementsCorrelationID},
		{"alerts: {requiredFields: [alertOpted]}", contract.AlertsRequiredMembers},
		{"tokens: {revokeResponse: codeMessage}", contract.RevokeResponse},
		{"tokens: {unknownToken: error}", contract.RevokeUnknownToken},
		{"tokens: {accessTokenAlone: true}", contract.RevokeAccessToken},
	} {
		t.Run(service.behavior, func(t *testing.T) {
			t.Parallel()
			url, stop := startService(retail+"behavior: {"+service.behavior+"}\n", asTheBank())
			defer stop()
			report := run(t, conformance.Config{BaseURL: url, AllowWrites: true, Users: everyone})
			assert.NotEmpty(t, report.Differences())
			for _, d := range report.Differences() {
				assert.Equal(t, service.entry.ID, d.Entry, "%s: %s", d.Exchange, d.Message)
			}
		})
	}
}
