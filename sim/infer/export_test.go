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

// Evidence returns the evidence in all tables.
func Evidence() (all []string) {
	add := func(some []evidence) {
		for _, e := range some {
			all = append(all, string(e))
		}
	}
	for _, some := range neededToPass {
		add(some)
	}
	for _, some := range neededToRefuse {
		add(some)
	}
	for _, some := range shownByRows {
		add(some.shows)
	}
	return all
}

// IsKnown reports whether evidence may have a name in braces.
func IsKnown(name, source string) bool {
	return paths[name] != nil || values[name] != nil || sources[source] != nil
}
