package infer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// neededToPass has, for each rule that refuses a request here and didn't at the service, what the bank needs so that
// the request passes it.
var neededToPass = map[sim.Code][]evidence{
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
	sim.DisclosureMissing: {
		"{holder}/disclosures/{sent.institutionDisclosureName}/institutionDisclosureStatus=NOT_ACCEPTED",
	},
	sim.GroupUnknown: {"{group}/groupName={groupName}"},
	sim.AlertPreferenceUnknown: {
		"{user}/alertPreferences/{path.alertPreferenceId}/alertPreferenceDetails/alertPrefId=" +
			"{number.alertPreferenceId}",
	},
	sim.RefreshTokenInvalid: {
		knownClient,
		"{refreshed}/client={sharedKey}",
		"{refreshed}/refreshToken={sent.refresh_token}",
		"{issuedUser}",
		"{refreshed}/hostUserId={issuedUserId}",
	},
	sim.CodeClientUnknown:   {sentClient},
	sim.RevocationOfNothing: {knownClient, "{institution}/tokens/{sent.token}/client={sharedKey}"},
}

// neededToRefuse has, for each rule that refused a request at the service and doesn't here, what the bank needs so that
// it does.
var neededToRefuse = map[sim.Code][]evidence{
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
	sim.ScopeMissing: {
		knownClient, "{institution}/clients/{sharedKey}/scopes={clientScopes}", "{token}/client={sharedKey}",
		"{token}/scopes={tokenScopes}",
	},
	sim.ClientAuthorizesItself:   {sentClient, "{token}/client={sent.client_id}"},
	sim.ClientWithoutCodes:       {sentClient},
	sim.AlertWithoutDestinations: {"{user}/destinations=none"},
	sim.AlertTypeUnknown:         {"{institution}/alertTypes={alertTypes}"},
	sim.AlertTypeNotOpted: {
		"{institution}/institutionAlertTypes/{sent.alertPreferenceDetails.alertTypeName}/statusOptd=INACTIVE",
	},
}

// bound says that the token of the request is bound to a user whom the request does not name.
var bound = []evidence{"{otherUser}", "{token}/client={sharedKey}", "{token}/hostUserId={otherUserId}"}

const (
	knownClient = "{institution}/clients/{sharedKey}/secretKey={secretKey}"
	sentClient  = "{institution}/clients/{sent.client_id}/secretKey={sentSecret}"
	statements  = "{holder}/disclosures/OLS/institutionDisclosureStatus"
	offered     = "{institution}/institutionDisclosures/{row.institutionDisclosureName}"
)

// shownByRows has, for each operation, what the rows of an answer show. They are in an array, or the answer is the only
// one.
var shownByRows = map[string]struct {
	array string
	shows []evidence
}{
	contract.EstatementsGetDisclosures.Name: {"institutionUserDisclosures", []evidence{
		"{user}/institutionUserId={institutionUserId}",
		"{account}/disclosures/{row.institutionDisclosureName}/institutionDisclosureStatus=" +
			"{row.institutionDisclosureStatus}",
		"{account}/activateEstatement={row.paperWaiver}",
	}},
	contract.DisclosuresListUser.Name: {"institutionUserDisclosures", []evidence{
		"{user}/institutionUserId={institutionUserId}",
		"{institution}/multistatement={multistatement}",
		offered + "/institutionDisclosureId={row.institutionDisclosureId}",
		"{user}/disclosures/{ownDisclosure}/institutionDisclosureStatus={row.institutionUserDisclosureStatus}",
		"{user}/disclosures/{ownDisclosure}/paperWaiver={row.paperWaiver}",
		"{user}/accounts/{row.accountId}/disclosures/{row.institutionDisclosureName}/institutionDisclosureStatus=" +
			"{row.institutionUserDisclosureStatus}",
		"{user}/accounts/{row.accountId}/activateEstatement={row.paperWaiver}",
	}},
	contract.DisclosuresListInstitution.Name: {"institutionDisclosures", members(offered,
		"institutionDisclosureId", "institutionDisclosureData", "institutionDisclosureDataType")},
	contract.UsersGetStatus.Name: {"", append(
		members(
			"{user}/status", "onHold", "locked", "reset", "registered", "approved", "rejected",
			"additionalInfo.failedLoginCount", "additionalInfo.failedPasswordResetCount",
			"additionalInfo.lastLoginDateTime", "additionalInfo.holdDateTime", "additionalInfo.holdReason",
			"additionalInfo.holdInitiatedBy",
		),
		"{user}/institutionUserId={institutionUserId}", "{user}/active={inactive}")},
	contract.GroupsList.Name:   {"content", group},
	contract.GroupsUpdate.Name: {"", group},
	contract.JobsList.Name:     {"content", job},
	contract.JobsGet.Name:      {"", job},
	contract.JobsListErrors.Name: {"content", members("{jobGroup}/jobs/{path.jobId}/errors/{id.lineNbr}",
		"lineNbr", "errorMsg")},
	contract.AlertsGetPreference.Name:   {"", alertPreference},
	contract.AlertsListPreferences.Name: {"alertPreferences", alertPreference},
	contract.AlertsListInstitutionTypes.Name: {"institutionAlertTypes", append(members(
		"{institution}/institutionAlertTypes/{row.alertTypeName}", "institutionAlertTypeId", "statusOptd", "reason"),
		"{institution}/institutionAlertTypes/{row.alertTypeName}/channelsOptd={channels}")},
	contract.AlertsListInstitutionPreferences.Name: {"fiAlertPreferences", members(
		"{institution}/institutionAlertPreferences/{id.institutionAlertPrefId}",
		"institutionAlertPrefId", "alertTypeName", "channelTypeName", "alertOpted", "additionalInfo")},
	contract.TokensRevoke.Name: {"", []evidence{ // section 2.4: what was revoked
		knownClient,
		"{institution}/tokens/{row.access_token}/client={sharedKey}",
		"{institution}/tokens/{row.access_token}/refreshToken={row.refresh_token}",
		"{institution}/users/{row.di_ficustomer}",
		"{institution}/tokens/{row.access_token}/hostUserId={row.di_ficustomer}",
	}},
}

