package conformance

import (
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/match"
)

// safe reports whether requests of a method change nothing (RFC 9110 9.2.1).
func safe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, method)
}

// planned is a request with the change that it could make at a service, whatever the simulator answers.
type planned struct {
	fixtures.Request
	// changes is the operation in the document's dialect. It is nil if the request only reads, or names an id that no
	// row has, or if nothing tells what it could change.
	changes *contract.Operation
	kind    *kind    // that it creates or changes, or nil
	users   []string // whose e-statement preferences it changes
	refused string   // why it must not be sent, or ""
}

// plan decides what a request could change, and whether it may be sent.
func (cfg Config) plan(r fixtures.Request) planned {
	path, _, _ := strings.Cut(r.Path, "?")
	if safe(r.Method) || strings.Contains(path, fixtures.NoID) || strings.Contains(path, fixtures.NoNumber) {
		return planned{Request: r}
	}
	for _, op := range contract.Document().Operations {
		switch k := kindOf(op); {
		case !hasPath(op, path), !op.Changes && r.Method != op.Method:
		case !op.Changes:
			return planned{Request: r} // by POST
		case op == contract.TokensCreateCode:
			return planned{Request: r, refused: "could create a code, which no request takes back"}
		case op.Kind() == "disclosures":
			return planned{Request: r, refused: "could change the disclosures of a user, which a check leaves alone"}
		case op.Kind() == "estatements" && r.Method == op.Method:
			users, reason := cfg.changedUsers(r)
			return planned{r, op, nil, users, reason}
		case op.Kind() == "tokens":
			return planned{r, op, nil, nil, reasonNotToSend(op, r.Content())}
		case r.Method == op.Method && k != nil:
			return planned{r, op, k, nil, ""}
		}
	}
	return planned{Request: r, refused: "nothing tells what the request could change at the service"}
}

// spendsToken reports whether a request revokes or uses up a token: it needs one that was issued to the replay.
func (p planned) spendsToken() bool {
	return p.changes != nil && p.changes.Kind() == "tokens" &&
		slices.ContainsFunc(match.Words(p.Content()), isSpent)
}

// creates reports whether the request creates a row.
func (p planned) creates() bool { return p.kind != nil && p.changes == p.kind.create }

// removes reports whether the request deletes a row.
func (p planned) removes() bool { return p.kind != nil && p.changes == p.kind.remove }

// plan are the requests of a replay in their order.
type plan struct {
	issue    []planned // for tokens of its own, if it needs them
	requests []planned
}

// planOf returns the plan of an exchange.
func (cfg Config) planOf(e fixtures.Exchange) (p plan) {
	for _, request := range requests(e) {
		p.requests = append(p.requests, cfg.plan(request))
	}
	if slices.ContainsFunc(p.requests, planned.spendsToken) {
		p.issue = []planned{cfg.plan(cfg.issue(newID(), byPassword))}
	}
	return p
}

func (p plan) all() []planned { return slices.Concat(p.issue, p.requests) }

// last returns the request that the exchange is about.
func (p plan) last() planned { return p.requests[len(p.requests)-1] }

// hasPath reports whether an operation has a path, in any dialect. The names of its variables may differ: a golden path
// names an id by the member of an answer.
func hasPath(op *contract.Operation, path string) bool {
	return slices.ContainsFunc(contract.Interfaces(), func(i *contract.Interface) bool {
		return variables().ReplaceAllString(path, "{}") == variables().ReplaceAllString(i.Operation(op.Name).Path, "{}")
	})
}

var variables = lazy.Regexp(`\{\w+\}`)

// aToken matches a token to revoke, in JSON or in a form.
var aToken = lazy.Regexp(`(^|["&_])token("\s*:\s*"|=)[A-Za-z0-9]`)

// reasonNotToSend returns why a request about tokens must not be sent, or "": it could revoke or use up tokens of
// others, and no request restores them.
func reasonNotToSend(op *contract.Operation, content string) string {
	values := match.Words(content)
	switch {
	case slices.ContainsFunc(values, isOthers):
		return "could revoke or use up a token of the bank"
	case op == contract.TokensRevoke && (strings.Contains(content, "grant_type") || !aToken().MatchString(content)):
		return "could revoke all tokens of a client or a user"
	}
	return ""
}
