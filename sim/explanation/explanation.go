package explanation

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Explanation gives the reason for the answer of an exchange.
type Explanation struct {
	Exchange journal.Exchange `json:"exchange"`
	Title    string           `json:"title" doc:"The request and its answer in a line."`
	Cause    string           `json:"cause" doc:"The reason of the answer in a line."`
	Basis    Basis            `json:"basis" doc:"The kind of source that the answer is based on."`
	Entries  []CitedEntry     `json:"entries" doc:"The entries of the ledger behind the answer. The first one decided."`
	Faults   []Effect         `json:"faults" doc:"The faults that fired, in their order."`
	Lints    []journal.Lint   `json:"lints" doc:"What is odd about the request."`
	Fixes    []Fix            `json:"fixes" doc:"Calls of the control API that remove the reason of a refusal."`
	Copies   Copies           `json:"copies" doc:"Copies of the exchange to go on with."`
}

// Basis is what an answer rests on.
type Basis struct {
	Name  string `json:"name" doc:"The basis: document, published, convention or choice."`
	About string `json:"about" doc:"What the basis means."`
}

// New explains an exchange of a bank with policies.
func New(x journal.Exchange, policies *sim.Policies, bank Bank) Explanation {
	return Explanation{
		Exchange: x,
		Title:    x.Request.Method + " " + shortPath(x.Request.Path) + " → " + statusAndCode(x),
		Cause:    reason(x, bank.credentials(x)),
		Basis:    Basis{x.Decision.Basis, contract.Basis(x.Decision.Basis).About()},
		Entries:  entries(x.Decision.Entries, policies.In(sim.Dialect(x.Dialect))),
		Faults:   effects(x),
		Lints:    x.Lints,
		Fixes:    bank.fixes(x),
		Copies:   bank.newCopies(x),
	}
}

// shortPath returns the last two segments of a path.
func shortPath(path string) string {
	segments := strings.Split(path, "/")
	if len(segments) <= 4 {
		return path
	}
	return "/…/" + strings.Join(segments[len(segments)-2:], "/")
}

// CitedEntry is an entry of the ledger, with the answer under the behaviour of the sandbox.
type CitedEntry struct {
	ID       string            `json:"id"`
	Question string            `json:"question"`
	Answer   string            `json:"answer" doc:"The answer that the sandbox's behaviour selects."`
	Basis    string            `json:"basis" doc:"The basis of that answer."`
	Source   string            `json:"source" doc:"The source of the default answer."`
	Switch   *contract.Setting `json:"switch,omitzero" doc:"The key that selects another answer. Not there: none does."`
}

// entries returns the entries with the ids. Another version of the ledger may have more.
func entries(ids []string, p *sim.Policy) []CitedEntry {
	all := make([]CitedEntry, 0, len(ids))
	for _, id := range ids {
		e, ok := contract.FindEntry(id)
		if !ok {
			continue
		}
		all = append(all, CitedEntry{
			id, e.Question, e.AnswerUnder(p), string(e.BasisUnder(p)), e.SourceIn(p.Dialect), e.Setting(p),
		})
	}
	return all
}
