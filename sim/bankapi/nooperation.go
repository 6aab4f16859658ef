package bankapi

import (
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// isStubbed reports whether a stub or the service of [Config.ForwardUnknown] may answer a request to no operation.
// Neither answers a preflight that the bank answers.
func (h *Handler) isStubbed(req *request, m moment) bool {
	return req.refusal == nil && (m.Faults.Stubs(req.Method, req.path()) || req.goesToOther) &&
		!(isPreflight(req) && h.corsOf(m) != nil)
}

// answerWithoutOperation answers a request that neither an operation nor a stub takes: with the key set, with what a
// preflight asks for, or with a refusal. It fails with ErrNoKey if the key has to be made first.
func (h *Handler) answerWithoutOperation(req *request, m moment) (decided, error) {
	switch {
	case req.refusal != nil:
		return h.refuseOrPreflight(req, m, refusalReply(m, req.refusal)), nil
	case isForKeySet(req):
		return keySet(m)
	case len(req.allowed) == 0:
		return h.refuseOrPreflight(req, m, refusalReply(m, h.unknownPath(req))), nil
	}
	allow := strings.Join(req.allowed, ", ")
	text := "this path takes " + allow
	if isPreflight(req) {
		text += ", and this is a preflight of a browser: " + whyNoCORS
	}
	rep := refusalReply(m, sim.Refuse(contract.MethodNotAllowed, "%s", text))
	return h.refuseOrPreflight(req, m, rep.with("Allow", allow)), nil // RFC 9110 15.5.6
}

// isForKeySet reports whether a request asks for the keys that sign id_tokens. An app has no token to ask with.
func isForKeySet(req *request) bool {
	return req.path() == contract.KeySetPath && (req.Method == http.MethodGet || req.Method == http.MethodHead)
}

// keySet answers with the keys of a bank. It fails with ErrNoKey if the key has to be made first.
func keySet(m moment) (decided, error) {
	if !sandbox.HasKey(m.World) {
		return decided{}, sandbox.ErrNoKey
	}
	return decided{reply: reply{
		status: http.StatusOK,
		body:   strictjson.MustEncode(sandbox.KeySetOf(m.World)),
		decision: journal.Decision{
			Outcome: journal.Accepted,
			Rule:    contract.KeySet,
			Message: "the key that signs id_tokens, for apps that check them",
			Basis:   string(contract.EverywhereKeySet.BasisUnder(m.policy)),
			Entries: []string{contract.EverywhereKeySet.ID},
		},
	}}, nil
}