var (
	group = []evidence{
		"{rowGroup}/groupName={row.groupName}",
		"{rowGroup}/groupDescription={row.groupDescription}",
		"{rowGroup}/groupParticipantCount={row.noOfParticipants}",
		"{rowGroup}/groupParticipantCount={row.groupParticipantCount}",
		"{rowGroup}/experienceName={row.groupExperience.experienceName}",
		"{rowGroup}/experienceId={row.groupExperience.experienceId}",
	}
	job = append(members("{rowGroup}/jobs/{before.jobId}", "type", "inputFileName", "jobStatus", "jobDetails",
		"jobCreatedBy", "totalRecordsCount", "successRecordsCount", "failedRecordsCount"),
		"{rowGroup}/groupName={row.groupName}")
	alertPreference = append(members("{user}/alertPreferences/{id.alertPreferenceDetails.alertPrefId}",
		"additionalInfo", "alertOpted", "alertPreferenceAccountDetails", "allowCallback", "defaultPreferences"),
		members("{user}/alertPreferences/{id.alertPreferenceDetails.alertPrefId}/alertPreferenceDetails",
			"alertPreferenceDetails.alertPrefId", "alertPreferenceDetails.alertTypeName",
			"alertPreferenceDetails.channelTypeName", "alertPreferenceDetails.externalId",
			"alertPreferenceDetails.institutionCustomerId", "alertPreferenceDetails.institutionId")...)
)

// members returns the evidence of members of a row that answers and scenarios name alike.
func members(place evidence, names ...string) (all []evidence) {
	for _, name := range names {
		own := name[strings.LastIndex(name, ".")+1:]
		all = append(all, place+"/"+evidence(own)+"={row."+evidence(name)+"}")
	}
	return all
}

// refusal returns the rule that refused the request at the service, with its evidence. It is a rule of the operation
// that has the status and the code of the answer.
func (l lesson) refusal() (rule sim.Code, needed []evidence) {
	code := contract.ErrorCode(l.answer)
	for _, refusal := range slices.Concat(l.op.Refusals(), l.op.Conditions()) {
		needed := neededToRefuse[refusal.Rule]
		isMeant := refusal.Code == code && slices.Contains(l.op.Family.Statuses(refusal), l.status)
		if needed != nil && isMeant && !l.isContradicted(refusal.Rule) {
			return refusal.Rule, needed
		}
	}
	return "", nil
}

// isContradicted reports whether another exchange shows that a rule can't have refused the request.
func (l lesson) isContradicted(rule sim.Code) bool {
	switch rule {
	case sim.TokenExpired:
		return l.lastWorked[l.token()] > l.number
	case sim.TokenOfAnotherUser, sim.UserUnknown:
		return l.acceptedFor[l.token()+" "+l.exchange.user()]
	}
	return false
}

// fromRows returns what the rows of a trusted answer show.
func (l lesson) fromRows() (all []fact) {
	of, isKnown := shownByRows[l.op.Name]
	answer := decode(l.answer)
	l.hidesAccounts = listedIn(answer).accounts == 0 && l.here.accounts > 0
	switch {
	case !isKnown || !l.trusted || l.lacksAnswer:
		return nil
	case of.array == "":
		l.row = answer
		return l.facts(of.shows)
	}
	rows := array(answer, of.array)
	for _, l.row = range append(slices.Clip(rows[:min(len(rows), maxRows)]), nil) { // an empty list says something, too
		all = append(all, l.facts(of.shows)...)
	}
	return all
}

// originsOf returns the origins of the pages that could read answers, as the browser that recorded them saw it.
func originsOf(all []exchange) []fact {
	var origins []any
	seen := map[string]bool{"": true}
	for _, x := range all {
		if !seen[x.origin] {
			origins, seen[x.origin] = append(origins, x.origin), true
		}
	}
	if origins == nil {
		return nil
	}
	return []fact{{"behavior/cors/origins", origins, []int{all[0].number}}}
}

// maxRows is how many rows one answer shows or counts at most (choice): a scenario has no more.
const maxRows = 5000

// listed is what a list shows of the bank beside its rows.
type listed struct {
	groups   int // that there are, also on other pages
	accounts int // disclosures of accounts
}

func listedIn(answer any) (l listed) {
	for _, row := range array(answer, "institutionUserDisclosures") {
		if text(row, "accountId") != "" {
			l.accounts++
		}
	}
	l.groups = number(answer, "page", "totalElements")
	return l
}

// unseenGroups returns groups that a list counts and doesn't show. Their names are made up.
func (l lesson) unseenGroups() [][]fact {
	if l.op.Name != contract.GroupsList.Name {
		return nil
	}
	var all []fact
	for n := range min(listedIn(decode(l.answer)).groups-l.here.groups, maxRows) {
		name := "unseen group " + strconv.Itoa(n+1)
		all = append(all, fact{at(l.institutionPath(), "groups", unknownID+name, "groupName"), name, []int{l.number}})
	}
	return [][]fact{all}
}
