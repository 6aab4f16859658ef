package server_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attempt is a request to the simulated interface.
type attempt struct {
	method, path, body string
	headers            []string
}

func (a attempt) send(b *bank) answer {
	b.t.Helper()
	return b.service(a.method, a.path, a.body, a.headers...)
}

// without returns the attempt less a header.
func (a attempt) without(name string) attempt {
	a.headers = slices.DeleteFunc(slices.Clone(a.headers), func(h string) bool {
		n, _, _ := strings.Cut(h, ": ")
		return strings.EqualFold(n, name)
	})
	return a
}

// with returns the attempt with a header replaced.
func (a attempt) with(name, value string) attempt {
	a = a.without(name)
	a.headers = append(a.headers, name+": "+value)
	return a
}

func (a attempt) saying(body string) attempt {
	a.body = body
	return a
}

func (a attempt) at(path string) attempt {
	a.path = path
	return a
}

const (
	basicDemo   = "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ="     // demo-app:demo-secret
	basicSecond = "Basic c2Vjb25kLWFwcDpzZWNvbmQtc2VjcmV0" // second-app:second-secret
	basicWrong  = "Basic ZGVtby1hcHA6d3Jvbmc="             // demo-app:wrong
	jsonType    = "content-type: application/json"
	groupsURL   = "/digitalbanking/groups/v3/groups"
	tokenURL    = "/digitalbanking/oauth2/v1/token"
	revokeURL   = "/digitalbanking/oauth2/v1/revoke"
	alertsURL   = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
	eachURL     = "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId="
	allURL      = "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId="
	checkingURL = "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId="
)

// The eight operations, each as the interface document shows it.
var (
	getDisclosures = attempt{http.MethodGet, checkingURL + "1001", "",
		[]string{"authorization: Bearer demo-token", "correlationid: c-1", "accept: application/json"}}
	updateAccount = attempt{http.MethodPut, eachURL + "1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`,
		[]string{"authorization: Bearer demo-token", "correlationid: c-1", "accept: application/json", jsonType}}
	updateUser = attempt{http.MethodPut, allURL + "1001", `{"activateEstatement":true}`,
		[]string{"authorization: Bearer demo-token", "correlationid: c-1", "accept: application/json", jsonType}}
	issueTokens = attempt{http.MethodPost, tokenURL, `{"grant_type":"password","username":"avery","password":"demo"}`,
		[]string{"authorization: " + basicDemo, "institutionId: 02688", "transactionId: t-1", jsonType}}
	revokeToken = attempt{http.MethodDelete, revokeURL, `{"refresh_token":"demo-refresh"}`,
		[]string{"authorization: " + basicDemo, "institutionId: 02688", "transactionId: t-1", jsonType}}
	createGroup = attempt{http.MethodPost, groupsURL, `{"groupName":"Night owls","groupDescription":"They bank after midnight"}`,
		[]string{"transactionId: t-1", "accept: application/json", jsonType}}
	listGroups  = attempt{http.MethodGet, groupsURL, "", []string{"transactionId: t-1", "accept: application/json"}}
	createAlert = attempt{http.MethodPost, alertsURL, `{"additionalInfo":{},"alertOpted":true,"alertPreferenceDetails":{"channelTypeName":"EMAIL"}}`,
		[]string{"authorization: Bearer demo-token", "fiid: 02688", "transactionid: t-1", "userid: 1001", "accept: application/json", jsonType}}
)

func TestDocumentedRequestsSucceed(t *testing.T) {
	for name, test := range map[string]struct {
		attempt
		status int
	}{
		"estatements.getDisclosures": {getDisclosures, 200}, "estatements.updateAccount": {updateAccount, 200},
		"estatements.updateUser": {updateUser, 204}, "tokens.issue": {issueTokens, 200}, "tokens.revoke": {revokeToken, 200},
		"groups.create": {createGroup, 200}, "groups.list": {listGroups, 200}, "alerts.createPreference": {createAlert, 201},
	} {
		t.Run(name, func(t *testing.T) {
			res := test.send(startBank(t, frozenRetail))
			assert.Equal(t, test.status, res.StatusCode, res.body)
		})
	}
}

