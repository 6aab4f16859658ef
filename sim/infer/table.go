package infer

import (
	"encoding/json"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// neededToPass returns what the bank needs so that a request passes a rule. The rule refuses it here and didn't at the
// service. For other rules it returns nil.
func (l lesson) neededToPass(rule sim.Code) []fact {
	switch rule {
	case sim.InstitutionUnknown:
		return []fact{l.exists(l.institutionPath())}
	case sim.ClientUnknown, sim.ClientNotOfInstitution:
		return []fact{l.knowsClient()}
	case sim.TokenUnknown:
		return []fact{l.knowsClient(), l.isIssuedTo(l.tokenPath())}
	case sim.TokenExpired:
		return []fact{l.has(l.tokenPath(), "expiresIn", "8760h")}
	case sim.UserUnknown:
		return []fact{l.exists(l.userPath()), l.has(l.userPath(), "username", l.login())}
	case sim.UserCredentialsWrong:
		login := l.sent("username")
		user := l.userPathOf(l.userOf(login))
		return []fact{l.has(user, "username", login), l.has(user, "password", l.sent("password"))}
	case sim.AccountUnknown:
		return []fact{l.exists(l.accountPath())}
	case sim.NoAccounts:
		return []fact{l.exists(l.userPath().at("accounts", "account-of-"+l.userFor(l.exchange)))}
	case sim.AccountUndisclosed, sim.DisclosureNotAccepted, sim.DisclosuresNotAllAccepted:
		return []fact{l.hasAnswered("OLS", "ACCEPTED")}
	case sim.DisclosureMissing:
		return []fact{l.hasAnswered(l.sent("institutionDisclosureName"), "NOT_ACCEPTED")}
	case sim.DisclosureUnsupported:
		return []fact{l.exists(l.institutionPath().at("institutionDisclosures", l.sent("institutionDisclosureName")))}
	case sim.GroupUnknown:
		return []fact{l.knowsGroup()}
	case sim.AlertPreferenceUnknown:
		id := l.vars["alertPreferenceId"]
		preference := l.userPath().at("alertPreferences", l.beforeAs("alertPreferenceId", id))
		return []fact{l.has(preference.at("alertPreferenceDetails"), "alertPrefId", json.Number(id))}
	case sim.RefreshTokenInvalid:
		return l.knowsGrant()
	case sim.CodeClientUnknown:
		return []fact{l.knowsSentClient()}
	case sim.RevocationOfNothing:
		return []fact{l.knowsClient(), l.isIssuedTo(l.tokenPathOf(l.sent("token")))}
	}
	return nil
}

// neededToRefuse returns what the bank needs so that a rule refuses a request. The rule did so at the service and
// doesn't here. For other rules it returns nil.
func (l lesson) neededToRefuse(rule sim.Code) []fact {
	switch rule {
	case sim.UserNotActive:
		return []fact{l.has(l.userPath(), "active", false)}
	case sim.MultistatementNotConfigured, sim.DisclosuresWithoutMultistatement:
		return []fact{l.withoutMultistatement()}
	case sim.DisclosureNotAccepted:
		return []fact{l.hasAnswered("OLS", "NOT_ACCEPTED")}
	case sim.GroupExists:
		name := l.sent("groupName")
		return []fact{l.has(l.institutionPath().at("groups", l.idOfGroup(name)), "groupName", name)}
	case sim.JobRunning, sim.GroupBusy:
		job := l.groupPath(l.vars["groupId"]).at("jobs", unknownID)
		return []fact{l.knowsGroup(), l.has(job, "jobStatus", "PROCESSING")}
	case sim.TokenExpired:
		expiry := l.at.UTC().Format("2006-01-02T15:04:05Z")
		return []fact{l.knowsClient(), l.isIssuedTo(l.tokenPath()), l.has(l.tokenPath(), "expiresAt", expiry)}
	case sim.TokenOfAnotherUser, sim.UserUnknown: // the latter in operations on alerts
		user, token := l.otherUser(), l.tokenPath()
		return []fact{l.exists(l.userPathOf(user)), l.isIssuedTo(token), l.has(token, "hostUserId", user)}
	case sim.ScopeMissing:
		client, token := l.institutionPath().at("clients", l.likelyClient().sharedKey), l.tokenPath()
		return []fact{
			l.knowsClient(), l.has(client, "scopes", l.drawnTokens.scopes()),
			l.isIssuedTo(token), l.has(token, "scopes", l.of(l.token()).scopes()),
		}
	case sim.ClientAuthorizesItself:
		return []fact{l.knowsSentClient(), l.has(l.tokenPath(), "client", l.sent("client_id"))}
	case sim.ClientWithoutCodes:
		return []fact{l.knowsSentClient()}
	case sim.AlertWithoutDestinations:
		return []fact{l.has(l.userPath(), "destinations", "none")}
	case sim.AlertTypeUnknown:
		return []fact{l.has(l.institutionPath(), "alertTypes", l.alertTypeNames)}
	case sim.AlertTypeNotOpted:
		kind := l.sent("alertPreferenceDetails", "alertTypeName")
		return []fact{l.has(l.institutionPath().at("institutionAlertTypes", kind), "statusOptd", "INACTIVE")}
	}
	return nil
}

// hasAnswered says how a disclosure was answered: for the account that the request names, or by the user.
func (l lesson) hasAnswered(disclosure, status string) fact {
	holder := l.userPath()
	if l.account() != "" {
		holder = l.accountPath()
	}
	return l.has(holder.at("disclosures", disclosure), "institutionDisclosureStatus", status)
}

func (l lesson) withoutMultistatement() fact {
	return l.has(l.institutionPath(), "multistatement", false)
}

// knowsGroup says that the institution has the group that the path names.
func (l lesson) knowsGroup() fact {
	id := l.vars["groupId"]
	return l.has(l.groupPath(id), "groupName", l.nameOfGroup(id))
}

// knowsGrant says that the institution has the refresh token of the request. It is for the user of the new token.
func (l lesson) knowsGrant() []fact {
	var token rowPath
	refresh := l.before(l.sent("refresh_token"))
	if refresh != "" {
		token = l.tokenPathOf("access-of-" + refresh)
	}
	return []fact{
		l.knowsClient(), l.isIssuedTo(token), l.has(token, "refreshToken", refresh),
		l.exists(l.userPathOf(l.issuedUser())), l.has(token, "hostUserId", l.issuedUser()),
	}
}

// shownBy returns what an answer of the operation shows.
func (l lesson) shownBy(answer any) []fact {
	switch l.op.Name {
	case contract.EstatementsGetDisclosures.Name:
		return ofRows(answer, "institutionUserDisclosures", l.accountDisclosure)
	case contract.DisclosuresListUser.Name:
		return l.userDisclosures(answer)
	case contract.DisclosuresListInstitution.Name:
		return ofRows(answer, "institutionDisclosures", l.offeredDisclosure)
	case contract.UsersGetStatus.Name:
		return l.userStatus(answer)
	case contract.GroupsList.Name:
		return ofRows(answer, "content", l.group)
	case contract.GroupsUpdate.Name:
		return l.group(answer)
	case contract.JobsList.Name:
		return ofRows(answer, "content", l.job)
	case contract.JobsGet.Name:
		return l.job(answer)
	case contract.JobsListErrors.Name:
		return ofRows(answer, "content", l.jobError)
	case contract.AlertsGetPreference.Name:
		return l.alertPreference(answer)
	case contract.AlertsListPreferences.Name:
		return ofRows(answer, "alertPreferences", l.alertPreference)
	case contract.AlertsListInstitutionTypes.Name:
		return ofRows(answer, "institutionAlertTypes", l.alertType)
	case contract.AlertsListInstitutionPreferences.Name:
		return ofRows(answer, "fiAlertPreferences", l.institutionAlertPreference)
	case contract.TokensRevoke.Name:
		return l.revoked(answer)
	}
	return nil
}

// maxRows is how many rows one answer shows or counts at most (choice): a scenario has no more.
const maxRows = 5000

// ofRows returns what the rows in a list of an answer show.
func ofRows(answer any, list string, shows func(row any) []fact) (all []fact) {
	rows := array(answer, list)
	for _, row := range rows[:min(len(rows), maxRows)] {
		all = append(all, shows(row)...)
	}
	return all
}

func (l lesson) accountDisclosure(row any) []fact {
	disclosure := l.accountPath().at("disclosures", text(row, "institutionDisclosureName"))
	return []fact{
		l.hasUserID(row),
		l.has(disclosure, "institutionDisclosureStatus", member(row, "institutionDisclosureStatus")),
		l.has(l.accountPath(), "activateEstatement", member(row, "paperWaiver")),
	}
}

// hasUserID says which institutionUserId the user has. Answers have it in lower case.
func (l lesson) hasUserID(row any) fact {
	return l.has(l.userPath(), "institutionUserId", strings.ToUpper(text(row, "institutionUserId")))
}

// userDisclosures is what the list of a user's disclosures shows. Multistatement is not configured if the user's own
// have a preference, or if the disclosures of the accounts are missing.
func (l lesson) userDisclosures(answer any) (all []fact) {
	if listedIn(answer).accounts == 0 && l.bank.here.accounts > 0 {
		all = append(all, l.withoutMultistatement())
	}
	return append(all, ofRows(answer, "institutionUserDisclosures", l.userDisclosure)...)
}

func (l lesson) userDisclosure(row any) []fact {
	name, status := text(row, "institutionDisclosureName"), text(row, "institutionUserDisclosureStatus")
	waiver := member(row, "paperWaiver")
	all := append([]fact{l.hasUserID(row)}, l.copies(l.offeredPath(row), row, "institutionDisclosureId")...)
	if id := text(row, "accountId"); id != "" {
		account := l.userPath().at("accounts", id)
		return append(all, l.has(account.at("disclosures", name), "institutionDisclosureStatus", status),
			l.has(account, "activateEstatement", waiver))
	}
	if waiver != nil {
		all = append(all, l.withoutMultistatement())
	}
	own := l.userPath().at("disclosures", name)
	return append(all, l.has(own, "institutionDisclosureStatus", status), l.has(own, "paperWaiver", waiver))
}

func (l lesson) offeredPath(row any) rowPath {
	return l.institutionPath().at("institutionDisclosures", text(row, "institutionDisclosureName"))
}

func (l lesson) offeredDisclosure(row any) []fact {
	return l.copies(l.offeredPath(row), row,
		"institutionDisclosureId", "institutionDisclosureData", "institutionDisclosureDataType")
}

func (l lesson) userStatus(row any) []fact {
	all := append(l.copies(l.userPath().at("status"), row, "onHold", "locked", "reset", "registered", "approved",
		"rejected", "additionalInfo.failedLoginCount", "additionalInfo.failedPasswordResetCount",
		"additionalInfo.lastLoginDateTime", "additionalInfo.holdDateTime", "additionalInfo.holdReason",
		"additionalInfo.holdInitiatedBy"), l.hasUserID(row))
	if member(row, "active") != true { // answers leave out the flag that is false
		all = append(all, l.has(l.userPath(), "active", false))
	}
	return all
}

func (l lesson) group(row any) []fact {
	group := l.groupPath(text(row, "groupId"))
	all := l.copies(group, row, "groupName", "groupDescription", "groupParticipantCount",
		"groupExperience.experienceName", "groupExperience.experienceId")
	return append(all, l.has(group, "groupParticipantCount", member(row, "noOfParticipants")))
}

func (l lesson) job(row any) []fact {
	group := l.groupPath(text(row, "groupId"))
	all := l.copies(group.at("jobs", l.before(text(row, "jobId"))), row, "type", "inputFileName", "jobStatus",
		"jobDetails", "jobCreatedBy", "totalRecordsCount", "successRecordsCount", "failedRecordsCount")
	return append(all, l.copies(group, row, "groupName")...)
}

func (l lesson) jobError(row any) []fact {
	job := l.groupPath(l.jobGroups[l.vars["jobId"]]).at("jobs", l.beforeAs("jobId", l.vars["jobId"]))
	return l.copies(job.at("errors", l.numberBefore(row, "lineNbr")), row, "lineNbr", "errorMsg")
}

func (l lesson) alertPreference(row any) []fact {
	id := l.numberBefore(row, "alertPreferenceDetails", "alertPrefId")
	preference := l.userPath().at("alertPreferences", id)
	all := l.copies(preference, row,
		"additionalInfo", "alertOpted", "alertPreferenceAccountDetails", "allowCallback", "defaultPreferences")
	return append(all, l.copies(preference.at("alertPreferenceDetails"), member(row, "alertPreferenceDetails"),
		"alertPrefId", "alertTypeName", "channelTypeName", "externalId", "institutionCustomerId", "institutionId")...)
}

func (l lesson) alertType(row any) []fact {
	kind := l.institutionPath().at("institutionAlertTypes", text(row, "alertTypeName"))
	all := l.copies(kind, row, "institutionAlertTypeId", "statusOptd", "reason")
	var channels []any // an answer has them in one text
	for name := range strings.SplitSeq(text(row, "channelsOptd"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			channels = append(channels, name)
		}
	}
	return append(all, l.has(kind, "channelsOptd", channels))
}

func (l lesson) institutionAlertPreference(row any) []fact {
	preference := l.institutionPath().at("institutionAlertPreferences", l.numberBefore(row, "institutionAlertPrefId"))
	return l.copies(preference, row,
		"institutionAlertPrefId", "alertTypeName", "channelTypeName", "alertOpted", "additionalInfo")
}

// revoked is what the answer of a revocation shows of the grant (section 2.4).
func (l lesson) revoked(answer any) []fact {
	token, user := l.tokenPathOf(text(answer, "access_token")), text(answer, "di_ficustomer")
	return []fact{
		l.knowsClient(), l.isIssuedTo(token), l.has(token, "refreshToken", text(answer, "refresh_token")),
		l.exists(l.userPathOf(user)), l.has(token, "hostUserId", user),
	}
}

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
