package infer

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// Bank is a bank that tests record captures of.
type Bank struct{ bank }

func OpenBank(sc *scenario.Scenario) Bank { return Bank{openBank(sc)} }

func (b Bank) Close() { b.close() }

func (b Bank) Ask(at time.Time, r *http.Request) (status int, body []byte) {
	got := b.ask(at, r)
	return got.status, got.body
}
