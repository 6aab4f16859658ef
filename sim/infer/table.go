package infer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// lifted are, by the rule by which the bank refuses a request that the service did not refuse for that, what the bank
// has to have.
var lifted = map[sim.Code][]line{
	sim.InstitutionUnknown:        {"{institution}"},
	sim.ClientUnknown:             {knownClient},
	sim.ClientNotOfInstitution:    {knownClient},
	sim.TokenUnknown:              {knownClient, "{token}/client={sharedKey}"},
	sim.TokenExpired:              {"{token}/expiresIn=8760h"},
	sim.UserUnknown:               {"{user}", "{user}/username={loginId}"},
	sim.UserCredentialsWrong:      {"{login}/username={sent.username}", "{login}/password={sent.password}"},
	sim.AccountUnknown:            {"{account}"},
	sim.NoAccounts:                {"{user}/accounts/account-of-{hostUserId}"},
	sim.AccountUndisclosed:        {statements + "=ACCEPTED"},
	sim.DisclosureNotAccepted:     {statements + "=ACCEPTED"},
	sim.DisclosuresNotAllAccepted: {statements + "=ACCEPTED"},
	sim.DisclosureUnsupported:     {"{institution}/institutionDisclosures/{sent.institutionDisclosureName}"},
	sim.DisclosureMissing:         {"{user}/disclosures/{sent.institutionDisclosureName}/institutionDisclosureStatus=NOT_ACCEPTED"},
	sim.GroupUnknown:              {"{group}/groupName={groupName}"},
	sim.AlertPreferenceUnknown: {
		"{user}/alertPreferences/{path.alertPreferenceId}/alertPreferenceDetails/alertPrefId={number.alertPreferenceId}",
	},
	sim.RefreshTokenInvalid: {
		knownClient,
		"{refreshed}/client={sharedKey}",
		"{refreshed}/refreshToken={sent.refresh_token}",
		"{issuedUser}",
		"{refreshed}/hostUserId={issuedUserId}",
	},
	sim.RevocationOfNothing: {knownClient, "{institution}/tokens/{sent.token}/client={sharedKey}"},
}

// brought are, by the rule by which the service has refused a request that the bank accepts, what the bank has to have.
var brought = map[sim.Code][]line{
	sim.UserNotActive:                    {"{user}/active=false"},
	sim.MultistatementNotConfigured:      {"{institution}/multistatement=false"},
	sim.DisclosuresWithoutMultistatement: {"{institution}/multistatement=false"},
	sim.DisclosureNotAccepted:            {statements + "=NOT_ACCEPTED"},
	sim.GroupExists:                      {"{institution}/groups/{groupNamed}/groupName={sent.groupName}"},
	sim.JobRunning:                       {"{group}/groupName={groupName}", "{group}/jobs/?/jobStatus=PROCESSING"},
	sim.GroupBusy:                        {"{group}/groupName={groupName}", "{group}/jobs/?/jobStatus=PROCESSING"},
	sim.TokenExpired:                     {knownClient, "{token}/client={sharedKey}", "{token}/expiresAt={at}"},
	sim.TokenOfAnotherUser:               bound,
	sim.UserUnknown:                      bound, // in operations on alerts
	sim.AlertWithoutDestinations:         {"{user}/destinations=none"},
	sim.AlertTypeUnknown:                 {"{institution}/alertTypes={alertTypes}"},
	sim.AlertTypeNotOpted: {
		"{institution}/institutionAlertTypes/{sent.alertPreferenceDetails.alertTypeName}/statusOptd=INACTIVE",
	},
}

// bound says that the token of the request is bound to another user than that of the request.
var bound = []line{"{otherUser}", "{token}/client={sharedKey}", "{token}/hostUserId={otherUserId}"}

const (
	knownClient = "{institution}/clients/{sharedKey}/secretKey={secretKey}"
	statements  = "{holder}/disclosures/OLS/institutionDisclosureStatus"
)

