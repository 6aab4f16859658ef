package bankapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// injectedCodes are the codes of what a fault answers with a status alone. A star: the operation's description doesn't list
// the status.
var injectedCodes = map[string]map[int]string{
	"estatements.getDisclosures":        {400: "UXESTMT_11010", 401: "UXESTMT_10002", 403: "UXESTMT_10003", 404: "UXESTMT_88888", 500: "UXESTMT_30001", 503: "UXESTMT_30003"},
	"estatements.updateAccount":         {400: "UXESTMT_11010", 401: "UXESTMT_10002", 403: "UXESTMT_10003", 404: "UXESTMT_88888", 500: "UXESTMT_30001", 503: "UXESTMT_30003"},
	"estatements.updateUser":            {400: "UXESTMT_11010", 401: "UXESTMT_10002", 403: "UXESTMT_10003", 404: "UXESTMT_88888", 500: "UXESTMT_30001", 503: "UXESTMT_30003"},
	"tokens.issue":                      {400: "CMN_90011", 401: "CMN_90004", 403: "CMN_90006", 404: "BANKSIM_FAULT*", 500: "CMN_90000", 503: "BANKSIM_FAULT*"},
	"tokens.revoke":                     {400: "CMN_90011", 401: "CMN_90004", 403: "CMN_90006", 404: "BANKSIM_FAULT*", 500: "CMN_90000", 503: "BANKSIM_FAULT*"},
	"groups.create":                     {400: "2000", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"groups.list":                       {400: "2000*", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"groups.update":                     {400: "2000", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"groups.delete":                     {400: "2000", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"groups.uploadParticipants":         {400: "2000", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"jobs.list":                         {400: "2000*", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"jobs.get":                          {400: "2000*", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"jobs.listErrors":                   {400: "2000", 401: "2003", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "2001", 503: "BANKSIM_FAULT*"},
	"alerts.listPreferences":            {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
	"alerts.getPreference":              {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
	"alerts.updatePreference":           {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
	"alerts.deletePreference":           {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
	"disclosures.listUser":              {400: "DSC_10002", 401: "DSC_11002", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "DSC_99999", 503: "BANKSIM_FAULT*"},
	"disclosures.createUser":            {400: "DSC_10002", 401: "DSC_11002", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "DSC_99999", 503: "BANKSIM_FAULT*"},
	"disclosures.updateUser":            {400: "DSC_10002", 401: "DSC_11002", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "DSC_99999", 503: "BANKSIM_FAULT*"},
	"disclosures.deleteUser":            {400: "DSC_10002", 401: "DSC_11002", 403: "BANKSIM_FAULT*", 404: "BANKSIM_FAULT*", 500: "DSC_99999", 503: "BANKSIM_FAULT*"},
	"alerts.listInstitutionTypes":       {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
	"alerts.listInstitutionPreferences": {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
	"users.getStatus":                   {400: "ISR_11008", 401: "ISR_11002", 403: "ISR_11003", 404: "ISR_10001", 500: "ISR_99999", 503: "BANKSIM_FAULT*"},
	"alerts.createPreference":           {400: "PRMSYS_10002", 401: "CMN_90001", 403: "CMN_90006", 404: "PRMAPS_10007", 500: "PRMSYS_10003", 503: "BANKSIM_FAULT*"},
}

// injectedMessages are their messages, which differ between families for some statuses.
var injectedMessages = map[int]map[string]string{
	400: {"estatements": "required input is missing", "tokens": "the body is not acceptable", "groups": "the request is not acceptable", "jobs": "the request is not acceptable", "disclosures": "the request is not acceptable", "users": "the value of a parameter is not acceptable", "alerts": "the request is not acceptable"},
	401: {"tokens": "no client is registered with these keys", "": "the access token is unknown or revoked"},
	403: {"estatements": "the access token doesn't permit the request", "users": "the access token doesn't permit the request", "groups": "forbidden", "jobs": "forbidden", "disclosures": "forbidden",
		"": "the client has no permission for the request"},
	404: {"estatements": "there is no such user", "users": "there is no such user", "alerts": "there is no such alert preference", "": "not found"},
	500: {"": "an unexpected fault occurred inside the service"},
	503: {"estatements": "the service is not available at present", "": "service unavailable"},
}

// injectedMessage returns the message of an injected error.
func injectedMessage(op *contract.Operation, status int) string {
	for _, of := range []string{op.Name, op.Kind(), ""} {
		if text, ok := injectedMessages[status][of]; ok {
			return text
		}
	}
	return ""
}

// errorBody returns the error body of an operation's family.
func errorBody(op *contract.Operation, status int, code, message string) string {
	switch {
	case op.Kind() == "estatements":
		return fmt.Sprintf(`{"status":%d,"code":%q,"message":%q}`, status, code, message)
	case op == contract.TokensRevoke:
		kind := map[bool]string{true: "SYSTEM_ERROR", false: "USER_ERROR"}[status >= 500]
		return fmt.Sprintf(`{"statusMessage":%q,"errorInfo":{"errorType":%q,"errorCode":%q,"errorMessage":%q}}`, message, kind, code, message)
	}
	return fmt.Sprintf(`{"code":%q,"message":%q}`, code, message)
}

// faultBanks returns a bank for each way in which a fault with a status alone is asked for, and for each pattern that an
// operation can be named by. Each returns the call as it has to be sent.
func faultBanks(t *testing.T, op *contract.Operation, then string) map[string]func(simtest.Call) (*simtest.Bank, simtest.Call) {
	rule := func(operation string) string {
		return fmt.Sprintf(`{"name":"f","operation":%s,"then":{%s}}`, operation, then)
	}
	fromYAML := func(operation string) func(simtest.Call) (*simtest.Bank, simtest.Call) {
		return func(call simtest.Call) (*simtest.Bank, simtest.Call) {
			return simtest.NewBank(t, simtest.WithFaults("- "+rule(operation)+"\n")), call
		}
	}
	header := strings.NewReplacer(`"`, "", ":", "=", ",", "; ").Replace(then)
	return map[string]func(simtest.Call) (*simtest.Bank, simtest.Call){
		"scenario":           fromYAML(simtest.JSON(op.Name)),
		"scenario, a family": fromYAML(simtest.JSON(op.Kind() + ".*")),
		"scenario, all":      fromYAML(`"*"`),
		"scenario, a list":   fromYAML(simtest.JSON(contract.Names())),
		"control API": func(call simtest.Call) (*simtest.Bank, simtest.Call) {
			b := simtest.NewBank(t, simtest.FrozenRetail)
			b.ControlSandbox(201, "POST /faults", rule(simtest.JSON(op.Name)))
			return b, call
		},
		"header": func(call simtest.Call) (*simtest.Bank, simtest.Call) {
			return simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n"), call.With("Banksim-Fault", header)
		},
	}
}

// stableHeaders returns the headers of an answer that don't differ from run to run.
func stableHeaders(res simtest.Answer) http.Header {
	headers := res.Header.Clone()
	headers.Del("Date")
	headers.Del("Banksim-Exchange")
	return headers
}

// A status alone brings the error body of the operation's family, the same whichever way it is asked for.
func TestInjectedStatuses(t *testing.T) {
	t.Parallel()
	for _, op := range contract.Operations {
		require.Len(t, injectedCodes[op.Name], 6, op.Name)
		for status, code := range injectedCodes[op.Name] {
			code, undocumented := strings.CutSuffix(code, "*")
			t.Run(fmt.Sprintf("%s %d", op.Name, status), func(t *testing.T) {
				t.Parallel()
				want := http.Header{"Content-Type": {"application/json"}}
				switch {
				case status == 401 && op.Kind() == "tokens":
					want.Set("WWW-Authenticate", `Basic realm="banksim", charset="UTF-8"`)
				case status == 401:
					want.Set("WWW-Authenticate", `Bearer realm="banksim", error="invalid_token"`)
				}
				body := errorBody(op, status, code, injectedMessage(op, status))
				want.Set("Content-Length", fmt.Sprint(len(body)))
				for way, start := range faultBanks(t, op, fmt.Sprintf(`"status":%d`, status)) {
					b, call := start(simtest.Calls[op.Name])
					before := b.World()
					res := call.Send(b)
					assert.Equal(t, status, res.StatusCode, way)
					assert.Equal(t, body, res.Body, way)
					headers := stableHeaders(res)
					headers.Del(op.Family.RequestID)
					assert.Equal(t, want, headers, way)
					assert.NotEmpty(t, res.Header.Get(op.Family.RequestID), way)
					assert.True(t, before.Equal(b.World()), "%s: nothing was carried out", way)
					x := b.Last()
					name := map[bool]string{true: "Banksim-Fault", false: "f"}[way == "header"]
					assert.Equal(t, "faulted", x.Decision.Outcome, way)
					assert.Equal(t, name, x.Decision.Rule, way)
					assert.Equal(t, &journal.Fault{Fired: []string{name}, AnsweredBy: name, Phase: "before", Undocumented: undocumented}, x.Fault, way)
					assert.Equal(t, body, x.Response.Body, way)
				}
			})
		}
	}
}

// Any error status can be injected into any operation, in the shape of its family.
func TestAnyErrorStatus(t *testing.T) {
	simtest.Whole(t)
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	for status := 400; status <= 599; status++ {
		for _, op := range contract.Operations {
			res := simtest.Calls[op.Name].With("Banksim-Fault", fmt.Sprintf("status=%d", status)).Send(b)
			require.Equal(t, status, res.StatusCode, op.Name)
			require.Equal(t, !op.Lists(status), b.Last().Fault.Undocumented, "%s %d", op.Name, status)
			message := strings.ToLower(http.StatusText(status))
			if message == "" {
				message = fmt.Sprintf("the request failed with status %d", status)
			}
			if res.Code() == contract.InjectedCode {
				require.Equal(t, errorBody(op, status, contract.InjectedCode, message), res.Body)
			}
		}
	}
}

// A code that the family has comes with its message, its challenge and the entry that it rests on.
func TestInjectedCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		op            *contract.Operation
		status        int
		code, message string
		challenge     string
		entry         *contract.Entry
	}{
		{op: contract.EstatementsUpdateUser, status: 400, code: "UXESTMT_11021", message: "multistatement is not configured for the institution", entry: contract.EstatementsUpdateNoMultistatement},
		{op: contract.EstatementsUpdateUser, status: 503, code: "UXESTMT_30001", message: "an unexpected fault occurred inside the service", entry: contract.EverywhereOtherCodes},
		{op: contract.EstatementsGetDisclosures, status: 401, code: "UXESTMT_10001", message: "header Authorization is missing", challenge: `Bearer realm="banksim"`, entry: contract.EstatementsBearerFailure},
		{op: contract.EstatementsGetDisclosures, status: 401, code: "UXESTMT_10004", message: "the access token has expired", challenge: `Bearer realm="banksim", error="invalid_token"`, entry: contract.EstatementsBearerFailure},
		{op: contract.GroupsCreate, status: 400, code: "2004", message: "a group of this name exists", entry: contract.GroupsCreateDuplicateName},
		{op: contract.AlertsCreatePreference, status: 400, code: "PRMVAL_10009", message: "the institution doesn't have the alert type", entry: contract.AlertsTypes},
		{op: contract.AlertsCreatePreference, status: 401, code: "CMN_90001", message: "the access token is unknown or revoked", challenge: `Bearer realm="banksim", error="invalid_token"`, entry: contract.AlertsAuthFailure},
		{op: contract.AlertsCreatePreference, status: 400, code: "PRMVAL_10015", message: "the alert type is not active, or not for this channel", entry: contract.AlertsTypesNotOpted},
		{op: contract.EstatementsUpdateUser, status: 503, code: "UXESTMT_30002", message: "a service outside failed", entry: contract.EverywhereOtherCodes},
		{op: contract.TokensIssue, status: 401, code: "CMN_90001", message: "the client may not use the resource", challenge: `Basic realm="banksim", charset="UTF-8"`, entry: contract.EverywhereOtherCodes},
		{op: contract.TokensRevoke, status: 500, code: "CMN_90001", message: "the quota of requests is used up", entry: contract.EverywhereRateLimits},
		{op: contract.GroupsList, status: 500, code: "SOMETHING", message: "an unexpected fault occurred inside the service", entry: contract.EverywhereFaults},
		{op: contract.GroupsList, status: 502, code: "2001", message: "an unexpected fault occurred inside the service", entry: contract.EverywhereFaults},
		{op: contract.EstatementsUpdateUser, status: 400, code: "UXESTMT_10004", message: "the access token has expired", entry: contract.EstatementsBearerFailure},
		{op: contract.EstatementsUpdateUser, status: 400, code: "UXESTMT_10003", message: "the access token doesn't permit the request", entry: contract.EverywhereFaults},
	} {
		b := simtest.NewBank(t, simtest.FrozenRetail)
		b.ControlSandbox(201, "POST /faults", fmt.Sprintf(`{"name":"f","operation":%q,"then":{"status":%d,"error":{"code":%q}}}`, test.op.Name, test.status, test.code))
		res := simtest.Calls[test.op.Name].Send(b)
		assert.Equal(t, test.status, res.StatusCode, test.code)
		assert.Equal(t, errorBody(test.op, test.status, test.code, test.message), res.Body)
		assert.Equal(t, test.challenge, res.Header.Get("WWW-Authenticate"), test.code)
		assert.Equal(t, test.entry.ID, b.Last().Decision.Entries[0], test.code)
		assert.Equal(t, string(test.entry.Basis), b.Last().Decision.Basis, test.code)
	}
}

// Every family answers as the gateway in front of it does, where a quota is used up and in a spike: with 500, and without
// Retry-After. The answers are those that the description has.
func TestGatewayErrors(t *testing.T) {
	t.Parallel()
	for _, op := range contract.Operations {
		for code, message := range map[string]string{"CMN_90001": "the quota of requests is used up", "CMN_90002": "there are too many requests in a short time"} {
			for way, start := range faultBanks(t, op, fmt.Sprintf(`"status":500,"error":{"code":%q}`, code)) {
				if way == "header" {
					continue // it has the code without error
				}
				b, call := start(simtest.Calls[op.Name])
				res := call.Send(b)
				assert.Equal(t, 500, res.StatusCode, way)
				assert.Equal(t, errorBody(op, 500, code, message), res.Body, way)
				assert.Empty(t, res.Header.Values("Retry-After"), way)
				x := b.Last()
				assert.False(t, x.Fault.Undocumented, way)
				assert.Equal(t, journal.Decision{Outcome: "faulted", Rule: x.Decision.Rule, Basis: "published",
					Message: "a fault came before the operation: nothing was carried out",
					Entries: []string{contract.EverywhereRateLimits.ID, contract.EverywhereFaults.ID}}, x.Decision, way)
			}
			b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
			res := simtest.Calls[op.Name].With("Banksim-Fault", "status=500; code="+code).Send(b)
			assert.Equal(t, errorBody(op, 500, code, message), res.Body, "header")
		}
	}
}

// A scenario's text for a code stands in every answer with it: in the bank's own refusals, in injected ones and in both
// members of a revocation's error. The journal says as before why the bank refused. A message of the fault's own wins.
func TestMessagesOfAScenario(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`behavior:
  faultHeader: true
  messages:
    "2004": That name is taken.
    "2001": "Sorry: <try> again."
    CMN_90004: Who are you?
    UXESTMT_30003: Come back later.
    UXESTMT_88888: ¿Quién?
`)
	ask := func(call simtest.Call, header string) string { return call.With("Banksim-Fault", header).Send(b).Body }

	assert.Equal(t, 200, createGroup.Send(b).StatusCode)
	assert.Equal(t, `{"code":"2004","message":"That name is taken."}`, createGroup.Send(b).Body)
	x := b.Last()
	assert.Equal(t, `a group named "Night owls" exists`, x.Decision.Message)
	assert.Equal(t, []string{contract.GroupsCreateDuplicateName.ID, contract.GroupsErrorBody.ID, contract.EverywhereMessages.ID}, x.Decision.Entries)
	assert.Equal(t, `{"code":"2004","message":"That name is taken."}`, x.Response.Body)
	assert.Equal(t, `{"code":"2004","message":"That name is taken."}`, ask(listGroups, "status=400; code=2004"))

	assert.Equal(t, `{"code":"2001","message":"Sorry: <try> again."}`, ask(listGroups, "status=500"))
	assert.Contains(t, b.Last().Decision.Entries, contract.EverywhereMessages.ID)
	assert.Equal(t, `{"code":"2001","message":"mine"}`, ask(listGroups, "status=500; message=mine"))
	assert.NotContains(t, b.Last().Decision.Entries, contract.EverywhereMessages.ID)
	assert.Equal(t, `{"code":"2001","message":"Sorry: <try> again."}`, listGroups.WithQuery("sort=nope").Send(b).Body)

	const twice = `{"statusMessage":"Who are you?","errorInfo":{"errorType":"USER_ERROR","errorCode":"CMN_90004","errorMessage":"Who are you?"}}`
	assert.Equal(t, twice, revokeTokens.With("Authorization", simtest.BasicWrong).Send(b).Body)
	assert.Equal(t, twice, ask(revokeTokens, "status=401"))
	assert.Equal(t, `{"code":"CMN_90004","message":"Who are you?"}`, issueTokens.With("Authorization", simtest.BasicWrong).Send(b).Body, "every family that has the code")

	assert.Equal(t, `{"status":503,"code":"UXESTMT_30003","message":"Come back later."}`, ask(getDisclosures, "status=503"))
	assert.Equal(t, `{"status":404,"code":"UXESTMT_88888","message":"¿Quién?"}`, updateUser.At(simtest.UpdateUserPath+"999").Send(b).Body)
	assert.Equal(t, `{"status":403,"code":"UXESTMT_10003","message":"the access token doesn't permit the request"}`, ask(getDisclosures, "status=403"), "others stay")
}
