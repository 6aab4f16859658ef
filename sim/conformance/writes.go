package conformance

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// safe reports whether requests of a method change nothing (RFC 9110 9.2.1).
func safe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method)
}

// changing returns the operation by which a request could change something at a service, whatever the simulator answers to
// it. Nil: it changes nothing, because it only reads or names an id that no row has.
//
// It fails, with the reason, where a request could change what a check leaves alone.
func changing(r fixtures.Request) (op *contract.Operation, reason string) {
	path, _, _ := strings.Cut(r.Path, "?")
	if safe(r.Method) || strings.Contains(path, fixtures.NoID) || strings.Contains(path, fixtures.NoNumber) {
		return nil, ""
	}
	for _, op := range contract.Operations {
		if !op.Changes || !hasPath(op, path) {
			continue
		}
		switch _, known := kindOf(op); {
		case op.Kind() == "estatements" || op.Kind() == "disclosures":
			return nil, "could change the settings or disclosures of a user, which a check leaves alone"
		case op.Kind() == "tokens":
			return op, reasonNotToSend(op, r.Content())
		case r.Method == op.Method && known:
			return op, ""
		}
	}
	return nil, "nothing tells what the request could change at the service"
}

// hasPath reports whether a path is that of an operation, in any dialect. Its variables may have other names: the member of an answer
// that gives the id of an alert preference has another one than the path's.
func hasPath(op *contract.Operation, path string) bool {
	return slices.ContainsFunc(contract.Dialects, func(d sim.Dialect) bool {
		in := op.In(d)
		return in != nil && variables.ReplaceAllString(path, "{}") == variables.ReplaceAllString(in.Path, "{}")
	})
}

var variables = regexp.MustCompile(`\{\w+\}`)

// aToken matches a token to revoke, in JSON or in a form.
var aToken = regexp.MustCompile(`(^|["&_])token("\s*:\s*"|=)[A-Za-z0-9]`)

// reasonNotToSend returns why a request about tokens must not be sent: it could revoke or use up others than the replay's own, which no
// request restores. Empty: it may be.
func reasonNotToSend(op *contract.Operation, content string) string {
	values := word.FindAllString(content, -1)
	switch {
	case slices.ContainsFunc(values, func(value string) bool { return slices.Contains(fixtures.Tokens, value) && !isOwn(value) }):
		return "could revoke or use up a token of the bank"
	case op == contract.TokensRevoke && (strings.Contains(content, "grant_type") || !aToken.MatchString(content)):
		return "could revoke all tokens of a client or a user"
	}
	return ""
}

// header returns a header of a request, whatever its case; empty: there is none.
func header(r fixtures.Request, name string) string {
	for n, value := range r.Headers {
		if strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}
