package bankapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// isForKeySet reports whether a request asks for the keys that sign id_tokens. An app has no token to ask with.
func isForKeySet(req *request) bool {
	return req.asked == nil && req.refusal == nil && req.path() == contract.KeySetPath &&
		(req.Method == http.MethodGet || req.Method == http.MethodHead)
}

// keySet answers with the keys of a bank whose key is made.
func keySet(m moment) result {
	return result{reply: reply{
		status: http.StatusOK,
		body:   wire.MustEncode(sandbox.KeySetOf(m.World)),
		decision: journal.Decision{
			Outcome: journal.Accepted,
			Rule:    contract.KeySet,
			Message: "the key that signs id_tokens, for apps that check them",
			Basis:   string(contract.EverywhereKeySet.BasisUnder(m.policy)),
			Entries: []string{contract.EverywhereKeySet.ID},
		},
	}}
}
