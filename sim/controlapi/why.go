package controlapi

import (
	"bytes"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim/explanation"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// explain answers with an exchange and why it was answered as it was; 404 if the journal doesn't hold it.
func (a control) explain(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	id := pathVar(r, "exchange")
	sc, now := sb.Scenario(), sb.Now()
	exchange, ok := now.Journal.Get(id)
	if !ok {
		return unknownExchange(id)
	}
	source, err := scenario.Source(sc.Name)
	return reply(w, explanation.New(exchange, explanation.Bank{
		Behavior: now.World.Behavior(),
		Strict:   a.Strict,
		Scenario: sc.Name,
		BuiltIn:  err == nil && bytes.Equal(source, sc.Source), // a file may have the name, too
	}))
}
