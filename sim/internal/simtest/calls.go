package simtest

import "net/http"

// Paths of the interface. Those of e-statements end where the hostUserId goes.
const (
	GroupsPath        = "/digitalbanking/groups/v3/groups"
	TokenPath         = "/digitalbanking/oauth2/v1/token"
	RevokePath        = "/digitalbanking/oauth2/v1/revoke"
	AlertsPath        = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
	UpdateAccountPath = "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId="
	UpdateUserPath    = "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId="
	DisclosuresPath   = "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId="
)

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
)

// A call of each operation, as the interface document shows it, that succeeds once in the scenario retail.
var (
	GetDisclosures = NewCall(http.MethodGet, DisclosuresPath+"1001", "", demoToken, "correlationid: c-1", acceptJSON)
	UpdateAccount  = NewCall(http.MethodPut, UpdateAccountPath+"1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`,
		demoToken, "correlationid: c-1", acceptJSON, jsonType)
	UpdateUser  = NewCall(http.MethodPut, UpdateUserPath+"1001", `{"activateEstatement":true}`, demoToken, "correlationid: c-1", acceptJSON, jsonType)
	IssueTokens = NewCall(http.MethodPost, TokenPath, `{"grant_type":"password","username":"avery","password":"demo"}`,
		"authorization: "+BasicDemo, "institutionId: 02688", "transactionId: t-1", jsonType)
	RevokeTokens = NewCall(http.MethodDelete, RevokePath, `{"refresh_token":"demo-refresh"}`,
		"authorization: "+BasicDemo, "institutionId: 02688", "transactionId: t-1", jsonType)
	CreateGroup = NewCall(http.MethodPost, GroupsPath, `{"groupName":"Night owls","groupDescription":"They bank after midnight"}`,
		"transactionId: t-1", acceptJSON, jsonType)
	ListGroups  = NewCall(http.MethodGet, GroupsPath, "", "transactionId: t-1", acceptJSON)
	CreateAlert = NewCall(http.MethodPost, AlertsPath, `{"additionalInfo":{},"alertOpted":true,"alertPreferenceDetails":{"channelTypeName":"EMAIL"}}`,
		demoToken, "fiid: 02688", "transactionid: t-1", "userid: 1001", acceptJSON, jsonType)
)

// Calls are those calls, by the name of the operation.
var Calls = map[string]Call{
	"estatements.getDisclosures": GetDisclosures, "estatements.updateAccount": UpdateAccount, "estatements.updateUser": UpdateUser,
	"tokens.issue": IssueTokens, "tokens.revoke": RevokeTokens, "groups.create": CreateGroup, "groups.list": ListGroups,
	"alerts.createPreference": CreateAlert,
}
