package infer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// shown are, by the operation, what rows an answer shows that the bank must have.
var shown = map[string]func(r reading, answer any) []fact{
	contract.EstatementsGetDisclosures.Name: func(r reading, answer any) []fact {
		all := []fact{r.fact(r.accountPlace(), nil)}
		return append(all, r.each(answer, "institutionUserDisclosures", reading.disclosure)...)
	},
	contract.DisclosuresListUser.Name: func(r reading, answer any) []fact {
		return r.each(answer, "institutionUserDisclosures", reading.disclosure)
	},
	contract.DisclosuresListInstitution.Name: func(r reading, answer any) []fact {
		return r.each(answer, "institutionDisclosures", func(r reading, row any) []fact {
			return r.members(at(r.institutionPlace(), "institutionDisclosures", text(row, "institutionDisclosureName")), row,
				"institutionDisclosureId", "institutionDisclosureData", "institutionDisclosureDataType")
		})
	},
	contract.UsersGetStatus.Name:      reading.userStatus,
	contract.GroupsList.Name:          func(r reading, answer any) []fact { return r.each(answer, "content", reading.group) },
	contract.GroupsUpdate.Name:        reading.group,
	contract.JobsList.Name:            func(r reading, answer any) []fact { return r.each(answer, "content", reading.job0) },
	contract.JobsGet.Name:             reading.job0,
	contract.JobsListErrors.Name:      reading.jobErrors,
	contract.AlertsGetPreference.Name: reading.alertPreference,
	contract.AlertsListPreferences.Name: func(r reading, answer any) []fact {
		return r.each(answer, "alertPreferences", reading.alertPreference)
	},
	contract.AlertsListInstitutionTypes.Name: func(r reading, answer any) []fact {
		return r.each(answer, "institutionAlertTypes", func(r reading, row any) []fact {
			return r.members(at(r.institutionPlace(), "institutionAlertTypes", text(row, "alertTypeName")), row,
				"institutionAlertTypeId", "channelsOptd", "statusOptd", "reason")
		})
	},
	contract.AlertsListInstitutionPreferences.Name: func(r reading, answer any) []fact {
		return r.each(answer, "fiAlertPreferences", func(r reading, row any) []fact {
			id := strconv.Itoa(number(row, "institutionAlertPrefId"))
			return r.members(at(r.institutionPlace(), "institutionAlertPreferences", id), row,
				"institutionAlertPrefId", "alertTypeName", "channelTypeName", "alertOpted", "additionalInfo")
		})
	},
	contract.TokensRevoke.Name: func(r reading, answer any) []fact { // section 2.4: what was revoked
		return r.withToken(text(answer, "access_token"), text(answer, "refresh_token"))
	},
	contract.TokensAuthorizeClient.Name: func(r reading, answer any) []fact {
		place := at(r.institutionPlace(), "clients", r.sent("client_id"), "authorizationCode")
		info := member(answer, "additional_info")
		return []fact{
			r.fact(at(place, "scopes"), words(text(answer, "scopes"))),
			r.fact(at(place, "secondaryAuthenticationEnabled"), member(info, "secondary_authentication_enabled")),
			r.fact(at(place, "consentEnabled"), member(info, "consent_enabled")),
			r.fact(at(place, "deviceRegistrationEnabled"), member(info, "device_registration_enabled")),
		}
	},
}

// fromRows returns what rows an answer shows where the bank shows others. Rows after a change that the bank has not
// answered as the service did are not trusted.
func (r reading) fromRows() []fact {
	read := shown[r.op.Name]
	if read == nil || !r.trusted {
		return nil
	}
	return read(r, decode(r.answer))
}

// each returns the facts about the elements of an array.
func (r reading) each(answer any, name string, of func(reading, any) []fact) (all []fact) {
	for _, row := range array(answer, name) {
		all = append(all, of(r, row)...)
	}
	return all
}

