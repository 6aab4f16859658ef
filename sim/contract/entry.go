package contract

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Entry is one decision of the simulator: a question that a request raises, the answer, and where the answer comes
// from. It never changes.
type Entry struct {
	ID         string   // such as groups.create.status; never changes
	Operations []string // empty for all
	Question   string
	Basis      Basis   // of the default answer
	Switch     *Switch // selects another answer, or nil
	// Public is the answer of the public dialect, or nil if answer, basis and source are the same.
	Public  *PublicAnswer
	Unshown string // why no golden exchange shows it, or empty if one does

	// Permits marks an entry that lets a request through that another bank could refuse.
	Permits bool

	// answer is the default answer. {refused} becomes the statuses and codes of all refusals with this entry. {RULE}
	// becomes the status and code of the refusal by one rule.
	answer string
	// source is what says the default answer, and after a semicolon what that leaves open. {operations} becomes the
	// places of the entry's operations.
	source string
}

// PublicAnswer is the answer of the public dialect to the question of an entry.
type PublicAnswer struct {
	Basis Basis
	// Default is the default of the entry's switch in this dialect, or empty if it is the same.
	Default string

	answer, source string // with the same placeholders as those of an entry
}

// publicDefault returns the public answer of a switch with another default. The value brings answer and basis.
func publicDefault(value string) *PublicAnswer { return &PublicAnswer{Default: value} }

// publicAnswer returns a public answer in its own words.
func publicAnswer(answer string, basis Basis, source string) *PublicAnswer {
	return &PublicAnswer{answer: answer, Basis: basis, source: source}
}

// everyOperation makes an entry concern all operations.
var everyOperation = []string{}

// entry declares an entry of the ledger. By default the answer lists its refusals, and the source is the usual one for
// the basis.
func entry(id string, operations []string, basis Basis, e Entry) *Entry {
	e.ID, e.Operations, e.Basis = id, operations, basis
	e.answer = cmp.Or(e.answer, "{refused}.")
	e.source = cmp.Or(e.source, usualSource(basis))
	if e.Public != nil {
		e.Public = e.wholePublicAnswer()
	}
	if e.hasPublicDefault() && e.Public.Default != e.Switch.Default {
		e.Switch.About += " Default at the public paths: " + e.Public.Default + "."
	}
	declared = append(declared, &e)
	return &e
}

// wholePublicAnswer returns the public answer with its defaults: answer and basis of its value, and the
// usual source.
func (e *Entry) wholePublicAnswer() *PublicAnswer {
	p := *e.Public
	if p.Default != "" {
		answer, basis := e.answer, e.Basis
		if a := e.Switch.alternative(p.Default); a != nil {
			answer, basis = a.Answer, a.Basis
		}
		p.answer, p.Basis = cmp.Or(p.answer, answer), cmp.Or(p.Basis, basis)
	}
	p.source = cmp.Or(p.source, usualSource(p.Basis))
	return &p
}

// operationEntry declares the entry that names a published operation and its answer.
func operationEntry(id string, operations []string, does, answer string) *Entry {
	return entry(id, operations, Published, Entry{Question: "Which operation " + does + "?", answer: answer})
}

// refusalEntry declares an entry whose answer is its refusals. Its question is "What is answered", and where or to
// what. Its source is the meaning of the code. The source of a choice says that the code is published.
func refusalEntry(id string, operations []string, basis Basis, where string) *Entry {
	e := Entry{Question: "What is answered " + where + "?"}
	switch basis {
	case Published:
		e.source = publishedIn(errorCodes)
	case Choice:
		e.source = "ours; the code is published"
	}
	return entry(id, operations, basis, e)
}

// Concerns reports whether the entry is about an operation of a name.
func (e *Entry) Concerns(operation string) bool {
	return len(e.Operations) == 0 || slices.Contains(e.Operations, operation)
}

// Part returns the name of the entry's part of the ledger: the first word of its id.
func (e *Entry) Part() string {
	name, _, _ := strings.Cut(e.ID, ".")
	return name
}

// hasPublicDefault reports whether the entry's switch has a default of its own in the public dialect.
func (e *Entry) hasPublicDefault() bool { return e.Public != nil && e.Public.Default != "" }

// Answer returns the default answer in a dialect.
func (e *Entry) Answer(d sim.Dialect) string {
	if d == sim.DialectPublic && e.Public != nil {
		return e.withRefusals(e.Public.answer, d)
	}
	return e.withRefusals(e.answer, sim.DialectDocument)
}

// BasisIn returns the basis of the default answer in a dialect.
func (e *Entry) BasisIn(d sim.Dialect) Basis {
	if d == sim.DialectPublic && e.Public != nil {
		return e.Public.Basis
	}
	return e.Basis
}

// DefaultIn returns the default of the entry's switch in a dialect.
func (e *Entry) DefaultIn(d sim.Dialect) string {
	if d == sim.DialectPublic && e.hasPublicDefault() {
		return e.Public.Default
	}
	return e.Switch.Default
}

