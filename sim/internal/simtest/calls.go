package simtest

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Paths of the interface, as the calls below use them. Those of e-statements end where the hostUserId goes.
var (
	GroupsPath        = contract.GroupsList.Path
	TokenPath         = contract.TokensIssue.Path
	RevokePath        = contract.TokensRevoke.Path
	AlertsPath        = contract.AlertsCreatePreference.Path
	UpdateAccountPath = contract.EstatementsUpdateAccount.Path + "?hostUserId="
	UpdateUserPath    = contract.EstatementsUpdateUser.Path + "?hostUserId="
	DisclosuresPath   = strings.Replace(contract.EstatementsGetDisclosures.Path, "{accountId}", "acc-1001-checking", 1) + "?hostUserId="
)

const aUUID = "transactionId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11"

// The first group of the scenario retail, its job, and the second group.
const (
	RetailGroup  = "32fe657c-e73b-4592-af7c-3e39c308fd81"
	RetailJob    = "5b6cf1de-3a0e-4b57-8f0c-6d2f0e9a4c11"
	anotherGroup = "2ebfa98d-cc32-40f7-bdb6-7ffc0105f73a"
)

func inGroup(op *contract.Operation, groupID string) string {
	return strings.Replace(op.Path, "{groupId}", groupID, 1)
}

func ofJob(op *contract.Operation) string { return strings.Replace(op.Path, "{jobId}", RetailJob, 1) }

// MultipartType is the content type of [Multipart].
const MultipartType = "multipart/form-data; boundary=part"

// Multipart returns the body of an upload of participants.
func Multipart(kind, file string) string {
	return "--part\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\n" + kind +
		"\r\n--part\r\nContent-Disposition: form-data; name=\"fileName\"; filename=\"participants.csv\"\r\nContent-Type: text/csv\r\n\r\n" + file +
		"\r\n--part--\r\n"
}

// Basic credentials of clients.
const (
	BasicDemo   = "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ="     // demo-app:demo-secret
	BasicSecond = "Basic c2Vjb25kLWFwcDpzZWNvbmQtc2VjcmV0" // second-app:second-secret, of another institution
	BasicWrong  = "Basic ZGVtby1hcHA6d3Jvbmc="             // demo-app:wrong
)

const (
	jsonType   = "content-type: application/json"
	acceptJSON = "accept: application/json"
	demoToken  = "authorization: Bearer demo-token"
	demoClient = "authorization: " + BasicDemo
)

