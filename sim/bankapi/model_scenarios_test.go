package bankapi_test

import "github.com/digitalbanking-sim/banksim/sim/scenario"

// refScenario is a scenario that both the simulator and the reference start from: JSON, which is YAML. All of them
// have the same ids, so that a change that crosses from one sandbox to another finds a row there. They are parsed once for
// all sequences, so that a sandbox that changed its scenario would be found out.
type refScenario struct{ *scenario.Scenario }

func newRefScenario(source string) refScenario {
	parsed, err := scenario.Parse("model.yaml", []byte(source))
	if err != nil {
		panic(err)
	}
	return refScenario{parsed}
}

// GoString keeps the source out of what rapid reports.
func (s refScenario) GoString() string { return s.Name }

var refScenarios = []refScenario{
	newRefScenario(`{"name": "plain", "seed": 7, "clock": {"start": "2026-01-15T09:00:00Z", "run": false}, "institutions": [` + refHarbor + `,` + refValley + `]}`),

	newRefScenario(`{"name": "strict", "seed": 8, "clock": {"start": "2026-01-15T09:00:00Z", "run": false}, "behavior": {
		"tokens": {"accessLifetime": "10m", "refreshLifetime": "1h", "revokeResponse": "authenticationResult", "unknownToken": "error", "accessTokenAlone": true},
		"estatements": {"bearerFailureStatus": 400, "correlationId": "uuid", "updateAccountStatus": 204},
		"groups": {"auth": "required", "createStatus": 201, "nameLimit": 8, "descriptionLimit": 12, "clientGroupId": "honor",
			"transactionIdReuse": "reject", "defaultPageSize": 3, "maxPageSize": 5},
		"alerts": {"createStatus": 200, "contradiction": "reject", "requiredFields": ["alertOpted", "alertPreferenceDetails.channelTypeName"]}},
		"institutions": [` + refHarbor + `,` + refValley + `]}`),

	newRefScenario(`{"name": "loose", "seed": 9, "clock": {"start": "2026-01-15T09:00:00Z", "run": false}, "behavior": {
		"tokens": {"accessLifetime": "1h", "refreshLifetime": "30m", "revokeResponse": "noContent", "accessTokenAlone": true},
		"estatements": {"correlationId": "optional", "user": "any", "partialUpdate": "allow"},
		"groups": {"duplicateName": "allow", "unknownSort": "ignore"},
		"alerts": {"auth": "optional", "headers": "optional", "knownChannelsOnly": false}},
		"institutions": [` + refValley + `,` + refHarbor + `]}`),
}

// refHarbor has users in every state that a preference update can meet.
const refHarbor = `{"institutionId": "02688", "multistatement": true,
	"clients": [{"sharedKey": "demo-app", "secretKey": "demo-secret"}, {"sharedKey": "other-app", "secretKey": "other-secret"}],
	"users": [
		{"hostUserId": "1001", "username": "avery", "password": "demo", "active": true, "disclosures": [` + refYes + `,` + refSigned + `], "accounts": [
			{"accountId": "checking", "activateEstatement": false, "disclosures": [` + refYes + `]},
			{"accountId": "savings", "activateEstatement": false, "updateFails": true, "disclosures": [` + refYes + `,` + refYes + `]}]},
		{"hostUserId": "1002", "username": "blake", "password": "demo", "active": false, "disclosures": [` + refYes + `], "accounts": [
			{"accountId": "checking", "activateEstatement": false, "disclosures": [` + refYes + `]}]},
		{"hostUserId": "1003", "active": true, "disclosures": [` + refYes + `,` + refNo + `], "accounts": [
			{"accountId": "checking", "activateEstatement": true, "disclosures": [` + refYes + `]},
			{"accountId": "loan", "activateEstatement": false, "disclosures": [` + refYes + `,` + refNo + `]},
			{"accountId": "savings", "activateEstatement": false}]},
		{"hostUserId": "1004", "active": true, "disclosures": [` + refYes + `]}],
	"tokens": [
		{"accessToken": "demo-token", "client": "demo-app"},
		{"accessToken": "demo-token-2", "client": "demo-app", "refreshToken": "demo-refresh"},
		{"accessToken": "avery-token", "client": "demo-app", "hostUserId": "1001", "refreshToken": "avery-refresh"},
		{"accessToken": "other-token", "client": "other-app", "refreshToken": "other-refresh"}],
	"groups": [
		{"groupId": "g-1", "groupName": "Owls", "groupDescription": "late", "groupStatus": "ACTIVE", "groupParticipantCount": 5, "groupLastUpdatedDateTime": "2026-01-01T00:00:00Z"},
		{"groupId": "g-3", "groupName": "Larks", "groupDescription": "", "groupStatus": "ACTIVE", "groupParticipantCount": 9, "groupLastUpdatedDateTime": "2026-01-01T00:00:00Z"},
		{"groupId": "g-2", "groupName": "Gone", "groupDescription": "", "groupStatus": "DELETED", "groupParticipantCount": 1, "groupLastUpdatedDateTime": "2026-01-01T00:00:00Z"},
		{"groupId": "g-0", "groupName": "Hens", "groupDescription": "", "groupStatus": "ACTIVE", "groupParticipantCount": 5, "groupLastUpdatedDateTime": "2026-01-01T00:00:00Z"}]}`

// refValley has a client and a user like the other's, and no multistatement.
const refValley = `{"institutionId": "05523", "multistatement": false, "alertTypes": ["LOW_BALANCE", "DEPOSIT"],
	"clients": [{"sharedKey": "demo-app", "secretKey": "demo-secret"}, {"sharedKey": "second-app", "secretKey": "second-secret"}],
	"users": [
		{"hostUserId": "1001", "username": "avery", "password": "another", "active": true, "disclosures": [` + refYes + `], "accounts": [
			{"accountId": "checking", "activateEstatement": false, "disclosures": [` + refYes + `]}]}],
	"tokens": [{"accessToken": "second-token", "client": "second-app", "refreshToken": "second-refresh"}],
	"groups": [{"groupId": "g-1", "groupName": "Storks", "groupDescription": "", "groupStatus": "ACTIVE", "groupParticipantCount": 2, "groupLastUpdatedDateTime": "2026-01-01T00:00:00Z"}]}`

const (
	refYes    = `{"institutionDisclosureName": "OLS", "institutionDisclosureStatus": "ACCEPTED", "institutionUserDisclosureStatusUpdateDateTime": "2025-11-03T14:12:08Z", "paperWaiver": false}`
	refSigned = `{"institutionDisclosureName": "ESIGN", "institutionDisclosureStatus": "NOT_ACCEPTED", "institutionUserDisclosureStatusUpdateDateTime": "2025-11-03T14:12:08Z", "paperWaiver": false}`
	refNo     = `{"institutionDisclosureName": "TAX", "institutionDisclosureStatus": "NOT_ACCEPTED", "institutionUserDisclosureStatusUpdateDateTime": "2025-11-03T14:12:08Z", "paperWaiver": false}`
)