// basisOf returns the basis of the answer that a value of the entry's switch selects in a dialect. What a published
// statement rules out is a choice in the public dialect.
func (e *Entry) basisOf(value string, d sim.Dialect) Basis {
	a := e.Switch.alternative(value)
	switch {
	case value == e.DefaultIn(d):
		return e.BasisIn(d)
	case d == sim.DialectPublic && e.RulesOut(value):
		return Choice
	case a == nil:
		return e.Basis
	}
	return a.Basis
}

// answerOf returns the answer that a value of the entry's switch selects in a dialect.
func (e *Entry) answerOf(value string, d sim.Dialect) string {
	a := e.Switch.alternative(value)
	switch {
	case value == e.DefaultIn(d):
		return e.Answer(d)
	case a == nil:
		return e.withRefusals(e.answer, d)
	}
	return e.withRefusals(a.Answer, d)
}

// alternativesIn returns the answers that the entry's switch can select in a dialect beside the default, or nil if
// there is no switch.
func (e *Entry) alternativesIn(d sim.Dialect) (all []Alternative) {
	if e.Switch == nil {
		return nil
	}
	values := []string{e.Switch.Default}
	for _, a := range e.Switch.alternatives {
		values = append(values, a.Value)
	}
	for _, value := range values {
		if value != e.DefaultIn(d) {
			all = append(all, Alternative{value, e.answerOf(value, d), e.basisOf(value, d)})
		}
	}
	return all
}

// RulesOut reports whether the public API description says something else than a value of the entry's switch.
func (e *Entry) RulesOut(value string) bool {
	return e.hasPublicDefault() && e.Public.Basis == Published && e.Public.Default != value
}

// BasisUnder returns the basis of the answer that a policy selects.
func (e *Entry) BasisUnder(p *sim.Policy) Basis {
	if e.Switch == nil {
		return e.BasisIn(p.Dialect)
	}
	return e.basisOf(e.Switch.Value(&p.Behavior), p.Dialect)
}

// AnswerUnder returns the answer that a policy selects.
func (e *Entry) AnswerUnder(p *sim.Policy) string {
	if e.Switch == nil {
		return e.Answer(p.Dialect)
	}
	return e.answerOf(e.Switch.Value(&p.Behavior), p.Dialect)
}

// SourceIn returns the source of the default answer in a dialect.
func (e *Entry) SourceIn(d sim.Dialect) string {
	if d == sim.DialectPublic && e.Public != nil {
		return withPlaces(e.Public.source, e.Operations)
	}
	return withPlaces(e.source, e.Operations)
}

// Setting is a key of a scenario's behavior block that selects another answer of an entry.
type Setting struct {
	Key          string        `json:"key" doc:"The key under behavior, such as groups.createStatus."`
	Value        string        `json:"value" doc:"The value that the sandbox has."`
	Default      string        `json:"default" doc:"The value if a scenario says nothing."`
	Alternatives []Alternative `json:"alternatives" doc:"The other values."`
}

// Setting returns the setting of the entry under a policy, with the answers that the policy doesn't select, or nil if
// no key selects another answer. An alternative that stands for many values is always among them.
func (e *Entry) Setting(p *sim.Policy) *Setting {
	if e.Switch == nil {
		return e.refusalSetting(p)
	}
	s := Setting{e.Switch.Key, e.Switch.Value(&p.Behavior), e.DefaultIn(p.Dialect), []Alternative{}}
	standard := Alternative{s.Default, e.Answer(p.Dialect), e.BasisIn(p.Dialect)}
	for _, a := range append([]Alternative{standard}, e.alternativesIn(p.Dialect)...) {
		if a.Value != s.Value {
			s.Alternatives = append(s.Alternatives, a)
		}
	}
	return &s
}

// standard returns the policies of a bank whose scenario sets nothing.
var standard = sync.OnceValue(func() *sim.Policies { return NewPolicies(sim.DefaultBehavior()) })

// MarshalJSON writes the entry with its answers in words.
func (e *Entry) MarshalJSON() ([]byte, error) {
	type publicJSON struct {
		Answer  string `json:"answer"`
		Basis   Basis  `json:"basis"`
		Source  string `json:"source"`
		Default string `json:"default,omitzero"`
	}
	form := struct {
		ID         string      `json:"id"`
		Operations []string    `json:"operations"`
		Question   string      `json:"question"`
		Answer     string      `json:"answer"`
		Basis      Basis       `json:"basis"`
		Source     string      `json:"source"`
		Switch     *Setting    `json:"switch,omitzero"`
		Public     *publicJSON `json:"public,omitzero"`
		Unshown    string      `json:"unshown,omitzero"`
	}{
		e.ID, e.Operations, e.Question, e.Answer(sim.DialectDocument), e.Basis, e.SourceIn(sim.DialectDocument),
		e.Setting(standard().Document), nil, e.Unshown,
	}
	if p := e.Public; p != nil {
		form.Public = &publicJSON{e.Answer(sim.DialectPublic), p.Basis, e.SourceIn(sim.DialectPublic), p.Default}
	}
	return json.Marshal(form)
}
