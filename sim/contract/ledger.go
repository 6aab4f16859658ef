package contract

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Entry is one decision of the simulator: a question that a request raises, the answer, and what it rests on.
type Entry struct {
	ID         string    `json:"id"`         // such as groups.create.status; never changes
	Operations []string  `json:"operations"` // empty: all
	Question   string    `json:"question"`
	Answer     string    `json:"answer"` // by default
	Basis      sim.Basis `json:"basis"`  // of the default answer
	Source     string    `json:"source"` // a section of the interface's document, an RFC, or "public API description"
	Switch     *Switch   `json:"switch,omitzero"`
	Unshown    string    `json:"unshown,omitzero"` // why no golden exchange shows it; empty: one does
}

// Switch is the key of a scenario's behavior block that selects another answer.
type Switch struct {
	Key          string        `json:"key"` // such as groups.createStatus
	Default      string        `json:"default"`
	Alternatives []Alternative `json:"alternatives"`

	value func(*sim.Behavior) string
}

// Alternative is another answer than the default one.
type Alternative struct {
	Value  string    `json:"value"` // of the switch; in angle brackets: one of many, such as <duration>
	Answer string    `json:"answer"`
	Basis  sim.Basis `json:"basis"`
}

// anyOf tells whether an alternative stands for many values of its switch.
func (a Alternative) anyOf() bool { return a.Value[0] == '<' }

// chosen returns the alternative that a behaviour selects, nil for the default.
func (s *Switch) chosen(b *sim.Behavior) *Alternative {
	value := s.value(b)
	if value == s.Default {
		return nil
	}
	for i, a := range s.Alternatives {
		if a.Value == value || a.anyOf() {
			return &s.Alternatives[i]
		}
	}
	return nil
}

// BasisUnder returns what the answer that a behaviour selects rests on.
func (e *Entry) BasisUnder(b *sim.Behavior) sim.Basis {
	if e.Switch != nil {
		if a := e.Switch.chosen(b); a != nil {
			return a.Basis
		}
	}
	return e.Basis
}

// Concerns tells whether the entry is about an operation.
func (e *Entry) Concerns(operation string) bool {
	return len(e.Operations) == 0 || slices.Contains(e.Operations, operation)
}

// Bases are all bases, from the firmest on.
var Bases = []sim.Basis{sim.BasisDocument, sim.BasisPublished, sim.BasisConvention, sim.BasisChoice}

// Weaker tells whether a basis carries less than another one.
func Weaker(a, b sim.Basis) bool { return slices.Index(Bases, a) > slices.Index(Bases, b) }

// Ledger is all entries, by resource.
var Ledger = slices.Concat(everywhere, estatements, tokens, revocation, groups, alerts)

var byID = index()

func index() map[string]*Entry {
	all := make(map[string]*Entry, len(Ledger))
	for i := range Ledger {
		all[Ledger[i].ID] = &Ledger[i]
	}
	return all
}

// Get returns an entry by its id.
func Get(id string) (*Entry, bool) {
	e, ok := byID[id]
	return e, ok
}

// Must returns an entry by its id. It panics where there is none: an id in the code is misspelt.
func Must(id string) *Entry {
	e, ok := byID[id]
	if !ok {
		panic("contract: the ledger has no entry " + id)
	}
	return e
}

// Select returns the entries that are about an operation and rest on a basis; an empty one selects all.
func Select(operation string, basis sim.Basis) []Entry {
	selected := []Entry{}
	for _, e := range Ledger {
		if (operation == "" || e.Concerns(operation)) && (basis == "" || e.Basis == basis) {
			selected = append(selected, e)
		}
	}
	return selected
}
