package controlapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// explain answers with an exchange and why it was answered as it was; 404 if the journal doesn't hold it.
func (a control) explain(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	id := pathVar(r, "exchange")
	now := sb.Now()
	exchange, ok := now.Journal.Get(id)
	if !ok {
		return unknownExchange(id)
	}
	return reply(w, explanation.New(exchange, explanation.Bank{Behavior: now.World.Behavior(), Strict: a.Strict}))
}
