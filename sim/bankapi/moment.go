package bankapi

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// moment is the bank that decides a request, and the operation in the dialect of the answer.
type moment struct {
	sandbox.View                  // zero if there is no bank
	sandbox      *sandbox.Sandbox // or nil
	before       *sim.World       // before the request
	op           *contract.Operation
	family       *contract.Family // of the operation, or the nearest to the path
	policy       *sim.Policy
}

// standardPolicy is the policy of answers where there is no bank.
var standardPolicy = contract.NewPolicies(sim.DefaultBehavior()).Document

// nowhere returns the moment of a request whose sandbox can't be used.
func nowhere(req *request) moment {
	m := moment{op: req.asked, family: req.family, policy: standardPolicy}
	if req.asked != nil {
		m.family = req.asked.Family
	}
	return m
}

// momentOf returns the moment of a view of a sandbox. A request is answered in the dialect of its path, unless the bank
// answers all requests in one dialect.
func momentOf(req *request, sb *sandbox.Sandbox, v sandbox.View, before *sim.World) moment {
	policies := v.World.Policies()
	m := moment{View: v, sandbox: sb, before: before, family: req.family, policy: policies.Document}
	if req.asked == nil {
		return m
	}
	dialect := contract.AnsweredIn(v.World.Behavior(), req.asked.Dialect)
	m.op, m.policy = contract.In(dialect).Operation(req.asked.Name), policies.In(dialect)
	m.family = m.op.Family
	return m
}

// accessToken returns the text of the request's access token, or "" without a token. Some operations take it without
// the word Bearer.
func (m moment) accessToken(req *request) string {
	if m.op != nil && takesBareToken(m.op) && isBareToken(req.authorization()) {
		return req.authorization()
	}
	return req.bearerToken()
}

// remembersRequestID reports whether the bank remembers the request's id and refuses it the next time. Then a request
// that only reads changes something, too.
func (m moment) remembersRequestID() bool {
	return slices.Contains(m.op.Refuses, sim.RequestIDReused) &&
		(m.policy.Strict || m.policy.Groups.TransactionIDReuse == sim.TransactionIDReuseReject)
}
