package bankapi

import (
	"slices"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// operation is what carries out an operation of the contract in either dialect, and the evidence of its answers: what
// they rest on besides the entries that every answer of the operation rests on.
type operation struct {
	handle   func(*call) (answer, error)
	evidence []condition
}

// operations are all of them.
var operations = map[*contract.Operation]operation{
	contract.EstatementsGetDisclosures: {getDisclosures, disclosureEvidence},
	contract.EstatementsUpdateAccount:  {updateAccount, preferenceEvidence},
	contract.EstatementsUpdateUser:     {updateUser, preferenceEvidence},

	contract.TokensIssue:           {issueTokens, issueEvidence},
	contract.TokensRevoke:          {revokeToken, revokeEvidence},
	contract.TokensAuthorizeClient: {authorizeClient, nil},
	contract.TokensCreateCode:      {createCode, nil},

	contract.GroupsCreate:             {createGroup, slices.Concat(groupEvidence, createGroupEvidence)},
	contract.GroupsList:               {listGroups, slices.Concat(groupEvidence, listGroupsEvidence)},
	contract.GroupsUpdate:             {updateGroup, slices.Concat(groupEvidence, updateGroupEvidence)},
	contract.GroupsDelete:             {deleteGroup, groupEvidence},
	contract.GroupsUploadParticipants: {uploadParticipants, slices.Concat(groupEvidence, uploadEvidence)},
	contract.JobsList:                 {listJobs, slices.Concat(groupEvidence, listJobsEvidence)},
	contract.JobsGet:                  {getJob, groupEvidence},
	contract.JobsListErrors:           {listJobErrors, slices.Concat(groupEvidence, listJobErrorsEvidence)},

	contract.AlertsCreatePreference:           {createAlertPreference, slices.Concat(userAlertEvidence, createAlertEvidence, alertContentEvidence)},
	contract.AlertsListPreferences:            {listAlertPreferences, slices.Concat(userAlertEvidence, listAlertsEvidence)},
	contract.AlertsGetPreference:              {getAlertPreference, userAlertEvidence},
	contract.AlertsUpdatePreference:           {updateAlertPreference, slices.Concat(userAlertEvidence, alertContentEvidence)},
	contract.AlertsDeletePreference:           {deleteAlertPreference, userAlertEvidence},
	contract.AlertsListInstitutionTypes:       {listInstitutionAlertTypes, institutionAlertEvidence},
	contract.AlertsListInstitutionPreferences: {listInstitutionAlertPreferences, institutionAlertEvidence},

	contract.DisclosuresListUser:        {listUserDisclosures, userDisclosureEvidence},
	contract.DisclosuresCreateUser:      {createUserDisclosure, userDisclosureEvidence},
	contract.DisclosuresUpdateUser:      {updateUserDisclosure, userDisclosureEvidence},
	contract.DisclosuresDeleteUser:      {deleteUserDisclosure, businessUserEvidence},
	contract.DisclosuresListInstitution: {listInstitutionDisclosures, nil},

	contract.UsersGetStatus: {getUserStatus, userStatusEvidence},
}

// endpoint is an operation in one dialect.
type endpoint struct {
	operation
	op            *contract.Operation
	uses          []string // the ids of the entries that every answer of the operation rests on
	singleHeaders []string // see readHeaders
}

// endpoints returns the endpoints of all operations in both dialects.
var endpoints = sync.OnceValue(func() map[*contract.Operation]*endpoint {
	all := map[*contract.Operation]*endpoint{}
	for declared, own := range operations {
		for _, i := range contract.Interfaces() {
			op := i.Operation(declared.Name)
			all[op] = &endpoint{operation: own, op: op, uses: ids(op.Uses), singleHeaders: readHeaders(op)}
		}
	}
	return all
})