// A call of each operation, as the interface document shows it, that succeeds once in the scenario retail, whichever came before.
var (
	GetDisclosures = NewCall(contract.EstatementsGetDisclosures.Method, DisclosuresPath+"1001", "", demoToken, "correlationid: c-1", acceptJSON)
	UpdateAccount  = NewCall(contract.EstatementsUpdateAccount.Method, UpdateAccountPath+"1001",
		`{"activateEstatement":true,"accountId":"acc-1001-checking"}`, demoToken, "correlationid: c-1", acceptJSON, jsonType)
	UpdateUser = NewCall(contract.EstatementsUpdateUser.Method, UpdateUserPath+"1001",
		`{"activateEstatement":true}`, demoToken, "correlationid: c-1", acceptJSON, jsonType)
	IssueTokens = NewCall(contract.TokensIssue.Method, TokenPath,
		`{"grant_type":"password","username":"avery","password":"demo"}`, demoClient, "institutionId: 02688", "transactionId: t-1", jsonType)
	RevokeTokens = NewCall(contract.TokensRevoke.Method, RevokePath,
		`{"refresh_token":"demo-refresh"}`, demoClient, "institutionId: 02688", "transactionId: t-1", jsonType)
	CreateGroup = NewCall(contract.GroupsCreate.Method, GroupsPath,
		`{"groupName":"Night owls","groupDescription":"They bank after midnight"}`, "transactionId: t-1", acceptJSON, jsonType)
	ListGroups  = NewCall(contract.GroupsList.Method, GroupsPath, "", "transactionId: t-1", acceptJSON)
	UpdateGroup = NewCall(contract.GroupsUpdate.Method, inGroup(contract.GroupsUpdate, RetailGroup),
		`{"groupName":"Late adopters","groupDescription":"They wait and see"}`, "transactionId: t-1", acceptJSON, jsonType)
	DeleteGroup        = NewCall(contract.GroupsDelete.Method, inGroup(contract.GroupsDelete, anotherGroup), "", "transactionId: t-1", acceptJSON)
	UploadParticipants = NewCall(contract.GroupsUploadParticipants.Method, inGroup(contract.GroupsUploadParticipants, RetailGroup),
		Multipart("ADD", "ParticipantId\r\n1001\r\n1002"), "transactionId: t-1", acceptJSON, "content-type: "+MultipartType)
	ListJobs      = NewCall(contract.JobsList.Method, contract.JobsList.Path, "", "transactionId: t-1", acceptJSON)
	GetJob        = NewCall(contract.JobsGet.Method, ofJob(contract.JobsGet), "", "transactionId: t-1", acceptJSON)
	ListJobErrors = NewCall(contract.JobsListErrors.Method, ofJob(contract.JobsListErrors), "", "transactionId: t-1", acceptJSON)
	CreateAlert   = NewCall(contract.AlertsCreatePreference.Method, AlertsPath,
		`{"additionalInfo":{},"alertOpted":true,"alertPreferenceDetails":{"channelTypeName":"EMAIL"}}`,
		demoToken, "fiid: 02688", "transactionid: t-1", "userid: 1001", acceptJSON, jsonType)
	ListAlerts  = NewCall(contract.AlertsListPreferences.Method, AlertsPath, "", demoToken, "fiid: 02688", "transactionid: t-1", "userid: 1001", acceptJSON)
	GetAlert    = NewCall(contract.AlertsGetPreference.Method, AlertsPath+"/1", "", demoToken, "fiid: 02688", "transactionid: t-1", "userid: 1001", acceptJSON)
	UpdateAlert = NewCall(contract.AlertsUpdatePreference.Method, AlertsPath+"/1",
		`{"alertOpted":false,"alertPreferenceDetails":{"channelTypeName":"SMS"}}`,
		demoToken, "fiid: 02688", "transactionid: t-1", "userid: 1001", acceptJSON, jsonType)
	ListDisclosures  = NewCall(contract.DisclosuresListUser.Method, contract.DisclosuresListUser.Path+"?hostUserId=1001", "", demoToken, aUUID, acceptJSON)
	CreateDisclosure = NewCall(contract.DisclosuresCreateUser.Method, contract.DisclosuresCreateUser.Path+"?hostUserId=1001",
		`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED","paperWaiver":true}`, demoToken, aUUID, acceptJSON, jsonType)
	UpdateDisclosure = NewCall(contract.DisclosuresUpdateUser.Method, contract.DisclosuresUpdateUser.Path+"?hostUserId=2001",
		`{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"NOT_ACCEPTED"}`, "authorization: Bearer second-token", aUUID, acceptJSON, jsonType)
	DeleteDisclosure = NewCall(contract.DisclosuresDeleteUser.Method, contract.DisclosuresDeleteUser.Path+"?hostUserId=1001&accountType=SAVINGS",
		`{"institutionDisclosureName":"OLS","accountId":"acc-1001-savings"}`, demoToken, aUUID, acceptJSON, jsonType)
	DeleteAlert = NewCall(contract.AlertsDeletePreference.Method, AlertsPath+"/2", "", demoToken, "fiid: 02688", "transactionid: t-1", "userid: 1001", acceptJSON)
)

// Calls are those calls, by the name of the operation.
var Calls = map[string]Call{
	contract.EstatementsGetDisclosures.Name: GetDisclosures,
	contract.EstatementsUpdateAccount.Name:  UpdateAccount,
	contract.EstatementsUpdateUser.Name:     UpdateUser,
	contract.TokensIssue.Name:               IssueTokens,
	contract.TokensRevoke.Name:              RevokeTokens,
	contract.GroupsCreate.Name:              CreateGroup,
	contract.GroupsList.Name:                ListGroups,
	contract.GroupsUpdate.Name:              UpdateGroup,
	contract.GroupsDelete.Name:              DeleteGroup,
	contract.GroupsUploadParticipants.Name:  UploadParticipants,
	contract.JobsList.Name:                  ListJobs,
	contract.JobsGet.Name:                   GetJob,
	contract.JobsListErrors.Name:            ListJobErrors,
	contract.AlertsCreatePreference.Name:    CreateAlert,
	contract.AlertsListPreferences.Name:     ListAlerts,
	contract.AlertsGetPreference.Name:       GetAlert,
	contract.AlertsUpdatePreference.Name:    UpdateAlert,
	contract.AlertsDeletePreference.Name:    DeleteAlert,
	contract.DisclosuresListUser.Name:       ListDisclosures,
	contract.DisclosuresCreateUser.Name:     CreateDisclosure,
	contract.DisclosuresUpdateUser.Name:     UpdateDisclosure,
	contract.DisclosuresDeleteUser.Name:     DeleteDisclosure,
}
