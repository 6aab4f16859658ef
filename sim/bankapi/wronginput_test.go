package bankapi_test

import (
	"cmp"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func TestDocumentedRequestsSucceed(t *testing.T) {
	t.Parallel()
	other := map[string]int{"estatements.updateUser": http.StatusNoContent, "alerts.createPreference": http.StatusCreated,
		"alerts.deletePreference": http.StatusNoContent, "disclosures.createUser": http.StatusNoContent,
		"disclosures.updateUser": http.StatusNoContent, "disclosures.deleteUser": http.StatusNoContent}
	for operation, call := range simtest.Calls {
		res := call.Send(simtest.NewBank(t, simtest.FrozenRetail))
		assert.Equal(t, cmp.Or(other[operation], http.StatusOK), res.StatusCode, "%s: %s", operation, res.Body)
	}
}

// refusal is a wrong request and the status and code that it is refused with.
type refusal struct {
	simtest.Call
	status int
	code   string
}

// bodyRefusals returns what every operation that takes JSON refuses, and the code that a malformed body gets.
func bodyRefusals(valid simtest.Call, firstMember, malformed string) map[string]refusal {
	duplicate := strings.Replace(valid.Body, "{", "{"+firstMember+",", 1)
	return map[string]refusal{
		"no body":                  {valid.WithBody(""), 400, malformed},
		"not JSON":                 {valid.WithBody("{"), 400, malformed},
		"an array":                 {valid.WithBody("[]"), 400, malformed},
		"null":                     {valid.WithBody("null"), 400, malformed},
		"a string":                 {valid.WithBody(`"x"`), 400, malformed},
		"trailing data":            {valid.WithBody(valid.Body + "{}"), 400, malformed},
		"duplicate member":         {valid.WithBody(duplicate), 400, malformed},
		"duplicate unknown member": {valid.WithBody(strings.Replace(valid.Body, "{", `{"x":1,"x":1,`, 1)), 400, malformed},
		"invalid UTF-8":            {valid.WithBody("{\"x\":\"\xff\"," + valid.Body[1:]), 400, malformed},
		"65 levels":                {valid.WithBody(`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "," + valid.Body[1:]), 400, malformed},
		"2 MiB":                    {valid.WithBody(`{"x":"` + strings.Repeat("x", 2<<20) + `",` + valid.Body[1:]), 413, "BANKSIM_BODY_TOO_LARGE"},
		"another content type":     {valid.With("content-type", "text/plain"), 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE"},
		"no content type":          {valid.Without("content-type"), 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE"},
		"another charset":          {valid.With("content-type", "application/json; charset=utf-16"), 415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE"},
		"another method":           {valid.WithMethod(http.MethodPatch), 405, "BANKSIM_METHOD_NOT_ALLOWED"},
	}
}

// with adds further refusals to some.
func with(all, more map[string]refusal) map[string]refusal {
	maps.Copy(all, more)
	return all
}

// bearerRefusals returns what every e-statement operation refuses. The path of the valid call ends in 1001.
func bearerRefusals(valid simtest.Call) map[string]refusal {
	return map[string]refusal{
		"no credentials":     {valid.Without("authorization"), 401, "UXESTMT_10001"},
		"unknown token":      {valid.WithToken("nope"), 401, "UXESTMT_10002"},
		"a refresh token":    {valid.WithToken("demo-refresh"), 401, "UXESTMT_10002"},
		"bare token":         {valid.With("authorization", "demo-token"), 401, "UXESTMT_10012"},
		"another scheme":     {valid.With("authorization", simtest.BasicDemo), 401, "UXESTMT_10012"},
		"scheme alone":       {valid.With("authorization", "Bearer"), 401, "UXESTMT_10012"},
		"two tokens":         {valid.With("authorization", "Bearer demo-token, Bearer demo-token"), 401, "UXESTMT_10012"},
		"no correlationid":   {valid.Without("correlationid"), 400, "UXESTMT_10007"},
		"no hostUserId":      {valid.At(strings.TrimSuffix(valid.Path, "?hostUserId=1001")), 400, "UXESTMT_11010"},
		"empty hostUserId":   {valid.At(strings.TrimSuffix(valid.Path, "1001")), 400, "UXESTMT_11010"},
		"two hostUserIds":    {valid.At(valid.Path + "&hostUserId=1002"), 400, "UXESTMT_11010"},
		"unknown user":       {valid.At(valid.Path[:len(valid.Path)-4] + "7"), 404, "UXESTMT_88888"},
		"another's user":     {valid.At(valid.Path[:len(valid.Path)-4] + "2001"), 404, "UXESTMT_88888"},
		"other institution":  {valid.WithToken("second-token"), 404, "UXESTMT_88888"},
		"another user token": {valid.At(valid.Path[:len(valid.Path)-4] + "1004").WithToken("avery-token"), 403, "UXESTMT_10003"},
		"wrong everything":   {valid.At(valid.Path[:len(valid.Path)-4]).Without("authorization").Without("correlationid").WithBody("{"), 401, "UXESTMT_10001"},
	}
}

// clientRefusals returns what both token operations refuse, and how they refuse another institution's client.
func clientRefusals(valid simtest.Call, otherInstitution int, otherCode string) map[string]refusal {
	return map[string]refusal{
		"no credentials":         {valid.Without("authorization"), 401, "CMN_90004"},
		"wrong secret":           {valid.With("authorization", simtest.BasicWrong), 401, "CMN_90004"},
		"not Basic":              {valid.WithToken("demo-token"), 401, "CMN_90004"},
		"not base64":             {valid.With("authorization", "Basic ***"), 401, "CMN_90004"},
		"other institution":      {valid.With("authorization", simtest.BasicSecond), otherInstitution, otherCode},
		"unknown institution":    {valid.With("institutionId", "99999"), otherInstitution, otherCode},
		"no institutionId":       {valid.Without("institutionId"), 400, "CMN_90005"},
		"not numeric":            {valid.With("institutionId", "2688x"), 400, "CMN_90005"},
		"no transactionId":       {valid.Without("transactionId"), 400, "CMN_90008"},
		"credentials come first": {valid.Without("authorization").Without("institutionId").WithBody("{"), 401, "CMN_90004"},
		"headers come second":    {valid.Without("transactionId").Without("content-type").WithBody("{"), 400, "CMN_90008"},
	}
}

// Wrong input of every kind, for every operation, gets the documented status and error body, and changes nothing.
func TestWrongInputChangesNothing(t *testing.T) {
	t.Parallel()
	revocation := with(bodyRefusals(revokeTokens, `"refresh_token":"x"`, "CMN_90011"), clientRefusals(revokeTokens, 401, "CMN_90004"))
	for _, name := range []string{"another content type", "no content type", "another charset"} {
		revocation[name] = refusal{revocation[name].Call, 400, "CMN_90010"} // its documented statuses
	}
	operations := map[string]map[string]refusal{
		"estatements.getDisclosures": with(bearerRefusals(getDisclosures), map[string]refusal{
			"empty credentials": {getDisclosures.With("authorization", ""), 401, "UXESTMT_10012"},
		}),
		"estatements.updateAccount": with(with(bodyRefusals(updateAccount, `"accountId":"x"`, "UXESTMT_11018"), bearerRefusals(updateAccount)), map[string]refusal{
			"no activateEstatement": {updateAccount.WithBody(`{"accountId":"acc-1001-checking"}`), 400, "UXESTMT_11010"},
			"no accountId":          {updateAccount.WithBody(`{"activateEstatement":true}`), 400, "UXESTMT_11010"},
			"null accountId":        {updateAccount.WithBody(`{"activateEstatement":true,"accountId":null}`), 400, "UXESTMT_11010"},
			"in another case":       {updateAccount.WithBody(`{"activateEstatement":true,"ACCOUNTID":"acc-1001-checking"}`), 400, "UXESTMT_11010"},
			"wrong type":            {updateAccount.WithBody(`{"activateEstatement":"true","accountId":"acc-1001-checking"}`), 400, "UXESTMT_11018"},
			"accountId a number":    {updateAccount.WithBody(`{"activateEstatement":true,"accountId":7}`), 400, "UXESTMT_11018"},
			"another's account":     {updateAccount.WithBody(`{"activateEstatement":true,"accountId":"acc-1004-checking"}`), 400, "UXESTMT_11012"},
			"not active":            {updateAccount.At(simtest.UpdateAccountPath + "1002").WithBody(`{"activateEstatement":true,"accountId":"acc-1002-checking"}`), 400, "UXESTMT_88889"},
			"not accepted":          {updateAccount.At(simtest.UpdateAccountPath + "1004").WithBody(`{"activateEstatement":true,"accountId":"acc-1004-savings"}`), 400, "UXESTMT_11013"},
			"no multistatement":     {updateAccount.At(simtest.UpdateAccountPath + "2001").WithBody(`{"activateEstatement":true,"accountId":"acc-2001-checking"}`).WithToken("second-token"), 400, "UXESTMT_11021"},
		}),
		"estatements.updateUser": with(with(bodyRefusals(updateUser, `"activateEstatement":true`, "UXESTMT_11018"), bearerRefusals(updateUser)), map[string]refusal{
			"no activateEstatement": {updateUser.WithBody(`{}`), 400, "UXESTMT_11010"},
			"wrong type":            {updateUser.WithBody(`{"activateEstatement":1}`), 400, "UXESTMT_11018"},
			"not active":            {updateUser.At(simtest.UpdateUserPath + "1002"), 400, "UXESTMT_88889"},
			"not accepted":          {updateUser.At(simtest.UpdateUserPath + "1003"), 400, "UXESTMT_11013"},
			"no multistatement":     {updateUser.At(simtest.UpdateUserPath + "2001").WithToken("second-token"), 400, "UXESTMT_11021"},
		}),
		"tokens.issue": with(with(bodyRefusals(issueTokens, `"grant_type":"password"`, "CMN_90011"), clientRefusals(issueTokens, 403, "CMN_90006")), map[string]refusal{
			"no grant_type":      {issueTokens.WithBody(`{}`), 400, "CMN_90007"},
			"unknown grant_type": {issueTokens.WithBody(`{"grant_type":"x"}`), 400, "CMN_90007"},
			"wrong type":         {issueTokens.WithBody(`{"grant_type":7}`), 400, "CMN_90011"},
			"no username":        {issueTokens.WithBody(`{"grant_type":"password","password":"demo"}`), 400, "CMN_90013"},
			"no password":        {issueTokens.WithBody(`{"grant_type":"password","username":"avery"}`), 400, "CMN_90014"},
			"wrong password":     {issueTokens.WithBody(`{"grant_type":"password","username":"avery","password":"x"}`), 401, "CMN_90015"},
			"unknown user":       {issueTokens.WithBody(`{"grant_type":"password","username":"x","password":"demo"}`), 401, "CMN_90015"},
			"unknown token":      {issueTokens.WithBody(`{"grant_type":"refresh_token","refresh_token":"x"}`), 400, "CMN_90016"},
			"form not UTF-8":     {issueTokens.WithForm("grant_type=password&username=%FF&password=demo"), 400, "CMN_90011"},
			"form given twice":   {issueTokens.WithForm("grant_type=password&grant_type=x"), 400, "CMN_90011"},
			"form malformed":     {issueTokens.WithForm("grant_type=%zz"), 400, "CMN_90011"},
			"form too large":     {issueTokens.WithForm("x=" + strings.Repeat("x", 2<<20)), 413, "BANKSIM_BODY_TOO_LARGE"},
		}),
		"tokens.revoke": with(revocation, map[string]refusal{
			"names nothing":    {revokeTokens.WithBody(`{}`), 400, "CMN_90011"},
			"wrong type":       {revokeTokens.WithBody(`{"refresh_token":7}`), 400, "CMN_90011"},
			"wrong password":   {revokeTokens.WithBody(`{"grant_type":"password","username":"avery","password":"x"}`), 401, "CMN_90004"},
			"another client's": {revokeTokens.WithBody(`{"token":"second-token"}`), 400, "CMN_90016"},
		}),
		"groups.create": with(bodyRefusals(createGroup, `"groupName":"x"`, "2000"), map[string]refusal{
			"no transactionId":    {createGroup.Without("transactionId"), 400, "2000"},
			"unknown token":       {createGroup.WithToken("nope"), 401, "2003"},
			"malformed token":     {createGroup.With("authorization", "nope"), 401, "2003"},
			"unknown institution": {createGroup.With("institutionId", "7"), 400, "2000"},
			"no name":             {createGroup.WithBody(`{}`), 400, "2000"},
			"blank name":          {createGroup.WithBody(`{"groupName":" "}`), 400, "2000"},
			"wrong type":          {createGroup.WithBody(`{"groupName":7}`), 400, "2000"},
			"long name":           {createGroup.WithBody(`{"groupName":"` + strings.Repeat("x", 51) + `"}`), 400, "2000"},
			"long description":    {createGroup.WithBody(`{"groupName":"x","groupDescription":"` + strings.Repeat("x", 451) + `"}`), 400, "2000"},
			"taken name":          {createGroup.WithBody(`{"groupName":"Early adopters"}`), 400, "2004"},
		}),
		"groups.list": {
			"no transactionId":      {listGroups.Without("transactionId"), 400, "2000"},
			"unknown token":         {listGroups.WithToken("nope"), 401, "2003"},
			"unknown sort property": {listGroups.WithQuery("sort=x"), 500, "2001"},
		},
		"groups.update": with(bodyRefusals(simtest.UpdateGroup, `"groupName":"x"`, "2000"), map[string]refusal{
			"no transactionId":      {simtest.UpdateGroup.Without("transactionId"), 400, "2000"},
			"unknown token":         {simtest.UpdateGroup.WithToken("nope"), 401, "2003"},
			"no name":               {simtest.UpdateGroup.WithBody(`{}`), 400, "2000"},
			"blank name":            {simtest.UpdateGroup.WithBody(`{"groupName":" "}`), 400, "2000"},
			"wrong type":            {simtest.UpdateGroup.WithBody(`{"groupName":"x","groupType":7}`), 400, "2000"},
			"long name":             {simtest.UpdateGroup.WithBody(`{"groupName":"` + strings.Repeat("x", 51) + `"}`), 400, "2000"},
			"taken name":            {simtest.UpdateGroup.WithBody(`{"groupName":"Payroll deposit"}`), 400, "2004"},
			"unknown group":         {simtest.UpdateGroup.At(simtest.GroupsPath + "/00000000-0000-0000-0000-000000000000"), 400, "2000"},
			"another institution's": {simtest.UpdateGroup.WithToken("second-token"), 400, "2000"},
		}),
		"groups.delete": {
			"no transactionId":      {simtest.DeleteGroup.Without("transactionId"), 400, "2000"},
			"unknown token":         {simtest.DeleteGroup.WithToken("nope"), 401, "2003"},
			"unknown group":         {simtest.DeleteGroup.At(simtest.GroupsPath + "/00000000-0000-0000-0000-000000000000"), 400, "2000"},
			"another institution's": {simtest.DeleteGroup.WithToken("second-token"), 400, "2000"},
			"another method":        {simtest.DeleteGroup.WithMethod(http.MethodPatch), 405, "BANKSIM_METHOD_NOT_ALLOWED"},
		},
		"groups.uploadParticipants": {
			"no transactionId":      {simtest.UploadParticipants.Without("transactionId"), 400, "2000"},
			"unknown token":         {simtest.UploadParticipants.WithToken("nope"), 401, "2003"},
			"no body":               {simtest.UploadParticipants.WithBody(""), 400, "2000"},
			"no content type":       {simtest.UploadParticipants.Without("content-type"), 400, "2000"},
			"no boundary":           {simtest.UploadParticipants.With("content-type", "multipart/form-data"), 400, "2000"},
			"JSON":                  {simtest.UploadParticipants.WithBody(`{"type":"ADD"}`).With("content-type", "application/json"), 400, "2000"},
			"unknown type":          {simtest.UploadParticipants.WithBody(simtest.Multipart("MERGE", "ParticipantId\n1")), 400, "2000"},
			"empty file":            {simtest.UploadParticipants.WithBody(simtest.Multipart("ADD", " \r\n")), 400, "2000"},
			"many parts":            {simtest.UploadParticipants.WithBody(strings.Repeat("--part\r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n", 21) + "--part--"), 400, "2000"},
			"long filename":         {simtest.UploadParticipants.WithBody(strings.Replace(simtest.UploadParticipants.Body, "participants.csv", strings.Repeat("x", 256), 1)), 400, "2000"},
			"2 MiB":                 {simtest.UploadParticipants.WithBody(simtest.Multipart("ADD", strings.Repeat("x", 2<<20))), 413, "BANKSIM_BODY_TOO_LARGE"},
			"unknown group":         {simtest.UploadParticipants.At(simtest.GroupsPath + "/00000000-0000-0000-0000-000000000000/participants"), 400, "2000"},
			"another institution's": {simtest.UploadParticipants.WithToken("second-token"), 400, "2000"},
		},
		"jobs.list": {
			"no transactionId":      {listJobs.Without("transactionId"), 400, "2000"},
			"unknown token":         {listJobs.WithToken("nope"), 401, "2003"},
			"unknown sort property": {listJobs.WithQuery("sort=x"), 500, "2001"},
		},
		"jobs.get": {
			"no transactionId":      {getJob.Without("transactionId"), 400, "2000"},
			"unknown job":           {getJob.At(contract.JobsList.Path + "/00000000-0000-0000-0000-000000000000"), 400, "2000"},
			"another institution's": {getJob.WithToken("second-token"), 400, "2000"},
		},
		"alerts.listPreferences": {
			"no fiid":               {simtest.ListAlerts.Without("fiid"), 400, "PRMVAL_10007"},
			"unknown token":         {simtest.ListAlerts.WithToken("nope"), 401, "CMN_90001"},
			"pageNo not a number":   {simtest.ListAlerts.WithQuery("pageNo=x"), 400, "PRMVAL_10002"},
			"pageNo with a sign":    {simtest.ListAlerts.WithQuery("pageNo=-1"), 400, "PRMVAL_10002"},
			"pageSize too small":    {simtest.ListAlerts.WithQuery("pageSize=0"), 400, "PRMVAL_10002"},
			"pageSize too large":    {simtest.ListAlerts.WithQuery("pageSize=2147483648"), 400, "PRMVAL_10002"},
			"default not a truth":   {simtest.ListAlerts.WithQuery("default=yes"), 400, "PRMVAL_10002"},
			"accountId twice":       {simtest.ListAlerts.WithQuery("accountId=1").WithQuery("accountId=2"), 400, "PRMVAL_10002"},
			"another institution's": {simtest.ListAlerts.WithToken("second-token"), 400, "PRMVAL_10003"},
		},
		"alerts.getPreference": {
			"no userid":       {simtest.GetAlert.Without("userid"), 400, "PRMVAL_10007"},
			"unknown token":   {simtest.GetAlert.WithToken("nope"), 401, "CMN_90001"},
			"unknown id":      {simtest.GetAlert.At(simtest.AlertsPath + "/999"), 404, "PRMAPS_10007"},
			"malformed id":    {simtest.GetAlert.At(simtest.AlertsPath + "/x"), 400, "PRMVAL_10013"},
			"id out of range": {simtest.GetAlert.At(simtest.AlertsPath + "/9223372036854775808"), 400, "PRMVAL_10013"},
			"another user's":  {simtest.GetAlert.With("userid", "1004"), 404, "PRMAPS_10007"},
		},
		"alerts.updatePreference": with(bodyRefusals(simtest.UpdateAlert, `"alertOpted":true`, "PRMSYS_10002"), map[string]refusal{
			"no transactionid":       {simtest.UpdateAlert.Without("transactionid"), 400, "PRMVAL_10007"},
			"unknown id":             {simtest.UpdateAlert.At(simtest.AlertsPath + "/999"), 404, "PRMAPS_10007"},
			"another user's":         {simtest.UpdateAlert.With("userid", "1004"), 404, "PRMAPS_10007"},
			"another id in the body": {simtest.UpdateAlert.WithBody(`{"alertPreferenceDetails":{"alertPrefId":2}}`), 400, "PRMAPS_10008"},
			"wrong type":             {simtest.UpdateAlert.WithBody(`{"alertOpted":"x"}`), 400, "PRMSYS_10002"},
			"unknown channel":        {simtest.UpdateAlert.WithBody(`{"alertPreferenceDetails":{"channelTypeName":"FAX"}}`), 400, "PRMVAL_10005"},
			"malformed flag":         {simtest.UpdateAlert.WithQuery("allowCallback=1"), 400, "PRMVAL_10002"},
		}),
		"alerts.deletePreference": {
			"no fiid":        {simtest.DeleteAlert.Without("fiid"), 400, "PRMVAL_10007"},
			"unknown token":  {simtest.DeleteAlert.WithToken("nope"), 401, "CMN_90001"},
			"unknown id":     {simtest.DeleteAlert.At(simtest.AlertsPath + "/999"), 404, "PRMAPS_10007"},
			"malformed id":   {simtest.DeleteAlert.At(simtest.AlertsPath + "/1.0"), 400, "PRMVAL_10013"},
			"another user's": {simtest.DeleteAlert.With("userid", "1004"), 404, "PRMAPS_10007"},
		},
		"disclosures.listUser": {
			"no transactionId": {simtest.ListDisclosures.Without("transactionId"), 400, "DSC_12002"},
			"no UUID":          {simtest.ListDisclosures.With("transactionId", "t-1"), 400, "DSC_12003"},
			"no token":         {simtest.ListDisclosures.Without("authorization"), 401, "DSC_11001"},
			"unknown token":    {simtest.ListDisclosures.WithToken("nope"), 401, "DSC_11002"},
			"two users":        {simtest.ListDisclosures.WithQuery("loginId=avery"), 400, "DSC_10009"},
			"no user":          {simtest.ListDisclosures.At(contract.DisclosuresListUser.Path), 400, "DSC_10009"},
			"unknown user":     {simtest.ListDisclosures.WithToken("second-token"), 400, "DSC_13001"},
		},
		"disclosures.createUser": {
			"no body":        {simtest.CreateDisclosure.WithBody(""), 400, "DSC_12005"},
			"not JSON":       {simtest.CreateDisclosure.WithBody("{"), 400, "DSC_10002"},
			"no name":        {simtest.CreateDisclosure.WithBody(`{"institutionUserDisclosureStatus":"ACCEPTED"}`), 400, "DSC_12004"},
			"no status":      {simtest.CreateDisclosure.WithBody(`{"institutionDisclosureName":"OLS"}`), 400, "DSC_12004"},
			"enrolled":       {simtest.CreateDisclosure.WithBody(`{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"ENROLLED"}`), 400, "DSC_12004"},
			"no waiver":      {simtest.CreateDisclosure.WithBody(`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED"}`), 400, "DSC_12017"},
			"custom":         {simtest.CreateDisclosure.WithBody(`{"institutionDisclosureId":"7","institutionUserDisclosureStatus":"ACCEPTED"}`), 400, "DSC_12015"},
			"no accountType": {simtest.CreateDisclosure.WithBody(`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED","paperWaiver":true,"accountId":"acc-1001-checking"}`), 400, "DSC_12006"},
			"wrong time":     {simtest.CreateDisclosure.WithBody(`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED","institutionUserDisclosureStatusUpdateDateTime":"today"}`), 400, "DSC_12004"},
		},
		"disclosures.updateUser": {
			"OLS":        {simtest.UpdateDisclosure.WithBody(`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"ACCEPTED"}`), 501, "DSC_10003"},
			"not there":  {simtest.UpdateDisclosure.WithBody(`{"institutionDisclosureName":"IB","institutionUserDisclosureStatus":"ACCEPTED"}`), 400, "DSC_13001"},
			"wrong type": {simtest.UpdateDisclosure.WithBody(`{"institutionDisclosureName":7}`), 400, "DSC_12004"},
		},
		"disclosures.deleteUser": {
			"ESIGN":           {simtest.DeleteDisclosure.WithBody(`{"institutionDisclosureName":"ESIGN","accountId":"acc-1001-savings"}`), 501, "DSC_10003"},
			"no account":      {simtest.DeleteDisclosure.WithBody(`{"institutionDisclosureName":"OLS"}`), 400, "DSC_12016"},
			"unknown account": {simtest.DeleteDisclosure.WithBody(`{"institutionDisclosureName":"OLS","accountId":"x"}`), 400, "DSC_13001"},
			"no accountType":  {simtest.DeleteDisclosure.At(contract.DisclosuresDeleteUser.Path + "?hostUserId=1001"), 400, "DSC_12006"},
		},
		"alerts.listInstitutionTypes": {
			"unknown status":      {simtest.ListAlertTypes.WithQuery("statusOptd=active"), 400, "PRMVAL_10002"},
			"status twice":        {simtest.ListAlertTypes.WithQuery("statusOptd=ACTIVE&statusOptd=ACTIVE"), 400, "PRMVAL_10002"},
			"no fiid":             {simtest.ListAlertTypes.Without("fiid"), 400, "PRMVAL_10007"},
			"no transactionid":    {simtest.ListAlertTypes.Without("transactionid"), 400, "PRMVAL_10007"},
			"no token":            {simtest.ListAlertTypes.Without("authorization"), 401, "CMN_90001"},
			"another institution": {simtest.ListAlertTypes.With("fiid", "05523"), 400, "PRMVAL_10003"},
		},
		"alerts.listInstitutionPreferences": {
			"types twice":         {simtest.ListAlertDefaults.WithQuery("alertTypes=A&alertTypes=B"), 400, "PRMVAL_10002"},
			"no fiid":             {simtest.ListAlertDefaults.Without("fiid"), 400, "PRMVAL_10007"},
			"unknown token":       {simtest.ListAlertDefaults.WithToken("nope"), 401, "CMN_90001"},
			"unknown institution": {simtest.ListAlertDefaults.With("fiid", "7"), 400, "PRMVAL_10003"},
		},
		"users.getStatus": {
			"no transactionId":     {simtest.GetUserStatus.Without("transactionId"), 400, "ISR_11005"},
			"no UUID":              {simtest.GetUserStatus.With("transactionId", "8f14e45f"), 400, "ISR_11006"},
			"no token":             {simtest.GetUserStatus.Without("authorization"), 401, "ISR_11001"},
			"unknown token":        {simtest.GetUserStatus.WithToken("nope"), 401, "ISR_11002"},
			"refresh token":        {simtest.GetUserStatus.WithToken("demo-refresh"), 401, "ISR_11002"},
			"no userIdType":        {simtest.GetUserStatus.At(statusOf("1001", "")), 400, "ISR_11008"},
			"userIdType of a case": {simtest.GetUserStatus.At(statusOf("1001", "host_user_id")), 400, "ISR_11008"},
			"short id":             {simtest.GetUserStatus.At(statusOf("1001", "CUSTOMER_ID")), 400, "ISR_11007"},
			"long id":              {simtest.GetUserStatus.At(statusOf("E013E3BD0440D18C8638BBB61BED7FF70", "INSTITUTION_USER_ID")), 400, "ISR_11007"},
			"id of another kind":   {simtest.GetUserStatus.At(statusOf("E013E3BD0440D18C8638BBB61BED7FF7", "CUSTOMER_ID")), 404, "ISR_10001"},
			"other institution's":  {simtest.GetUserStatus.WithToken("second-token"), 404, "ISR_10001"},
			"no username":          {simtest.GetUserStatus.At(statusOf("1002", "LOGIN_ID")), 404, "ISR_10001"},
			"another user's token": {simtest.GetUserStatus.At(statusOf("1002", "HOST_USER_ID")).WithToken("avery-token"), 403, "ISR_11003"},
			"unknown, bound token": {simtest.GetUserStatus.At(statusOf("7", "HOST_USER_ID")).WithToken("avery-token"), 403, "ISR_11003"},
		},
		"jobs.listErrors": {
			"unknown job":           {simtest.ListJobErrors.At(contract.JobsList.Path + "/00000000-0000-0000-0000-000000000000/errors"), 400, "2000"},
			"unknown sort property": {simtest.ListJobErrors.WithQuery("sort=jobId"), 500, "2001"},
		},
		"alerts.createPreference": with(bodyRefusals(createAlert, `"alertOpted":true`, "PRMSYS_10002"), map[string]refusal{
			"no credentials":        {createAlert.Without("authorization"), 401, "CMN_90001"},
			"unknown token":         {createAlert.With("authorization", "nope"), 401, "CMN_90001"},
			"malformed credentials": {createAlert.With("authorization", "Basic x"), 401, "CMN_90001"},
			"no fiid":               {createAlert.Without("fiid"), 400, "PRMVAL_10007"},
			"no transactionid":      {createAlert.Without("transactionid"), 400, "PRMVAL_10007"},
			"no userid":             {createAlert.Without("userid"), 400, "PRMVAL_10007"},
			"unknown fiid":          {createAlert.With("fiid", "7"), 400, "PRMVAL_10003"},
			"other institution":     {createAlert.With("fiid", "05523"), 400, "PRMVAL_10003"},
			"unknown userid":        {createAlert.With("userid", "7"), 400, "PRMVAL_10004"},
			"wrong type":            {createAlert.WithBody(`{"alertOpted":"yes"}`), 400, "PRMSYS_10002"},
			"wrong nested type":     {createAlert.WithBody(`{"alertPreferenceDetails":{"alertPrefId":"7"}}`), 400, "PRMSYS_10002"},
			"info not an object":    {createAlert.WithBody(`{"additionalInfo":[]}`), 400, "PRMSYS_10002"},
			"unknown channel":       {createAlert.WithBody(`{"alertPreferenceDetails":{"channelTypeName":"PIGEON"}}`), 400, "PRMVAL_10005"},
		}),
	}
	for operation, refusals := range operations {
		op, ok := contract.Find(operation)
		require.True(t, ok)
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			b := simtest.NewBank(t, simtest.FrozenRetail)
			before := b.World()
			for name, r := range refusals {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					res := r.Send(b)
					message := b.ExchangeOf(res).Decision.Message
					assert.NotEmpty(t, message)
					assert.Equal(t, r.status, res.StatusCode, res.Body)
					assert.Equal(t, string(op.Family.Error(r.status, r.code, message)), res.Body)
					assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
					assert.Equal(t, strconv.Itoa(len(res.Body)), res.Header.Get("Content-Length"))
					assert.Equal(t, res.StatusCode == 401, res.Header.Get("WWW-Authenticate") != "", "a challenge comes with 401, and only there")
					assert.Equal(t, res.StatusCode == 405, res.Header.Get("Allow") != "")
					assert.True(t, before.Equal(b.World()), "nothing has changed")
				})
			}
		})
	}
}
