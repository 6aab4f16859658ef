package simtest

import (
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Paths of the interface, as the calls below use them. Those of e-statements end where the hostUserId goes.
var (
	GroupsPath      = contract.GroupsList.Path
	UpdateUserPath  = contract.EstatementsUpdateUser.Path + "?hostUserId="
	DisclosuresPath = strings.Replace(contract.EstatementsGetDisclosures.Path, "{accountId}", "acc-1001-checking", 1) + "?hostUserId="
)

// The first group of the scenario retail, and its job.
const (
	RetailGroup = "32fe657c-e73b-4592-af7c-3e39c308fd81"
	RetailJob   = "5b6cf1de-3a0e-4b57-8f0c-6d2f0e9a4c11"
)

// MultipartType is the content type of [Multipart].
const MultipartType = "multipart/form-data; boundary=part"

// Multipart returns the body of an upload of participants.
func Multipart(kind, file string) string {
	return "--part\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\n" + kind +
		"\r\n--part\r\nContent-Disposition: form-data; name=\"fileName\"; filename=\"participants.csv\"\r\n" +
		"Content-Type: text/csv\r\n\r\n" + file + "\r\n--part--\r\n"
}

// Basic credentials of clients.
const (
	BasicDemo   = "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ="     // demo-app:demo-secret
	BasicSecond = "Basic c2Vjb25kLWFwcDpzZWNvbmQtc2VjcmV0" // second-app:second-secret, of another institution
	BasicWrong  = "Basic ZGVtby1hcHA6d3Jvbmc="             // demo-app:wrong
)

// Headers that operations of a family take.
var (
	demoToken          = "authorization: Bearer demo-token"
	acceptJSON         = "accept: application/json"
	groupHeaders       = []string{"transactionId: t-1", acceptJSON}
	tokenHeaders       = []string{"authorization: " + BasicDemo, "institutionId: 02688", "transactionId: t-1"}
	codeHeaders        = append([]string{demoToken, tokenHeaders[1]}, disclosureHeaders[1:]...)
	estatementHeaders  = []string{demoToken, "correlationid: c-1", acceptJSON}
	institutionHeaders = []string{demoToken, "fiid: 02688", "transactionid: t-1", acceptJSON}
	alertHeaders       = append([]string{"userid: 1001"}, institutionHeaders...)
	disclosureHeaders  = []string{demoToken, "transactionId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11", acceptJSON}
)

// Calls has a call of each operation by its name, as the interface document shows it. Each succeeds once in the scenario
// retail, whichever came before.
var Calls = map[string]Call{}

// newCall returns a call of an operation, with a query, on rows of the scenario retail.
func newCall(op *contract.Operation, query, body string, headers []string) Call {
	group, preference := RetailGroup, "1"
	if op.Method == http.MethodDelete { // the other calls find their rows after it, too
		group, preference = "2ebfa98d-cc32-40f7-bdb6-7ffc0105f73a", "2"
	}
	path := strings.NewReplacer("{groupId}", group, "{jobId}", RetailJob, "{alertPreferenceId}", preference,
		"{accountId}", "acc-1001-checking", "{institutionUserId}", "1001").Replace(op.Path)
	c := NewCall(op.Method, path+query, body, headers...)
	switch {
	case op.Multipart != nil:
		c = c.With("content-type", MultipartType)
	case op.FormOnly:
		c = c.WithForm(body)
	case body != "":
		c = c.With("content-type", "application/json")
	}
	Calls[op.Name] = c
	return c
}

// The calls by the names that tests use.
var (
	GetDisclosures = newCall(contract.EstatementsGetDisclosures, "?hostUserId=1001", "", estatementHeaders)
	UpdateAccount  = newCall(contract.EstatementsUpdateAccount, "?hostUserId=1001",
		`{"activateEstatement":true,"accountId":"acc-1001-checking"}`, estatementHeaders)
	UpdateUser = newCall(contract.EstatementsUpdateUser, "?hostUserId=1001", `{"activateEstatement":true}`, estatementHeaders)

	IssueTokens  = newCall(contract.TokensIssue, "", `{"grant_type":"password","username":"avery","password":"demo"}`, tokenHeaders)
	RevokeTokens = newCall(contract.TokensRevoke, "", `{"refresh_token":"demo-refresh"}`, tokenHeaders)

	AuthorizeClient = newCall(contract.TokensAuthorizeClient, "", "client_id=partner-app", codeHeaders)
	CreateCode      = newCall(contract.TokensCreateCode, "", "client_id=partner-app&scopes=accounts:read&username=avery"+
		"&institution_user_id=E013E3BD0440D18C8638BBB61BED7FF7", codeHeaders)

	ListGroups  = newCall(contract.GroupsList, "", "", groupHeaders)
	CreateGroup = newCall(contract.GroupsCreate, "",
		`{"groupName":"Night owls","groupDescription":"They bank after midnight"}`, groupHeaders)
	UpdateGroup = newCall(contract.GroupsUpdate, "",
		`{"groupName":"Late adopters","groupDescription":"They wait and see"}`, groupHeaders)
	DeleteGroup        = newCall(contract.GroupsDelete, "", "", groupHeaders)
	UploadParticipants = newCall(contract.GroupsUploadParticipants, "", Multipart("ADD", "ParticipantId\r\n1001\r\n1002"), groupHeaders)
	ListJobs           = newCall(contract.JobsList, "", "", groupHeaders)
	GetJob             = newCall(contract.JobsGet, "", "", groupHeaders)
	ListJobErrors      = newCall(contract.JobsListErrors, "", "", groupHeaders)

	CreateAlert = newCall(contract.AlertsCreatePreference, "",
		`{"additionalInfo":{},"alertOpted":true,"alertPreferenceDetails":{"channelTypeName":"EMAIL"}}`, alertHeaders)
	ListAlerts  = newCall(contract.AlertsListPreferences, "", "", alertHeaders)
	GetAlert    = newCall(contract.AlertsGetPreference, "", "", alertHeaders)
	UpdateAlert = newCall(contract.AlertsUpdatePreference, "",
		`{"alertOpted":false,"alertPreferenceDetails":{"channelTypeName":"SMS"}}`, alertHeaders)
	DeleteAlert       = newCall(contract.AlertsDeletePreference, "", "", alertHeaders)
	ListAlertTypes    = newCall(contract.AlertsListInstitutionTypes, "", "", institutionHeaders)
	ListAlertDefaults = newCall(contract.AlertsListInstitutionPreferences, "", "", institutionHeaders)

	GetUserStatus    = newCall(contract.UsersGetStatus, "?userIdType=HOST_USER_ID", "", disclosureHeaders)
	ListDisclosures  = newCall(contract.DisclosuresListUser, "?hostUserId=1001", "", disclosureHeaders)
	CreateDisclosure = newCall(contract.DisclosuresCreateUser, "?hostUserId=1001",
		`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED","paperWaiver":true}`, disclosureHeaders)
	UpdateDisclosure = newCall(contract.DisclosuresUpdateUser, "?hostUserId=2001",
		`{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"NOT_ACCEPTED"}`,
		append([]string{"authorization: Bearer second-token"}, disclosureHeaders[1:]...))
	ListCustomDisclosures = newCall(contract.DisclosuresListInstitution, "", "", disclosureHeaders)
	DeleteDisclosure      = newCall(contract.DisclosuresDeleteUser, "?hostUserId=1001&accountType=SAVINGS",
		`{"institutionDisclosureName":"OLS","accountId":"acc-1001-savings"}`, disclosureHeaders)
)
