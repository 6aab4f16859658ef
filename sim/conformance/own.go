package conformance

import (
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// ownRequest returns a request to an operation that a replay sends by itself, with a request id of its own and the values of
// the golden exchanges. Its body is a form, or anything that JSON can say, or nil.
func ownRequest(op *contract.Operation, headers map[string]string, body any) fixtures.Request {
	r := fixtures.Request{Method: op.Method, Path: op.Path, Headers: map[string]string{"Accept": "application/json", op.Family.RequestID: newID()}}
	for name, value := range headers {
		r.Headers[name] = value
	}
	switch body := body.(type) {
	case nil:
	case string:
		r.Headers["Content-Type"], r.Body = "application/x-www-form-urlencoded", body
	default:
		r.Headers["Content-Type"], r.JSON = "application/json", wire.MustEncode(body)
	}
	return r
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// issueRequest issues tokens.
func issueRequest(g fixtures.Grant) fixtures.Request {
	return ownRequest(contract.TokensIssue, fixtures.ClientHeaders, g.Form)
}

// readRequest reads the setting of an account.
func readRequest(acc account, token string) fixtures.Request {
	r := ownRequest(contract.EstatementsGetDisclosures, bearer(token), nil)
	r.Path = strings.ReplaceAll(r.Path, "{accountId}", acc.id) + "?hostUserId=" + url.QueryEscape(acc.user)
	return r
}

// restoreRequest sets the setting of an account.
func restoreRequest(acc account, electronic bool) fixtures.Request {
	r := ownRequest(contract.EstatementsUpdateAccount, bearer(holder(acc.user)), map[string]any{"activateEstatement": electronic, "accountId": acc.id})
	r.Path += "?hostUserId=" + url.QueryEscape(acc.user)
	return r
}

// restoreAllRequest sets the settings of all accounts of a user.
func restoreAllRequest(user string, electronic bool) fixtures.Request {
	r := ownRequest(contract.EstatementsUpdateUser, bearer(holder(user)), map[string]any{"activateEstatement": electronic})
	r.Path += "?hostUserId=" + url.QueryEscape(user)
	return r
}
