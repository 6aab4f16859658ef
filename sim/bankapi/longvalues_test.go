package bankapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// maxRefusal is how many bytes a refusal has at most, whatever it quotes.
const maxRefusal = 4 << 10

// A refusal quotes the beginning of a long value alone: in the answer, and in the journal.
func TestRefusalsAreShort(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t,
		simtest.FrozenRetail+`behavior: {faultHeader: true, cors: {origins: ["https://app.example"]}}`)
	member := strings.Repeat("m", 900<<10) // in a body, whose bound is 1 MiB
	text := strings.Repeat("t", 20<<10)    // in a header or a path, whose bound is that of the listener, 32 KiB
	odd := strings.Repeat("%00", 6<<10)    // in a path, escaped
	account := simtest.UpdateAccount
	half := member[:400<<10]
	upload := simtest.UploadParticipants.With("content-type", simtest.MultipartType).
		WithBody(simtest.Multipart("ADD", "hostUserId\n1001\n"))
	disclosure := simtest.Calls[contract.DisclosuresCreateUser.Name]
	status := simtest.Calls[contract.UsersGetStatus.Name]
	at := func(c simtest.Call, old, new string) simtest.Call { return c.At(strings.Replace(c.Path, old, new, 1)) }
	within := func(c simtest.Call, old, new string) simtest.Call {
		assert.Contains(t, c.Body, old)
		return c.WithBody(strings.Replace(c.Body, old, new, 1))
	}
	for name, call := range map[string]simtest.Call{
		"accountId":                    account.WithBody(`{"accountId":"` + member + `","activateEstatement":true}`),
		"accountId in the path":        at(simtest.GetDisclosures, "acc-1001-checking", text),
		"accountId of odd characters":  at(simtest.GetDisclosures, "acc-1001-checking", odd),
		"hostUserId":                   simtest.UpdateUser.At(simtest.UpdateUserPath + text),
		"hostUserId of odd characters": simtest.UpdateUser.At(simtest.UpdateUserPath + odd),
		"hostUserId of another user":   simtest.UpdateUser.WithToken("avery-token").At(simtest.UpdateUserPath + text),
		"loginId":                      at(simtest.UpdateUser.At(simtest.UpdateUserPath+text), "hostUserId", "loginId"),
		"groupName":                    within(createGroup, `"groupName":"`, `"groupName":"`+member),
		"groupId":                      within(createGroup, `{`, `{"groupId":"`+member+`",`),
		"groupId in the path":          at(simtest.DeleteGroup, simtest.RetailGroup, text),
		"groupId of jobs":              at(simtest.ListJobs, simtest.RetailGroup, text),
		"jobId":                        at(simtest.GetJob, simtest.RetailJob, text),
		"sort":                         listGroups.WithQuery("sort=" + text),
		"page":                         listGroups.WithQuery("page=" + text),
		"unknown parameter":            listGroups.WithQuery(text + "=1&sort=x"),
		"institutionId":                createGroup.With("institutionId", strings.Repeat("1", 20<<10)),
		"institutionId of a body":      within(createGroup, `{`, `{"institutionId":"`+member+`",`),
		"transactionId":                listGroups.With("transactionId", text).Adding("transactionId", text),
		"alertTypeName":                within(createAlert, `"channel`, `"alertTypeName":"`+member+`","channel`),
		"channelTypeName":              within(createAlert, `"channelTypeName":"`, `"channelTypeName":"`+member),
		"fiid":                         createAlert.With("fiid", text),
		"userid":                       createAlert.With("userid", text),
		"alertPreferenceId":            at(simtest.UpdateAlert, "/alert-preferences/", "/alert-preferences/"+text),
		"scopes":                       within(issueTokens, `{`, `{"scopes":"`+member+`",`),
		"grant_type":                   issueTokens.WithBody(`{"grant_type":"` + member + `"}`),
		"username":                     within(issueTokens, `avery`, member),
		"shared key":                   issueTokens.With("Authorization", "Basic "+text),
		"refresh_token":                revokeTokens.WithBody(`{"refresh_token":"` + member + `"}`),
		"token":                        revokeTokens.WithForm("token=" + member + "&token=x"),
		"access token":                 listGroups.WithToken(text),
		"client_id":                    simtest.CreateCode.WithForm("client_id=" + member),
		"auth_time":                    simtest.CreateCode.WithForm("client_id=x&auth_time=" + member),
		"code":                         issueTokens.WithForm("grant_type=authorization_code&code=" + member),
		"disclosure":                   disclosure.WithBody(`{"institutionDisclosureName":"` + member + `"}`),
		"disclosure status": disclosure.WithBody(
			`{"institutionDisclosureName":"OLS","institutionUserDisclosureStatus":"` + member + `"}`),
		"user of disclosures":     disclosure.At(disclosure.Path + text),
		"institution user":        at(status, "users/", "users/"+text),
		"userIdType":              status.WithQuery("userIdType=" + text),
		"file name":               within(upload, "participants.csv", member),
		"file type":               within(upload, "text/csv", "text/"+member),
		"type of an upload":       within(upload, "ADD", member),
		"name of a part":          within(upload, `name="type"`, `name="`+member+`"`),
		"Content-Type":            account.With("content-type", "application/"+text),
		"unknown member":          account.WithBody(`{"` + member + `":1}`),
		"duplicate member":        account.WithBody(`{"` + half + `":1,"` + half + `":1}`),
		"fault":                   account.With("Banksim-Fault", "status=500; "+text+"=1"),
		"fault's status":          account.With("Banksim-Fault", "status="+text),
		"fault's delay":           account.With("Banksim-Fault", "delay="+text),
		"fault's phase":           account.With("Banksim-Fault", "status=500; phase="+text),
		"path":                    listGroups.At("/v3/" + text),
		"path of the control API": listGroups.At("/v1/sandboxes/" + text),
		"method":                  listGroups.WithMethod(strings.Repeat("M", 20<<10)),
		"header naming a sandbox": listGroups.With(contract.SandboxHeader, text),
		"origin": listGroups.WithMethod("OPTIONS").With("Origin", text).
			With("Access-Control-Request-Method", "GET"),
		"origin of a page": listGroups.With("Origin", text),
	} {
		t.Run(name, func(t *testing.T) {
			assertShort(t, b, call.Request(b))
		})
	}
	for name, path := range map[string]string{
		"sandbox":                   "/sandboxes/" + text,
		"sandbox of odd characters": "/sandboxes/" + odd,
		"sandbox of dots":           "/sandboxes/" + text + ".x",
	} {
		t.Run(name, func(t *testing.T) {
			url := b.Server.ServiceURL() + path + "/v3/groups"
			assertShort(t, b, b.Request("GET", url, ""))
			assertShort(t, b, b.Request("GET", url, "", contract.SandboxHeader+": default"))
		})
	}
}

// assertShort sends a request whose answer must be short, as must be what the journal says about it.
func assertShort(t *testing.T, b *simtest.Bank, r *http.Request) {
	t.Helper()
	res := b.Do(r)
	assert.Less(t, len(res.Body), maxRefusal, "%d %.300s", res.StatusCode, res.Body)
	if x, ok := b.Journal().Get(res.Header.Get("Banksim-Exchange")); ok {
		assert.Less(t, len(x.Decision.Message), maxRefusal)
		for _, l := range x.Lints {
			assert.Less(t, len(l.Message), maxRefusal)
		}
	}
}
