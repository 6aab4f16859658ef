package contract

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Entry is one decision of the simulator: a question that a request raises, the answer, and what it rests on. It never
// changes.
type Entry struct {
	ID         string   // such as groups.create.status; never changes
	Operations []string // empty for all
	Question   string
	Basis      Basis   // of the default answer
	Source     string  // a section of the interface's document, an RFC, or "public API description"
	Switch     *Switch // selects another answer, or nil
	// Public is the answer of the public dialect, or nil if it is the same and rests on the same.
	Public  *PublicAnswer
	Unshown string // why no golden exchange shows it, or empty if one does

	// Permits marks an entry that lets a request through which a bank that decides otherwise would refuse.
	Permits bool

	// answer is the default answer. {refused} stands for the statuses and codes of the refusals that rest on the entry,
	// and {RULE} for those of one rule.
	answer string
}

// PublicAnswer is the answer of the public dialect to the question of an entry.
type PublicAnswer struct {
	Basis  Basis
	Source string
	// Value is the value of the entry's switch that counts in this dialect, whatever a scenario says. It is empty if the
	// scenario's counts, or if there is no switch.
	Value string

	answer string // like that of an entry
}

// selecting is the published answer that a value of the entry's switch has.
func selecting(value string) *PublicAnswer { return &PublicAnswer{Value: value} }

// saying is an answer of the public dialect in its own words.
func saying(answer string, basis Basis, source string) *PublicAnswer {
	return &PublicAnswer{answer: answer, Basis: basis, Source: source}
}

// What the sources of entries begin with that rest on the public API description, or on a choice.
const (
	PublishedSource = "public API description"
	OwnSource       = "ours"
)

// Sources that many entries share.
const (
	published         = PublishedSource
	publishedExamples = "public API description, its examples"
)

// declared is all entries in the order of their declarations. Only package-level declarations add to it.
var declared []*Entry

// everyOperation is what entries are about that no operation differs in.
var everyOperation = []string{}

// entry declares an entry of the ledger. The answer is by default its refusals, and the source the one that most entries
// with the basis have.
func entry(id string, operations []string, basis Basis, e Entry) *Entry {
	e.ID, e.Operations, e.Basis = id, operations, basis
	e.answer = cmp.Or(e.answer, "{refused}.")
	e.Source = cmp.Or(e.Source, map[Basis]string{Published: PublishedSource, Choice: OwnSource}[basis])
	if e.Public != nil {
		e.Public = e.wholePublicAnswer()
	}
	declared = append(declared, &e)
	return &e
}

// wholePublicAnswer returns the public answer with what its value of the switch says, and with its usual source.
func (e *Entry) wholePublicAnswer() *PublicAnswer {
	p := *e.Public
	if p.Value != "" {
		answer, basis := e.answer, e.Basis
		if a := e.Switch.alternative(p.Value); a != nil {
			answer, basis = a.Answer, a.Basis
		}
		p.answer, p.Basis = cmp.Or(p.answer, answer), cmp.Or(p.Basis, basis)
	}
	p.Source = cmp.Or(p.Source, published)
	return &p
}

// operationEntry says which operation does something, and what it answers (published).
func operationEntry(id string, operations []string, does, answer string) *Entry {
	return entry(id, operations, Published, Entry{Question: "Which operation " + does + "?", answer: answer})
}

// refusalEntry says that requests are refused in some case: where something is so, or to something. The code of one that
// is a choice is published.
func refusalEntry(id string, operations []string, basis Basis, where string) *Entry {
	e := Entry{Question: "What is answered " + where + "?"}
	if basis == Choice {
		e.Source = "ours; the code is published"
	}
	return entry(id, operations, basis, e)
}

// ledger is all entries, part by part.
var ledger = sync.OnceValue(func() []*Entry {
	position := map[string]int{} // of a part, by its name
	for i, p := range Parts() {
		position[p.Name] = i
	}
	return slices.SortedStableFunc(slices.Values(declared), func(a, b *Entry) int {
		return cmp.Compare(position[a.Part()], position[b.Part()])
	})
})

// Ledger returns all entries, family by family.
func Ledger() []*Entry { return slices.Clone(ledger()) }

var byID = sync.OnceValue(func() map[string]*Entry {
	all := map[string]*Entry{}
	for _, e := range declared {
		all[e.ID] = e
	}
	return all
})

// FindEntry returns an entry by its id.
func FindEntry(id string) (*Entry, bool) {
	e, ok := byID()[id]
	return e, ok
}

// Select returns the entries that are about an operation and rest on a basis. An empty text selects all.
func Select(operation string, basis Basis) []*Entry {
	selected := []*Entry{}
	for _, e := range ledger() {
		if (operation == "" || e.Concerns(operation)) && (basis == "" || e.Basis == basis) {
			selected = append(selected, e)
		}
	}
	return selected
}

