package conformance

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// ownRequest returns a request to an operation that a replay sends by itself, with a request id of its own and the values of
// the golden exchanges, in the dialect that is checked. Its body is a form, or anything that JSON can say, or nil.
func (cfg Config) ownRequest(op *contract.Operation, headers map[string]string, body any) fixtures.Request {
	op = cfg.spoken(op)
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

// spoken returns an operation in the dialect that is checked or, if it isn't spoken in it, in that of the interface's document.
func (cfg Config) spoken(op *contract.Operation) *contract.Operation {
	return cmp.Or(op.In(cfg.dialect()), op)
}

// dialect returns the dialect that is checked.
func (cfg Config) dialect() sim.Dialect { return cmp.Or(cfg.Dialect, sim.DialectDocument) }

// speaks reports whether an exchange is in the dialect that is checked, at a path of it.
func (cfg Config) speaks(e fixtures.Exchange) bool {
	return e.InDialect() == cfg.dialect() && (contract.DialectOf(e.Request.Path) == cfg.dialect() || e.Operation() == unknownOperation && cfg.dialect() == sim.DialectDocument)
}

// unknownOperation is where the exchanges are that are no operation's.
const unknownOperation = "unknown"

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// issueRequest issues tokens.
func (cfg Config) issueRequest(g fixtures.Grant) fixtures.Request {
	return cfg.ownRequest(contract.TokensIssue, fixtures.ClientHeaders, g.Form)
}

// readRequest reads the setting of an account.
func (cfg Config) readRequest(acc account, token string) fixtures.Request {
	r := cfg.ownRequest(contract.EstatementsGetDisclosures, bearer(token), nil)
	r.Path = strings.ReplaceAll(r.Path, "{accountId}", acc.id) + "?hostUserId=" + url.QueryEscape(acc.user)
	return r
}

// restoreRequest sets the setting of an account.
func (cfg Config) restoreRequest(acc account, electronic bool) fixtures.Request {
	r := cfg.ownRequest(contract.EstatementsUpdateAccount, bearer(holder(acc.user)), map[string]any{"activateEstatement": electronic, "accountId": acc.id})
	r.Path += "?hostUserId=" + url.QueryEscape(acc.user)
	return r
}

// restoreAllRequest sets the settings of all accounts of a user.
func (cfg Config) restoreAllRequest(user string, electronic bool) fixtures.Request {
	r := cfg.ownRequest(contract.EstatementsUpdateUser, bearer(holder(user)), map[string]any{"activateEstatement": electronic})
	r.Path += "?hostUserId=" + url.QueryEscape(user)
	return r
}