// members returns the facts about members of a row that the answer has and a scenario names alike.
func (r reading) members(place string, row any, names ...string) []fact {
	all := []fact{r.fact(place, nil)}
	for _, name := range names {
		if value := member(row, name); value != nil {
			all = append(all, r.fact(at(place, name), value))
		}
	}
	return all
}

// disclosure returns the facts about a disclosure of a user or of an account.
func (r reading) disclosure(row any) (all []fact) {
	place, name := r.userPlace(), text(row, "institutionDisclosureName")
	account := text(row, "accountId")
	if account != "" {
		place = at(place, "accounts", account)
	}
	if id := text(row, "institutionUserId"); id != "" {
		all = append(all, r.fact(at(r.userPlace(), "institutionUserId"), strings.ToUpper(id)))
	}
	status := text(row, disclosureStatus)
	if status == "" {
		status = text(row, "institutionUserDisclosureStatus")
	}
	waiver := member(row, "paperWaiver") == true
	if waiver && account != "" {
		all = append(all, r.fact(at(place, "activateEstatement"), true))
	}
	place = at(place, "disclosures", name)
	all = append(all, r.fact(at(place, disclosureStatus), status))
	const updated = "institutionUserDisclosureStatusUpdateDateTime"
	if t, err := parseTime(text(row, updated)); err == nil {
		all = append(all, r.fact(at(place, updated), t))
	}
	if waiver && account == "" {
		all = append(all, r.fact(at(place, "paperWaiver"), true))
	}
	return all
}

// parseTime returns a time of an answer as a scenario has it.
func parseTime(text string) (string, error) {
	t, err := time.Parse(time.RFC3339, text)
	return t.UTC().Format(time.RFC3339Nano), err
}

// userStatus returns the facts about the status of a user. Flags that an answer leaves out are false.
func (r reading) userStatus(answer any) []fact {
	all := []fact{r.fact(r.userPlace(), nil)}
	if id := text(answer, "institutionUserId"); id != "" {
		all = append(all, r.fact(at(r.userPlace(), "institutionUserId"), id))
	}
	if member(answer, "active") != true {
		all = append(all, r.fact(at(r.userPlace(), "active"), false))
	}
	place, info := at(r.userPlace(), "status"), member(answer, "additionalInfo")
	for _, name := range []string{"onHold", "locked", "reset", "registered", "approved", "rejected"} {
		if member(answer, name) == true {
			all = append(all, r.fact(at(place, name), true))
		}
	}
	for _, name := range []string{"failedLoginCount", "failedPasswordResetCount"} {
		if number(info, name) > 0 {
			all = append(all, r.fact(at(place, name), member(info, name)))
		}
	}
	for _, name := range []string{"holdReason", "holdInitiatedBy"} {
		if value := text(info, name); value != "" {
			all = append(all, r.fact(at(place, name), value))
		}
	}
	for _, name := range []string{"lastLoginDateTime", "holdDateTime"} {
		if t, err := parseTime(text(info, name)); err == nil {
			all = append(all, r.fact(at(place, name), t))
		}
	}
	return all
}

// group returns the facts about a group, unless the service has created it in the capture.
func (r reading) group(row any) []fact {
	id := text(row, "groupId")
	if id == "" || r.born[id] {
		return nil
	}
	place := at(r.institutionPlace(), "groups", id)
	all := []fact{r.fact(at(place, "groupName"), text(row, "groupName"))}
	for _, name := range []string{"noOfParticipants", "groupParticipantCount"} {
		if number(row, name) > 0 {
			all = append(all, r.fact(at(place, "groupParticipantCount"), member(row, name)))
		}
	}
	if description := text(row, "groupDescription"); description != "" {
		all = append(all, r.fact(at(place, "groupDescription"), description))
	}
	if name := text(row, "groupExperience", "experienceName"); name != "" {
		all = append(all, r.fact(at(place, "experienceName"), name))
	}
	if id := text(row, "groupExperience", "experienceId"); id != "" {
		all = append(all, r.fact(at(place, "experienceId"), id))
	}
	return all
}

