package controlapi

import (
	"errors"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// exchangeChanges is what an exchange has changed.
type exchangeChanges struct {
	exchangeChangesStart
	Changes []changedRow `json:"changes"`
}

// exchangeChangesStart is what the changes of an exchange begin with.
type exchangeChangesStart struct {
	Exchange string `json:"exchange"`
}

// getChanges answers {exchange, changes: [...]}: the rows that an exchange has changed; 404 if the journal doesn't hold it, 410
// if the worlds around it are no longer kept.
func (a control) getChanges(w http.ResponseWriter, r *http.Request, sb *sandbox.Sandbox) error {
	id := pathVar(r, "exchange")
	changes, err := sb.Changes(id)
	switch {
	case errors.Is(err, sandbox.ErrNoExchange):
		return unknownExchange(id)
	case err != nil:
		return err
	}
	return a.replyLarge(w, r, func(s *wire.Stream) {
		s.Open(exchangeChangesStart{id})
		s.Text(`,"changes":`)
		wire.Array(s, changes, func(c sim.Change) { s.Value(newChangedRow(c)) })
		s.Text("}")
	})
}
