package explanation

import (
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Bank is what an explanation has to know of the sandbox that answered.
type Bank struct {
	Behavior *sim.Behavior
	Strict   bool // whether the simulator is strict, whatever the behaviour says
}

// Explanation says why an exchange was answered as it was.
type Explanation struct {
	Exchange journal.Exchange `json:"exchange"`
	Title    string           `json:"title" about:"The request and its answer in a line."`
	Sentence string           `json:"sentence" about:"Why it was answered so."`
	Basis    Basis            `json:"basis" about:"What the answer rests on."`
	Entries  []CitedEntry     `json:"entries" about:"The entries of the ledger that the answer relies on: the first one decided."`
	Faults   []Effect         `json:"faults" about:"The faults that fired, in their order."`
	Lints    []journal.Lint   `json:"lints" about:"What is odd about the request."`
	Copies   Copies           `json:"copies" about:"The exchange, to go on with."`
}

// Basis is what an answer rests on.
type Basis struct {
	Name  string `json:"name" about:"document, published, convention or choice."`
	About string `json:"about" about:"What that means."`
}

// New explains an exchange of a bank.
func New(x journal.Exchange, bank Bank) Explanation {
	spoken := bank // as the exchange's dialect has it
	spoken.Behavior = contract.SpokenIn(bank.Behavior, sim.Dialect(x.Dialect))
	b := spoken.behavior()
	return Explanation{
		Exchange: x,
		Title:    title(x),
		Sentence: sentence(x, spoken),
		Basis:    Basis{x.Decision.Basis, contract.Basis(x.Decision.Basis).About()},
		Entries:  entries(x.Decision.Entries, b),
		Faults:   effects(x),
		Lints:    x.Lints,
		Copies:   newCopies(x, bank),
	}
}

// behavior returns the behaviour of the bank, strict if the simulator is.
func (b Bank) behavior() *sim.Behavior {
	if !b.Strict {
		return b.Behavior
	}
	strict := *b.Behavior
	strict.Strict = true
	return &strict
}
