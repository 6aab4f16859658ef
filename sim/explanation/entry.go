package explanation

import (
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// CitedEntry is an entry of the ledger, as it is under the behaviour of the sandbox.
type CitedEntry struct {
	ID       string       `json:"id"`
	Question string       `json:"question"`
	Answer   string       `json:"answer" about:"That the behaviour selects."`
	Basis    string       `json:"basis" about:"Of that answer."`
	Source   string       `json:"source" about:"Of the default answer."`
	Switch   *EntrySwitch `json:"switch,omitzero" about:"What selects another answer. Not there: nothing does."`
}

// EntrySwitch is a key of a scenario's behavior block that selects another answer.
type EntrySwitch struct {
	Key          string                 `json:"key" about:"Such as groups.createStatus, under behavior."`
	Value        string                 `json:"value" about:"That the sandbox has."`
	Default      string                 `json:"default" about:"The value if a scenario says nothing."`
	Alternatives []contract.Alternative `json:"alternatives" about:"The other values."`
}

// entries returns the entries with the ids.
func entries(ids []string, b *sim.Behavior) []CitedEntry {
	all := make([]CitedEntry, 0, len(ids))
	for _, id := range ids {
		if e, ok := contract.FindEntry(id); ok {
			all = append(all, newEntry(e, b))
		}
	}
	return all
}

func newEntry(e *contract.Entry, b *sim.Behavior) CitedEntry {
	under := CitedEntry{ID: e.ID, Question: e.Question, Answer: e.AnswerUnder(b), Basis: string(e.BasisUnder(b)), Source: e.SourceUnder(b)}
	if s := e.Switch; s != nil {
		under.Switch = &EntrySwitch{Key: s.Key, Value: s.Value(b), Default: s.Default, Alternatives: e.Others(b)}
	}
	return under
}