// refusal is a wrong request and the status and code that it is refused with.
type refusal struct {
	attempt
	status int
	code   string
}

// bodyRefusals returns what every operation that takes JSON refuses, and the code that a malformed body gets.
func bodyRefusals(valid attempt, firstMember, malformed string) map[string]refusal {
	duplicate := strings.Replace(valid.body, "{", "{"+firstMember+",", 1)
	return map[string]refusal{
		"no body":                  {valid.saying(""), 400, malformed},
		"not JSON":                 {valid.saying("{"), 400, malformed},
		"an array":                 {valid.saying("[]"), 400, malformed},
		"null":                     {valid.saying("null"), 400, malformed},
		"a string":                 {valid.saying(`"x"`), 400, malformed},
		"trailing data":            {valid.saying(valid.body + "{}"), 400, malformed},
		"duplicate member":         {valid.saying(duplicate), 400, malformed},
		"duplicate unknown member": {valid.saying(strings.Replace(valid.body, "{", `{"x":1,"x":1,`, 1)), 400, malformed},
		"invalid UTF-8":            {valid.saying("{\"x\":\"\xff\"," + valid.body[1:]), 400, malformed},
		"65 levels":                {valid.saying(`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "," + valid.body[1:]), 400, malformed},
		"2 MiB":                    {valid.saying(`{"x":"` + strings.Repeat("x", 2<<20) + `",` + valid.body[1:]), 413, "BANKSIM_BODY_TOO_LARGE"},
		"another content type":     {valid.with("content-type", "text/plain"), 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE"},
		"no content type":          {valid.without("content-type"), 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE"},
		"another charset":          {valid.with("content-type", "application/json; charset=utf-16"), 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE"},
		"another method":           {attempt{http.MethodPatch, valid.path, valid.body, valid.headers}, 405, "BANKSIM_METHOD_NOT_ALLOWED"},
	}
}

// with adds further refusals to some.
func with(all map[string]refusal, more map[string]refusal) map[string]refusal {
	for name, r := range more {
		all[name] = r
	}
	return all
}

// bearerRefusals returns what every e-statement operation refuses. The path of the valid attempt ends in 1001.
func bearerRefusals(valid attempt) map[string]refusal {
	return map[string]refusal{
		"no credentials":     {valid.without("authorization"), 401, "UXESTMT_10001"},
		"unknown token":      {valid.with("authorization", "Bearer nope"), 401, "UXESTMT_10002"},
		"a refresh token":    {valid.with("authorization", "Bearer demo-refresh"), 401, "UXESTMT_10002"},
		"bare token":         {valid.with("authorization", "demo-token"), 401, "UXESTMT_10012"},
		"another scheme":     {valid.with("authorization", basicDemo), 401, "UXESTMT_10012"},
		"scheme alone":       {valid.with("authorization", "Bearer"), 401, "UXESTMT_10012"},
		"two tokens":         {valid.with("authorization", "Bearer demo-token, Bearer demo-token"), 401, "UXESTMT_10012"},
		"no correlationid":   {valid.without("correlationid"), 400, "UXESTMT_10007"},
		"no hostUserId":      {valid.at(strings.TrimSuffix(valid.path, "?hostUserId=1001")), 400, "UXESTMT_11010"},
		"empty hostUserId":   {valid.at(strings.TrimSuffix(valid.path, "1001")), 400, "UXESTMT_11010"},
		"two hostUserIds":    {valid.at(valid.path + "&hostUserId=1002"), 400, "UXESTMT_11010"},
		"unknown user":       {valid.at(valid.path[:len(valid.path)-4] + "7"), 404, "UXESTMT_88888"},
		"another's user":     {valid.at(valid.path[:len(valid.path)-4] + "2001"), 404, "UXESTMT_88888"},
		"other institution":  {valid.with("authorization", "Bearer second-token"), 404, "UXESTMT_88888"},
		"another user token": {valid.at(valid.path[:len(valid.path)-4]+"1004").with("authorization", "Bearer avery-token"), 403, "UXESTMT_10003"},
		"wrong everything":   {valid.at(valid.path[:len(valid.path)-4]).without("authorization").without("correlationid").saying("{"), 401, "UXESTMT_10001"},
	}
}

// clientRefusals returns what both token operations refuse, and how they refuse another institution's client.
func clientRefusals(valid attempt, otherInstitution int, otherCode string) map[string]refusal {
	return map[string]refusal{
		"no credentials":         {valid.without("authorization"), 401, "CMN_90004"},
		"wrong secret":           {valid.with("authorization", basicWrong), 401, "CMN_90004"},
		"not Basic":              {valid.with("authorization", "Bearer demo-token"), 401, "CMN_90004"},
		"not base64":             {valid.with("authorization", "Basic ***"), 401, "CMN_90004"},
		"other institution":      {valid.with("authorization", basicSecond), otherInstitution, otherCode},
		"unknown institution":    {valid.with("institutionId", "99999"), otherInstitution, otherCode},
		"no institutionId":       {valid.without("institutionId"), 400, "CMN_90005"},
		"not numeric":            {valid.with("institutionId", "2688x"), 400, "CMN_90005"},
		"no transactionId":       {valid.without("transactionId"), 400, "CMN_90008"},
		"credentials come first": {valid.without("authorization").without("institutionId").saying("{"), 401, "CMN_90004"},
		"headers come second":    {valid.without("transactionId").without("content-type").saying("{"), 400, "CMN_90008"},
	}
}

// Wrong input of every kind, for every operation: the status and the code are the documented ones, and the state
// afterwards is the state before.
func TestWrongInputChangesNothing(t *testing.T) {
	revocation := with(bodyRefusals(revokeToken, `"refresh_token":"x"`, "CMN_90011"), clientRefusals(revokeToken, 401, "CMN_90004"))
	for _, name := range []string{"another content type", "no content type", "another charset"} {
		revocation[name] = refusal{revocation[name].attempt, 400, "CMN_90010"} // its documented statuses
	}
	operations := map[string]map[string]refusal{
		"estatements.getDisclosures": with(bearerRefusals(getDisclosures), map[string]refusal{
			"empty credentials": {getDisclosures.with("authorization", ""), 401, "UXESTMT_10012"},
		}),
		"estatements.updateAccount": with(with(bodyRefusals(updateAccount, `"accountId":"x"`, "UXESTMT_11018"), bearerRefusals(updateAccount)), map[string]refusal{
			"no activateEstatement": {updateAccount.saying(`{"accountId":"acc-1001-checking"}`), 400, "UXESTMT_11010"},
			"no accountId":          {updateAccount.saying(`{"activateEstatement":true}`), 400, "UXESTMT_11010"},
			"null accountId":        {updateAccount.saying(`{"activateEstatement":true,"accountId":null}`), 400, "UXESTMT_11010"},
			"in another case":       {updateAccount.saying(`{"activateEstatement":true,"ACCOUNTID":"acc-1001-checking"}`), 400, "UXESTMT_11010"},
			"wrong type":            {updateAccount.saying(`{"activateEstatement":"true","accountId":"acc-1001-checking"}`), 400, "UXESTMT_11018"},
			"accountId a number":    {updateAccount.saying(`{"activateEstatement":true,"accountId":7}`), 400, "UXESTMT_11018"},
			"another's account":     {updateAccount.saying(`{"activateEstatement":true,"accountId":"acc-1004-checking"}`), 400, "UXESTMT_11012"},
			"not active":            {updateAccount.at(eachURL + "1002").saying(`{"activateEstatement":true,"accountId":"acc-1002-checking"}`), 400, "UXESTMT_88889"},
			"not accepted":          {updateAccount.at(eachURL + "1004").saying(`{"activateEstatement":true,"accountId":"acc-1004-savings"}`), 400, "UXESTMT_11013"},
			"no multistatement":     {updateAccount.at(eachURL+"2001").saying(`{"activateEstatement":true,"accountId":"acc-2001-checking"}`).with("authorization", "Bearer second-token"), 400, "UXESTMT_11021"},
		}),
		"estatements.updateUser": with(with(bodyRefusals(updateUser, `"activateEstatement":true`, "UXESTMT_11018"), bearerRefusals(updateUser)), map[string]refusal{
			"no activateEstatement": {updateUser.saying(`{}`), 400, "UXESTMT_11010"},
			"wrong type":            {updateUser.saying(`{"activateEstatement":1}`), 400, "UXESTMT_11018"},
			"not active":            {updateUser.at(allURL + "1002"), 400, "UXESTMT_88889"},
			"not accepted":          {updateUser.at(allURL + "1003"), 400, "UXESTMT_11013"},
			"no multistatement":     {updateUser.at(allURL+"2001").with("authorization", "Bearer second-token"), 400, "UXESTMT_11021"},
		}),
		"tokens.issue": with(with(bodyRefusals(issueTokens, `"grant_type":"password"`, "CMN_90011"), clientRefusals(issueTokens, 403, "CMN_90006")), map[string]refusal{
			"no grant_type":      {issueTokens.saying(`{}`), 400, "CMN_90007"},
			"unknown grant_type": {issueTokens.saying(`{"grant_type":"x"}`), 400, "CMN_90007"},
			"wrong type":         {issueTokens.saying(`{"grant_type":7}`), 400, "CMN_90011"},
			"no username":        {issueTokens.saying(`{"grant_type":"password","password":"demo"}`), 400, "CMN_90013"},
			"no password":        {issueTokens.saying(`{"grant_type":"password","username":"avery"}`), 400, "CMN_90014"},
			"wrong password":     {issueTokens.saying(`{"grant_type":"password","username":"avery","password":"x"}`), 401, "CMN_90015"},
			"unknown user":       {issueTokens.saying(`{"grant_type":"password","username":"x","password":"demo"}`), 401, "CMN_90015"},
			"unknown token":      {issueTokens.saying(`{"grant_type":"refresh_token","refresh_token":"x"}`), 400, "CMN_90016"},
			"form not UTF-8":     {issueTokens.with("content-type", "application/x-www-form-urlencoded").saying("grant_type=password&username=%FF&password=demo"), 400, "CMN_90011"},
			"form given twice":   {issueTokens.with("content-type", "application/x-www-form-urlencoded").saying("grant_type=password&grant_type=x"), 400, "CMN_90011"},
			"form malformed":     {issueTokens.with("content-type", "application/x-www-form-urlencoded").saying("grant_type=%zz"), 400, "CMN_90011"},
			"form too large":     {issueTokens.with("content-type", "application/x-www-form-urlencoded").saying("x=" + strings.Repeat("x", 2<<20)), 413, "BANKSIM_BODY_TOO_LARGE"},
		}),
		"tokens.revoke": with(revocation, map[string]refusal{
			"names nothing":    {revokeToken.saying(`{}`), 400, "CMN_90011"},
			"wrong type":       {revokeToken.saying(`{"refresh_token":7}`), 400, "CMN_90011"},
			"wrong password":   {revokeToken.saying(`{"grant_type":"password","username":"avery","password":"x"}`), 401, "CMN_90004"},
			"another client's": {revokeToken.saying(`{"token":"second-token"}`), 400, "CMN_90016"},
		}),
		"groups.create": with(bodyRefusals(createGroup, `"groupName":"x"`, "2000"), map[string]refusal{
			"no transactionId":    {createGroup.without("transactionId"), 400, "2000"},
			"unknown token":       {createGroup.with("authorization", "Bearer nope"), 401, "2003"},
			"malformed token":     {createGroup.with("authorization", "nope"), 401, "2003"},
			"unknown institution": {createGroup.with("institutionId", "7"), 400, "2000"},
			"no name":             {createGroup.saying(`{}`), 400, "2000"},
			"blank name":          {createGroup.saying(`{"groupName":" "}`), 400, "2000"},
			"wrong type":          {createGroup.saying(`{"groupName":7}`), 400, "2000"},
			"long name":           {createGroup.saying(`{"groupName":"` + strings.Repeat("x", 51) + `"}`), 400, "2000"},
			"long description":    {createGroup.saying(`{"groupName":"x","groupDescription":"` + strings.Repeat("x", 451) + `"}`), 400, "2000"},
			"taken name":          {createGroup.saying(`{"groupName":"Early adopters"}`), 400, "2004"},
		}),
		"groups.list": {
			"no transactionId":      {listGroups.without("transactionId"), 400, "2000"},
			"unknown token":         {listGroups.with("authorization", "Bearer nope"), 401, "2003"},
			"unknown sort property": {listGroups.at(groupsURL + "?sort=x"), 500, "2001"},
		},
		"alerts.createPreference": with(bodyRefusals(createAlert, `"alertOpted":true`, "PRMSYS_10002"), map[string]refusal{
			"no credentials":        {createAlert.without("authorization"), 401, "CMN_90001"},
			"unknown token":         {createAlert.with("authorization", "nope"), 401, "CMN_90001"},
			"malformed credentials": {createAlert.with("authorization", "Basic x"), 401, "CMN_90001"},
			"no fiid":               {createAlert.without("fiid"), 400, "PRMVAL_10007"},
			"no transactionid":      {createAlert.without("transactionid"), 400, "PRMVAL_10007"},
			"no userid":             {createAlert.without("userid"), 400, "PRMVAL_10007"},
			"unknown fiid":          {createAlert.with("fiid", "7"), 400, "PRMVAL_10003"},
			"other institution":     {createAlert.with("fiid", "05523"), 400, "PRMVAL_10003"},
			"unknown userid":        {createAlert.with("userid", "7"), 400, "PRMVAL_10004"},
			"wrong type":            {createAlert.saying(`{"alertOpted":"yes"}`), 400, "PRMSYS_10002"},
			"wrong nested type":     {createAlert.saying(`{"alertPreferenceDetails":{"alertPrefId":"7"}}`), 400, "PRMSYS_10002"},
			"info not an object":    {createAlert.saying(`{"additionalInfo":[]}`), 400, "PRMSYS_10002"},
			"unknown channel":       {createAlert.saying(`{"alertPreferenceDetails":{"channelTypeName":"PIGEON"}}`), 400, "PRMVAL_10005"},
			"contradicting fiid":    {createAlert.saying(`{"alertPreferenceDetails":{"institutionId":"05523"}}`), 400, "PRMVAL_10003"},
			"contradicting userid":  {createAlert.saying(`{"alertPreferenceDetails":{"institutionCustomerId":"1004"}}`), 400, "PRMVAL_10004"},
		}),
	}
	for operation, refusals := range operations {
		t.Run(operation, func(t *testing.T) {
			b := startBank(t, frozenRetail)
			before := b.state()
			for name, r := range refusals {
				t.Run(name, func(t *testing.T) {
					res := r.send(b)
					assert.Equal(t, r.status, res.StatusCode, res.body)
					assert.Equal(t, r.code, errorCode(t, res), res.body)
					assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
					assert.Equal(t, strconv.Itoa(len(res.body)), res.Header.Get("Content-Length"))
					assert.Equal(t, res.StatusCode == 401, res.Header.Get("WWW-Authenticate") != "", "a challenge comes with 401, and only there")
					assert.Equal(t, res.StatusCode == 405, res.Header.Get("Allow") != "")
					assert.Equal(t, before, b.state(), "nothing has changed")
				})
			}
		})
	}
}

// errorCode returns the code in an error body, whichever the family's shape.
func errorCode(t *testing.T, res answer) string {
	t.Helper()
	var body struct {
		Status        int    `json:"status"`
		Code          string `json:"code"`
		Message       string `json:"message"`
		StatusMessage string `json:"statusMessage"`
		ErrorInfo     struct {
			ErrorType    string `json:"errorType"`
			ErrorCode    string `json:"errorCode"`
			ErrorMessage string `json:"errorMessage"`
		} `json:"errorInfo"`
	}
	require.NoError(t, json.Unmarshal([]byte(res.body), &body, json.RejectUnknownMembers(true)), res.body)
	if body.ErrorInfo.ErrorCode != "" {
		assert.Equal(t, body.StatusMessage, body.ErrorInfo.ErrorMessage)
		assert.Equal(t, "USER_ERROR", body.ErrorInfo.ErrorType)
		assert.NotEmpty(t, body.StatusMessage)
		return body.ErrorInfo.ErrorCode
	}
	assert.NotEmpty(t, body.Message)
	if body.Status != 0 {
		assert.Equal(t, res.StatusCode, body.Status)
	}
	return body.Code
}