// rows are, by the operation, what the rows of an answer show. They are in an array, or the answer is the only one.
var rows = map[string]struct {
	array string
	lines []line
}{
	contract.EstatementsGetDisclosures.Name: {"institutionUserDisclosures", []line{
		"{user}/institutionUserId={institutionUserId}",
		"{account}/disclosures/{row.institutionDisclosureName}/institutionDisclosureStatus={row.institutionDisclosureStatus}",
		"{account}/activateEstatement={row.paperWaiver}",
	}},
	contract.DisclosuresListUser.Name: {"institutionUserDisclosures", []line{
		"{user}/institutionUserId={institutionUserId}",
		"{institution}/multistatement={multistatement}",
		"{institution}/institutionDisclosures/{row.institutionDisclosureName}/institutionDisclosureId={row.institutionDisclosureId}",
		"{user}/disclosures/{noAccount}/institutionDisclosureStatus={row.institutionUserDisclosureStatus}",
		"{user}/disclosures/{noAccount}/paperWaiver={row.paperWaiver}",
		"{user}/accounts/{row.accountId}/disclosures/{row.institutionDisclosureName}/institutionDisclosureStatus={row.institutionUserDisclosureStatus}",
		"{user}/accounts/{row.accountId}/activateEstatement={row.paperWaiver}",
	}},
	contract.DisclosuresListInstitution.Name: {"institutionDisclosures", members(
		"{institution}/institutionDisclosures/{row.institutionDisclosureName}",
		"institutionDisclosureId", "institutionDisclosureData", "institutionDisclosureDataType")},
	contract.UsersGetStatus.Name: {"", append(
		members("{user}/status", "onHold", "locked", "reset", "registered", "approved", "rejected",
			"additionalInfo.failedLoginCount", "additionalInfo.failedPasswordResetCount", "additionalInfo.lastLoginDateTime",
			"additionalInfo.holdDateTime", "additionalInfo.holdReason", "additionalInfo.holdInitiatedBy"),
		"{user}/institutionUserId={institutionUserId}", "{user}/active={inactive}")},
	contract.GroupsList.Name:   {"content", group},
	contract.GroupsUpdate.Name: {"", group},
	contract.JobsList.Name:     {"content", job},
	contract.JobsGet.Name:      {"", job},
	contract.JobsListErrors.Name: {"content", members("{jobGroup}/jobs/{path.jobId}/errors/{id.lineNbr}",
		"lineNbr", "errorMsg")},
	contract.AlertsGetPreference.Name:   {"", alertPreference},
	contract.AlertsListPreferences.Name: {"alertPreferences", alertPreference},
	contract.AlertsListInstitutionTypes.Name: {"institutionAlertTypes", members(
		"{institution}/institutionAlertTypes/{row.alertTypeName}",
		"institutionAlertTypeId", "channelsOptd", "statusOptd", "reason")},
	contract.AlertsListInstitutionPreferences.Name: {"fiAlertPreferences", members(
		"{institution}/institutionAlertPreferences/{id.institutionAlertPrefId}",
		"institutionAlertPrefId", "alertTypeName", "channelTypeName", "alertOpted", "additionalInfo")},
	contract.TokensRevoke.Name: {"", []line{ // section 2.4: what was revoked
		knownClient,
		"{institution}/tokens/{row.access_token}/client={sharedKey}",
		"{institution}/tokens/{row.access_token}/refreshToken={row.refresh_token}",
		"{institution}/users/{row.di_ficustomer}",
		"{institution}/tokens/{row.access_token}/hostUserId={row.di_ficustomer}",
	}},
}

var (
	group = []line{
		"{rowGroup}/groupName={row.groupName}",
		"{rowGroup}/groupDescription={row.groupDescription}",
		"{rowGroup}/groupParticipantCount={row.noOfParticipants}",
		"{rowGroup}/groupParticipantCount={row.groupParticipantCount}",
		"{rowGroup}/experienceName={row.groupExperience.experienceName}",
		"{rowGroup}/experienceId={row.groupExperience.experienceId}",
	}
	job = append(members("{rowGroup}/jobs/{unborn.jobId}", "type", "inputFileName", "jobStatus", "jobDetails",
		"jobCreatedBy", "totalRecordsCount", "successRecordsCount", "failedRecordsCount"),
		"{rowGroup}/groupName={row.groupName}")
	alertPreference = append(members("{user}/alertPreferences/{id.alertPreferenceDetails.alertPrefId}",
		"additionalInfo", "alertOpted", "alertPreferenceAccountDetails", "allowCallback", "defaultPreferences"),
		members("{user}/alertPreferences/{id.alertPreferenceDetails.alertPrefId}/alertPreferenceDetails",
			"alertPreferenceDetails.alertPrefId", "alertPreferenceDetails.alertTypeName",
			"alertPreferenceDetails.channelTypeName", "alertPreferenceDetails.externalId",
			"alertPreferenceDetails.institutionCustomerId", "alertPreferenceDetails.institutionId")...)
)

// members returns the lines of members of a row that answers and scenarios name alike.
func members(place line, names ...string) (lines []line) {
	for _, name := range names {
		own := name[strings.LastIndex(name, ".")+1:]
		lines = append(lines, place+"/"+line(own)+"={row."+line(name)+"}")
	}
	return lines
}

// refusal returns the rule by which the service has refused the request, with its lines: one of the operation with its
// status and code.
func (r reading) refusal() (rule sim.Code, lines []line) {
	code := contract.ErrorCode(r.answer)
	for _, refusal := range r.op.Refusals() {
		lines := brought[refusal.Rule]
		if lines != nil && refusal.Code == code && slices.Contains(r.op.Family.Statuses(refusal), r.status) {
			return refusal.Rule, lines
		}
	}
	return "", nil
}

// shown returns what the rows of an answer show. Those after a change that the bank has not answered as the service did
// are not trusted.
func (r reading) shown() (all []fact) {
	of, known := rows[r.op.Name]
	answer := decode(r.answer)
	switch {
	case !known || !r.trusted:
		return nil
	case of.array == "":
		r.row = answer
		return r.facts(of.lines)
	}
	for _, r.row = range append(array(answer, of.array), nil) { // an empty list says something, too
		all = append(all, r.facts(of.lines)...)
	}
	return all
}

// switched returns the switch of the service by which an accepted request has the status of the capture.
func (r reading) switched() []fact {
	for _, a := range r.op.Answers {
		if a.Status == r.status && a.Switched != nil && a.Status != r.got.Status {
			l := line("behavior/" + strings.ReplaceAll(a.Switched.Switch.Key, ".", "/") + "=" + a.Value)
			return r.facts([]line{l})
		}
	}
	return nil
}

// maxGroups is how many groups are made up at most (choice).
const maxGroups = 5000

// unseenGroups returns groups that a list counts and doesn't show. Their names are made up.
func (r reading) unseenGroups() [][]fact {
	if r.op.Name != contract.GroupsList.Name {
		return nil
	}
	var all []fact
	counted := func(answer []byte) int { return number(decode(answer), "page", "totalElements") }
	for n := range min(counted(r.answer)-counted(r.got.Body), maxGroups) {
		name := "unseen group " + strconv.Itoa(n+1)
		all = append(all, fact{at(r.place("institution"), "groups", drawnID+name, "groupName"), name, r.number})
	}
	return [][]fact{all}
}
