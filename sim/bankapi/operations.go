package bankapi

import (
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// operation is the function that carries out an operation of the contract, in either dialect, and the evidence of its
// answers. The entries that all of its answers cite are in the contract.
type operation struct {
	handle   func(*call) (answer, error)
	evidence []condition
}

// operations has an entry for each operation of the contract.
var operations = map[*contract.Operation]operation{
	contract.EstatementsGetDisclosures: {getDisclosures, cites(estatementEvidence, disclosureEvidence)},
	contract.EstatementsUpdateAccount:  {updateAccount, cites(estatementEvidence, memberEvidence, preferenceEvidence)},
	contract.EstatementsUpdateUser:     {updateUser, cites(estatementEvidence, memberEvidence, preferenceEvidence)},

	contract.TokensIssue:           {issueTokens, cites(memberEvidence, issueEvidence)},
	contract.TokensRevoke:          {revokeToken, cites(memberEvidence, revokeEvidence)},
	contract.TokensAuthorizeClient: {authorizeClient, cites(memberEvidence)},
	contract.TokensCreateCode:      {createCode, cites(memberEvidence)},

	contract.GroupsCreate: {inGroups(createGroup),
		cites(groupEvidence, memberEvidence, createGroupEvidence)},
	contract.GroupsList: {inGroups(listGroups), cites(groupEvidence, listGroupsEvidence)},
	contract.GroupsUpdate: {inGroups(updateGroup),
		cites(groupEvidence, memberEvidence, updateGroupEvidence)},
	contract.GroupsDelete:             {inGroups(deleteGroup), cites(groupEvidence)},
	contract.GroupsUploadParticipants: {inGroups(uploadParticipants), cites(groupEvidence, uploadEvidence)},
	contract.JobsList:                 {inGroups(listJobs), cites(groupEvidence, listJobsEvidence)},
	contract.JobsGet:                  {inGroups(getJob), cites(groupEvidence)},
	contract.JobsListErrors:           {inGroups(listJobErrors), cites(groupEvidence, listJobErrorsEvidence)},

	contract.AlertsCreatePreference: {createAlertPreference,
		cites(alertEvidence, userAlertEvidence, memberEvidence, createAlertEvidence, alertContentEvidence)},
	contract.AlertsListPreferences: {listAlertPreferences, cites(alertEvidence, userAlertEvidence, listAlertsEvidence)},
	contract.AlertsGetPreference:   {getAlertPreference, cites(alertEvidence, userAlertEvidence)},
	contract.AlertsUpdatePreference: {updateAlertPreference,
		cites(alertEvidence, userAlertEvidence, memberEvidence, alertContentEvidence)},
	contract.AlertsDeletePreference: {deleteAlertPreference, cites(alertEvidence, userAlertEvidence)},
	contract.AlertsListInstitutionTypes: {listInstitutionAlertTypes,
		cites(alertEvidence, institutionAlertEvidence)},
	contract.AlertsListInstitutionPreferences: {listInstitutionAlertPreferences,
		cites(alertEvidence, institutionAlertEvidence)},

	contract.DisclosuresListUser: {listUserDisclosures, cites(businessUserEvidence, customDisclosureEvidence)},
	contract.DisclosuresCreateUser: {createUserDisclosure,
		cites(businessUserEvidence, memberEvidence, customDisclosureEvidence)},
	contract.DisclosuresUpdateUser: {updateUserDisclosure,
		cites(businessUserEvidence, memberEvidence, customDisclosureEvidence)},
	contract.DisclosuresDeleteUser:      {deleteUserDisclosure, cites(businessUserEvidence, memberEvidence)},
	contract.DisclosuresListInstitution: {listInstitutionDisclosures, cites()},

	contract.UsersGetStatus: {getUserStatus, cites(userStatusEvidence)},
}

// cites joins the evidence of a family and of an operation.
func cites(evidence ...[]condition) []condition { return slices.Concat(evidence...) }

// endpoint is an operation in one dialect.
type endpoint struct {
	operation
	op            *contract.Operation
	uses          []string // the ids of the entries that every answer of the operation cites
	singleHeaders []string // see readHeaders
	parameters    []string // the names of its query parameters
	members       []string // the names of the members of its body
}

// endpoints returns the endpoints of all operations in both dialects.
var endpoints = sync.OnceValue(func() map[*contract.Operation]*endpoint {
	all := map[*contract.Operation]*endpoint{}
	for declared, own := range operations {
		for _, i := range contract.Interfaces() {
			op := i.Operation(declared.Name)
			served := &endpoint{
				operation: own, op: op, uses: ids(op.Uses),
				singleHeaders: readHeaders(op), parameters: op.ParameterNames("query"),
			}
			if op.Request != nil {
				served.members = op.Request.Names()
			}
			all[op] = served
		}
	}
	return all
})