// moreGroups returns groups that a list counts and doesn't show. Their names are made up.
func (r reading) moreGroups() (all []fact) {
	if r.op.Name != contract.GroupsList.Name || !r.trusted {
		return nil
	}
	missing := number(decode(r.answer), "page", "totalElements") - number(decode(r.got.Body), "page", "totalElements")
	for n := range min(missing, maxGroups) {
		name := "another group " + strconv.Itoa(n+1)
		all = append(all, r.fact(at(r.institutionPlace(), "groups", drawnID+name, "groupName"), name))
	}
	return all
}

// maxGroups is how many groups are made up at most (choice).
const maxGroups = 5000

// jobMembers are those that answers and scenarios name alike. Times are read in addition.
var jobMembers = []string{"type", "inputFileName", "jobStatus", "jobDetails", "jobCreatedBy", "totalRecordsCount",
	"successRecordsCount", "failedRecordsCount"}

func (r reading) job0(row any) []fact {
	if r.born[text(row, "jobId")] {
		return nil
	}
	return r.job(row)
}

// job returns the facts about a job and about its group, if both were there before.
func (r reading) job(row any) []fact {
	group := text(row, "groupId")
	if group == "" || r.born[group] {
		return nil
	}
	groupPlace := at(r.institutionPlace(), "groups", group)
	name := text(row, "groupName")
	if name == "" {
		name = r.nameOfGroup(group)
	}
	all := []fact{r.fact(at(groupPlace, "groupName"), name)}
	place := at(groupPlace, "jobs", text(row, "jobId"))
	all = append(all, r.members(place, row, jobMembers...)...)
	for _, name := range []string{"createdDateTime", "lastUpdatedDateTime"} {
		if t, err := parseTime(text(row, name)); err == nil {
			all = append(all, r.fact(at(place, name), t))
		}
	}
	return all
}

// jobErrors returns the errors of a job whose group the capture shows elsewhere.
func (r reading) jobErrors(answer any) (all []fact) {
	group := r.jobGroups[r.vars["jobId"]]
	if group == "" || r.born[r.vars["jobId"]] {
		return nil
	}
	place := at(r.institutionPlace(), "groups", group, "jobs", r.vars["jobId"], "errors")
	for _, row := range array(answer, "content") {
		line := strconv.Itoa(number(row, "lineNbr"))
		all = append(all, r.fact(at(place, line, "lineNbr"), member(row, "lineNbr")),
			r.fact(at(place, line, "errorMsg"), text(row, "errorMsg")))
	}
	return all
}

// alertPreference returns the facts about an alert preference, unless the service has created it in the capture.
func (r reading) alertPreference(row any) []fact {
	id := number(row, "alertPreferenceDetails", "alertPrefId")
	if id == 0 || r.born[strconv.Itoa(id)] {
		return nil
	}
	place := at(r.userPlace(), "alertPreferences", strconv.Itoa(id))
	details := at(place, "alertPreferenceDetails")
	all := []fact{r.fact(at(details, "alertPrefId"), member(row, "alertPreferenceDetails", "alertPrefId"))}
	for _, name := range []string{"alertTypeName", "channelTypeName", "externalId", "institutionCustomerId", "institutionId"} {
		if value := member(row, "alertPreferenceDetails", name); value != nil {
			all = append(all, r.fact(at(details, name), value))
		}
	}
	return append(all, r.members(place, row, "additionalInfo", "alertOpted", "alertPreferenceAccountDetails",
		"allowCallback", "defaultPreferences")[1:]...)
}

// words splits a list of scopes.
func words(list string) (all []any) {
	for _, word := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' }) {
		all = append(all, word)
	}
	return all
}

func asNumber(digits string) json.Number { return json.Number(digits) }

// switchValue returns the value of a switch as a scenario has it.
func switchValue(text string) any {
	if _, err := strconv.Atoi(text); err == nil {
		return json.Number(text)
	}
	return text
}

func slashed(key string) string { return strings.ReplaceAll(key, ".", "/") }

var _ = slices.Contains[[]string]
var _ sim.Code