// Concerns reports whether the entry is about an operation.
func (e *Entry) Concerns(operation string) bool {
	return len(e.Operations) == 0 || slices.Contains(e.Operations, operation)
}

// Part returns the name of the part of the ledger that the entry is in: the first part of its id.
func (e *Entry) Part() string {
	name, _, _ := strings.Cut(e.ID, ".")
	return name
}

// isFixed reports whether the public dialect has one value of the entry's switch.
func (e *Entry) isFixed() bool { return e.Public != nil && e.Public.Value != "" }

// Answer returns the default answer in a dialect.
func (e *Entry) Answer(d sim.Dialect) string {
	if d == sim.DialectPublic && e.Public != nil {
		return e.withRefusals(e.Public.answer, d)
	}
	return e.withRefusals(e.answer, sim.DialectDocument)
}

// BasisIn returns what the default answer rests on in a dialect.
func (e *Entry) BasisIn(d sim.Dialect) Basis {
	if d == sim.DialectPublic && e.Public != nil {
		return e.Public.Basis
	}
	return e.Basis
}

// chosen returns the alternative that a policy selects, or nil if it is the default answer or the public dialect has
// one.
func (e *Entry) chosen(p *sim.Policy) *Alternative {
	if e.Switch == nil || p.Dialect == sim.DialectPublic && e.isFixed() {
		return nil
	}
	return e.Switch.chosen(&p.Behavior)
}

// BasisUnder returns what the answer that a policy selects rests on.
func (e *Entry) BasisUnder(p *sim.Policy) Basis {
	if a := e.chosen(p); a != nil {
		return a.Basis
	}
	return e.BasisIn(p.Dialect)
}

// AnswerUnder returns the answer that a policy selects.
func (e *Entry) AnswerUnder(p *sim.Policy) string {
	if a := e.chosen(p); a != nil {
		return e.withRefusals(a.Answer, sim.DialectDocument)
	}
	return e.Answer(p.Dialect)
}

// SourceIn returns where the answer of a dialect comes from.
func (e *Entry) SourceIn(d sim.Dialect) string {
	if d == sim.DialectPublic && e.Public != nil {
		return e.Public.Source
	}
	return e.Source
}

// Alternatives returns the other answers that the entry's switch can select. There are none without a switch.
func (e *Entry) Alternatives() []Alternative {
	var all []Alternative
	if e.Switch != nil {
		for _, a := range e.Switch.alternatives {
			a.Answer = e.withRefusals(a.Answer, sim.DialectDocument)
			all = append(all, a)
		}
	}
	return all
}

// Others returns the answers that the entry's switch could select in place of the one that a policy selects. They are
// none without a switch. One that stands for many values is always among them.
func (e *Entry) Others(p *sim.Policy) []Alternative {
	others := []Alternative{}
	if e.Switch == nil || p.Dialect == sim.DialectPublic && e.isFixed() {
		return others
	}
	value := e.Switch.Value(&p.Behavior)
	standard := Alternative{e.Switch.Default, e.Answer(sim.DialectDocument), e.Basis}
	for _, a := range append([]Alternative{standard}, e.Alternatives()...) {
		if a.Value != value {
			others = append(others, a)
		}
	}
	return others
}

// MarshalJSON writes the entry with its answers in words.
func (e *Entry) MarshalJSON() ([]byte, error) {
	type switchJSON struct {
		Key          string        `json:"key"`
		Default      string        `json:"default"`
		Alternatives []Alternative `json:"alternatives"`
	}
	type publicJSON struct {
		Answer string `json:"answer"`
		Basis  Basis  `json:"basis"`
		Source string `json:"source"`
		Value  string `json:"value,omitzero"`
	}
	form := struct {
		ID         string      `json:"id"`
		Operations []string    `json:"operations"`
		Question   string      `json:"question"`
		Answer     string      `json:"answer"`
		Basis      Basis       `json:"basis"`
		Source     string      `json:"source"`
		Switch     *switchJSON `json:"switch,omitzero"`
		Public     *publicJSON `json:"public,omitzero"`
		Unshown    string      `json:"unshown,omitzero"`
	}{e.ID, e.Operations, e.Question, e.Answer(sim.DialectDocument), e.Basis, e.Source, nil, nil, e.Unshown}
	if e.Switch != nil {
		form.Switch = &switchJSON{e.Switch.Key, e.Switch.Default, e.Alternatives()}
	}
	if p := e.Public; p != nil {
		form.Public = &publicJSON{e.Answer(sim.DialectPublic), p.Basis, p.Source, p.Value}
	}
	return json.Marshal(form)
}
