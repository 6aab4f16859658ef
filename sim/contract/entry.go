package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Entry is one decision of the simulator: a question that a request raises, the answer, and what it rests on.
type Entry struct {
	ID         string   `json:"id"`         // such as groups.create.status; never changes
	Operations []string `json:"operations"` // empty: all
	Question   string   `json:"question"`
	// Answer is the default answer. Where it is declared, {refused} stands for the statuses and codes of the refusals that
	// rest on the entry, and {RULE} for those of one rule.
	Answer string  `json:"answer"`
	Basis  Basis   `json:"basis"`  // of the default answer
	Source string  `json:"source"` // a section of the interface's document, an RFC, or "public API description"
	Switch *Switch `json:"switch,omitzero"`
	// Public is the answer of the public dialect, where it differs; nil: it is the same, and so is what it rests on.
	Public  *Spoken `json:"public,omitzero"`
	Unshown string  `json:"unshown,omitzero"` // why no golden exchange shows it; empty: one does

	// Permits marks an entry that lets a request through which a bank that decides otherwise would refuse.
	Permits bool `json:"-"`
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

// ledger is all entries, in the order in which they are declared.
var ledger []*Entry

// byID are its entries by their ids.
var byID = map[string]*Entry{}

// everyOperation is what entries are about that no operation differs in.
var everyOperation = []string{}

// entry adds an entry to the ledger. Where it has no answer, that is its refusals; what it doesn't say about the source of what is
// published or chosen is what goes without saying.
func entry(id string, operations []string, basis Basis, e Entry) *Entry {
	e.ID, e.Operations, e.Basis = id, operations, basis
	e.Answer = cmp.Or(e.Answer, "{refused}.")
	e.Source = cmp.Or(e.Source, map[Basis]string{Published: PublishedSource, Choice: OwnSource}[basis])
	ledger, byID[id] = append(ledger, &e), &e
	return &e
}

// operationEntry says which operation does something, and what it answers (published).
func operationEntry(id string, operations []string, does, answer string) *Entry {
	return entry(id, operations, Published, Entry{Question: "Which operation " + does + "?", Answer: answer})
}

// refusalEntry says that requests are refused in some case: where something is so, or to something. The code of one that is a choice is
// published.
func refusalEntry(id string, operations []string, basis Basis, where string) *Entry {
	e := Entry{Question: "What is answered " + where + "?"}
	if basis == Choice {
		e.Source = "ours; the code is published"
	}
	return entry(id, operations, basis, e)
}

// Ledger returns all entries, family by family.
func Ledger() []*Entry { return slices.Clone(ledger) }

// FindEntry returns an entry by its id.
func FindEntry(id string) (*Entry, bool) {
	e, ok := byID[id]
	return e, ok
}

// Select returns the entries that are about an operation and rest on a basis; an empty one selects all.
func Select(operation string, basis Basis) []*Entry {
	selected := []*Entry{}
	for _, e := range ledger {
		if (operation == "" || e.Concerns(operation)) && (basis == "" || e.Basis == basis) {
			selected = append(selected, e)
		}
	}
	return selected
}

// BasisIn returns what the default answer rests on in a dialect.
func (e *Entry) BasisIn(d sim.Dialect) Basis { return e.in(d).Basis }

// BasisUnder returns what the answer that a behaviour selects rests on.
func (e *Entry) BasisUnder(b *sim.Behavior) Basis { return e.under(b).Basis }

// AnswerUnder returns the answer that a behaviour selects.
func (e *Entry) AnswerUnder(b *sim.Behavior) string { return e.under(b).Answer }

func (e *Entry) under(b *sim.Behavior) Spoken {
	s := e.in(b.ForcedDialect)
	if e.Switch != nil && s.Value == "" {
		if a := e.Switch.chosen(b); a != nil {
			s.Answer, s.Basis = a.Answer, a.Basis
		}
	}
	return s
}

// SourceUnder returns where the answer comes from.
func (e *Entry) SourceUnder(b *sim.Behavior) string { return e.in(b.ForcedDialect).Source }

// Others returns the answers that the entry's switch could select in place of the one that a behaviour does. They are none
// without a switch. One that stands for many values is always among them.
func (e *Entry) Others(b *sim.Behavior) []Alternative {
	others := []Alternative{}
	if e.Switch == nil || e.in(b.ForcedDialect).Value != "" {
		return others
	}
	value := e.Switch.Value(b)
	for _, a := range append([]Alternative{{e.Switch.Default, e.Answer, e.Basis}}, e.Switch.Alternatives...) {
		if a.Value != value {
			others = append(others, a)
		}
	}
	return others
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

func init() {
	for _, op := range Operations {
		i := slices.IndexFunc(Families, func(f *Family) bool { return strings.HasPrefix(op.Path, f.Prefix) })
		op.Family = Families[i]
	}
	position := map[string]int{} // of a part, by its name: Parts costs too much to be called for each comparison
	for i, p := range Parts() {
		position[p.Name] = i
	}
	slices.SortStableFunc(ledger, func(a, b *Entry) int { return position[a.Part()] - position[b.Part()] })
	speak()
	for _, e := range ledger {
		e.Answer = e.withRefusals(e.Answer, sim.DialectDocument)
		if e.Public != nil {
			e.Public.Answer = e.withRefusals(e.Public.Answer, sim.DialectPublic)
		}
		if e.Switch == nil {
			continue
		}
		for i := range e.Switch.Alternatives {
			e.Switch.Alternatives[i].Answer = e.withRefusals(e.Switch.Alternatives[i].Answer, sim.DialectDocument)
		}
	}
}

// withRefusals fills in what the refusals of a dialect say that rest on the entry.
func (e *Entry) withRefusals(text string, d sim.Dialect) string {
	before, rest, found := strings.Cut(text, "{")
	if !found {
		return text
	}
	name, after, _ := strings.Cut(rest, "}")
	var all []Refusal
	for _, r := range refusalsOf(e.Part(), d) {
		if r.Entry == e && (name == "refused" || name == string(r.Rule)) {
			all = append(all, r)
		}
	}
	said := "{" + name + "}" // in words of its own
	if all != nil {
		said = describe(all)
	}
	return before + said + e.withRefusals(after, d)
}

// describe lists the statuses and codes of refusals, each status once: STATUS CODE, CODE or CODE.
func describe(all []Refusal) string {
	var statuses []int
	codes := map[int][]string{}
	for _, r := range all {
		if !slices.Contains(statuses, r.Status) {
			statuses = append(statuses, r.Status)
		}
		if !slices.Contains(codes[r.Status], r.Code) {
			codes[r.Status] = append(codes[r.Status], r.Code)
		}
	}
	var texts []string
	for _, s := range statuses {
		of := codes[s]
		last := len(of) - 1
		text := of[last]
		if last > 0 {
			text = strings.Join(of[:last], ", ") + " or " + text
		}
		texts = append(texts, fmt.Sprintf("%d %s", s, text))
	}
	return strings.Join(texts, ", ")
}

// Basis says what a fact rests on.
type Basis string

// The bases, the firmest first.
const (
	Document   Basis = "document"
	Published  Basis = "published"
	Convention Basis = "convention"
	Choice     Basis = "choice"
)

// Bases are all of them, the firmest first.
var Bases = []Basis{Document, Published, Convention, Choice}

// WeakerThan reports whether a basis carries less than another one.
func (b Basis) WeakerThan(other Basis) bool {
	return slices.Index(Bases, b) > slices.Index(Bases, other)
}

// About says what an answer with the basis rests on.
func (b Basis) About() string { return basesAbout[b] }

var basesAbout = map[Basis]string{
	Document:   "the interface's document says it",
	Published:  "the service's public API description says it",
	Convention: "an RFC or the Fetch standard, or the framework that the answer's shape comes from",
	Choice:     "a choice of the simulator's own",
}

// Part is a part of the ledger: the entries whose ids begin with its name. The names of operations begin so, too.
type Part struct {
	Name  string // such as groups
	Title string // in documents
	About string // what its operations are about; empty: its operations have the name of another part
}

// everywhere is the part about all operations.
var everywhere = Part{Name: "everywhere", Title: "Everywhere"}

// Parts returns the parts of the ledger in its order: what is about all operations, then family by family, in the order of
// the operations.
func Parts() []Part {
	all := []Part{everywhere}
	for _, op := range Operations {
		for _, p := range op.Family.Parts {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// AboutKind describes a kind of operations, see [Operation.Kind].
func AboutKind(kind string) string {
	all := Parts()
	return all[slices.IndexFunc(all, func(p Part) bool { return p.Name == kind })].About
}

// refusalsOf returns the refusals that the entries of a part of the ledger describe, in a dialect.
func refusalsOf(part string, d sim.Dialect) []Refusal {
	for _, f := range Families {
		if slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Name == part }) {
			return f.In(d).Refusals
		}
	}
	return commonRefusals
}

// switchedRule is a rule whose refusal rests on an entry with a switch.
type switchedRule struct {
	entry *Entry
	rule  sim.Code
}

// refusesUnder has the values of the entry's switch under which a rule refuses requests, for each rule that doesn't under
// every value. A value in angle brackets is that of the alternative.
var refusesUnder = map[switchedRule][]string{
	{EverywhereFaultHeader, FaultMalformed}: {"true"},
	{EverywhereStrict, Strictness}:          {"true"},
	{EverywhereCORS, OriginRefused}:         {"<origins>"},

	{EstatementsCorrelationID, RequestIDMissing}:   {string(sim.CorrelationIDRequired), string(sim.CorrelationIDUUID)},
	{EstatementsCorrelationID, RequestIDMalformed}: {string(sim.CorrelationIDUUID)},

	{RevokeUnknownToken, sim.RevocationOfNothing}: {string(sim.UnknownTokenError)},

	{GroupsAuth, TokenMissing}:                       {string(sim.Required)},
	{GroupsTransactionIDReuse, sim.RequestIDReused}:  {string(sim.TransactionIDReuseReject)},
	{GroupsCreateGroupID, sim.GroupIDTaken}:          {string(sim.ClientGroupIDHonor)},
	{GroupsCreateDuplicateName, sim.GroupExists}:     {string(sim.DuplicateNameReject)},
	{GroupsListUnknownSort, sim.SortPropertyUnknown}: {string(sim.UnknownSortError)},

	{AlertsAuth, TokenMissing}:                       {string(sim.Required)},
	{AlertsHeaders, HeaderMissing}:                   {string(sim.Required)},
	{AlertsHeaders, RequestIDMissing}:                {string(sim.Required)},
	{AlertsRequiredMembers, sim.AlertFieldMissing}:   {"<names>"},
	{AlertsChannels, sim.AlertChannelUnknown}:        {"true"},
	{AlertsContradiction, sim.AlertOtherInstitution}: {string(sim.ContradictionReject)},
	{AlertsContradiction, sim.AlertOtherCustomer}:    {string(sim.ContradictionReject)},
}

// AppliesUnder reports whether the rule refuses requests under a behaviour.
func (r Refusal) AppliesUnder(b *sim.Behavior) bool {
	values, some := refusesUnder[switchedRule{r.Entry, r.Rule}]
	if !some {
		return true
	}
	value := r.Entry.Switch.Default
	if a := r.Entry.Switch.chosen(b); a != nil {
		value = a.Value
	}
	return slices.Contains(values, value)
}
