package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Dialects are both of them, that of the interface's document first.
var Dialects = []sim.Dialect{sim.DialectDocument, sim.DialectPublic}

// Spoken is the answer of the public dialect to the question of an entry.
type Spoken struct {
	Answer string `json:"answer"`
	Basis  Basis  `json:"basis"`
	Source string `json:"source"`
	// Value of the entry's switch is the one that counts, whatever a scenario says; empty: the scenario's does, if there is a
	// switch. Where only the value is declared, the rest is as the switch has it.
	Value string `json:"value,omitzero"`
}

// selecting is the answer that a value of the entry's switch has, which is published.
func selecting(value string) *Spoken { return &Spoken{Value: value} }

// saying is an answer that is published, or fills in what the description leaves open if another basis than that is given.
func saying(answer string, basis Basis, source string) *Spoken {
	return &Spoken{Answer: answer, Basis: basis, Source: source}
}

// Variant is what differs in the public dialect from an operation of the interface's document. What is left empty is the same.
// The path is always that of the document without its prefix; the header that identifies the request is that of the family in
// this dialect, where an access token may be left out it must be sent, and every answer rests on [EverywhereDialect], too.
type Variant struct {
	ID         string // of the operation in the public API description; empty: it is not known
	About      string
	Parameters []Parameter // the one that identifies the request is replaced by itself
	Request    *Object
	FormOnly   bool // whether the body must be a form
	// Answers are by default those of the document that this dialect can select.
	Answers []Answer
	Without []sim.Code // rules that refuse nothing
	With    []sim.Code // rules that refuse requests in this dialect alone
}

// In returns the operation as it is spoken in a dialect; nil: it isn't.
func (op *Operation) In(d sim.Dialect) *Operation { return op.spoken[d] }

// In returns the family of operations that are spoken in a dialect.
func (f *Family) In(d sim.Dialect) *Family { return f.spoken[d] }

// FindIn returns an operation by its name, in a dialect that it is spoken in.
func FindIn(name string, d sim.Dialect) (*Operation, bool) {
	op, ok := Find(name)
	if !ok || op.In(d) == nil {
		return nil, false
	}
	return op.In(d), true
}

// AllSpoken returns the operations in all dialects that they are spoken in, those of the interface's document first.
func AllSpoken() []*Operation { return allSpoken }

var allSpoken []*Operation

// DialectOf returns the dialect that a path of the interface speaks.
func DialectOf(path string) sim.Dialect {
	if strings.HasPrefix(path, documentPrefix) {
		return sim.DialectDocument
	}
	return sim.DialectPublic
}

// documentPrefix is what all paths of the interface's document begin with.
const documentPrefix = "/digitalbanking/"

// unprefixed is a segment of the paths that both dialects have.
const unprefixed = "oauth2"

// barePath returns the path of the public dialect: release 1.6.1 has dropped the prefix, and the family after it (published).
func barePath(path string) string {
	rest := strings.TrimPrefix(path, documentPrefix)
	family, bare, _ := strings.Cut(rest, "/")
	if family == unprefixed {
		return "/" + rest
	}
	return "/" + bare
}

// SpokenIn returns the behaviour by which requests in a dialect are answered: where the public API description says what
// switches are about, it rules.
func SpokenIn(b *sim.Behavior, d sim.Dialect) *sim.Behavior {
	if d != sim.DialectPublic {
		return b
	}
	public := *b
	public.ForcedDialect = d
	for _, s := range fixed {
		s.copy(&public, &fixedValues)
	}
	return &public
}

// AnsweredIn returns the dialect in which a request is answered whose path speaks one.
func AnsweredIn(b *sim.Behavior, path sim.Dialect) sim.Dialect {
	if b.ForcedDialect == sim.DialectByPath {
		return path
	}
	return b.ForcedDialect
}

// InDialect is a value that differs between the dialects, such as the layout of a time.
type InDialect[T any] struct{ Document, Public T }

// In returns the value in a dialect.
func (v InDialect[T]) In(d sim.Dialect) T {
	if d == sim.DialectPublic {
		return v.Public
	}
	return v.Document
}

// fixed are the switches that have one value in the public dialect, fixedValues the behaviour that has these.
var (
	fixed       []*Switch
	fixedValues sim.Behavior
)

// in returns the answer of a dialect.
func (e *Entry) in(d sim.Dialect) Spoken {
	if d == sim.DialectPublic && e.Public != nil {
		return *e.Public
	}
	return Spoken{Answer: e.Answer, Basis: e.Basis, Source: e.Source}
}

// beginning is what paths of a family begin with.
type beginning struct {
	path   string
	family *Family
}

// beginnings are those of the families in all dialects, the longest first in each.
var beginnings []beginning

// speak completes what the declarations of operations, families and entries say about the public dialect.
func speak() {
	for _, e := range ledger {
		if e.Public != nil {
			e.completePublic()
		}
	}
	for _, f := range Families {
		f.speak()
		beginnings = append(beginnings, beginning{f.Prefix, f})
	}
	var inPublic []*Operation
	for _, op := range Operations {
		op.Dialect, op.ID, op.Security = sim.DialectDocument, op.Name, op.Family.security
		if !slices.Contains(inDocument, op) {
			op.Rests = op.Uses[:1:1]
		}
		if op.Errors == nil {
			op.Errors = slices.Sorted(maps.Keys(op.Family.Injected))
		}
		op.spoken = map[sim.Dialect]*Operation{sim.DialectDocument: op}
		public := op.inPublic()
		op.spoken[sim.DialectPublic] = public
		inPublic = append(inPublic, public)
		path, _, _ := strings.Cut(public.Path, "{")
		beginnings = append(beginnings, beginning{path, public.Family})
	}
	allSpoken = slices.Concat(Operations, inPublic)
	documented := len(Families)
	slices.SortStableFunc(beginnings[documented:], func(a, b beginning) int { return cmp.Compare(len(b.path), len(a.path)) })
}

// completePublic fills in what the entry's switch says about the value that counts in the public dialect.
func (e *Entry) completePublic() {
	p := e.Public
	if p.Value != "" {
		answer, basis := e.Answer, e.Basis
		if a := e.Switch.alternative(p.Value); a != nil {
			answer, basis = a.Answer, a.Basis
		}
		p.Answer, p.Basis = cmp.Or(p.Answer, answer), cmp.Or(p.Basis, basis)
		fixed = append(fixed, e.Switch)
		if err := e.Switch.set(&fixedValues, func(into any) error { _, err := fmt.Sscan(p.Value, into); return err }); err != nil {
			panic(fmt.Sprintf("contract: behavior.%s can't be %s: %v", e.Switch.Key, p.Value, err))
		}
	}
	p.Source = cmp.Or(p.Source, published)
}

// speak completes the family in the public dialect.
func (f *Family) speak() {
	f.Dialect, f.Challenge = sim.DialectDocument, `Bearer realm="banksim"` // RFC 6750 3
	if f.security == Basic {
		f.Challenge = `Basic realm="banksim", charset="UTF-8"` // RFC 7617 2
	}
	f.RequestID = cmp.Or(f.RequestID, "transactionId")
	f.ErrorBody = cmp.Or(f.ErrorBody, codeMessage(f.ErrorRests...))
	declared := f.Injected
	f.Injected = map[int]sim.Code{}
	for _, r := range f.Refusals {
		f.Injected[r.Status] = r.Rule
	}
	maps.Copy(f.Injected, declared)
	public := *f
	public.Dialect, public.Public = sim.DialectPublic, nil
	if p := f.Public; p != nil {
		public.RequestID = cmp.Or(p.RequestID, f.RequestID)
		public.ErrorBody = cmp.Or(p.ErrorBody, f.ErrorBody)
		if p.ErrorRests != nil {
			public.ErrorRests = p.ErrorRests
		}
		public.Refusals = slices.DeleteFunc(slices.Clone(f.Refusals), func(r Refusal) bool {
			return slices.ContainsFunc(p.Refusals, func(own Refusal) bool { return own.Rule == r.Rule })
		})
		public.Refusals = append(public.Refusals, p.Refusals...)
	}
	for _, spoken := range []*Family{f, &public} {
		r, _ := spoken.find(RequestIDMalformed)
		if _, isSwitched := refusesUnder[switchedRule{r.Entry, r.Rule}]; !isSwitched {
			spoken.RequestIDs = r.Entry
		}
	}
	public.ErrorRests = append(slices.Clone(public.ErrorRests), EverywhereDialect)
	all := map[sim.Dialect]*Family{sim.DialectDocument: f, sim.DialectPublic: &public}
	f.spoken, public.spoken = all, all
}

// inPublic returns the operation in the public dialect.
func (op *Operation) inPublic() *Operation {
	v, public := op.Public, *op
	public.Dialect, public.Public = sim.DialectPublic, nil
	public.ID = cmp.Or(v.ID, op.Name+".public")
	public.Path = barePath(op.Path)
	public.About = cmp.Or(v.About, op.About)
	public.Family = op.Family.In(sim.DialectPublic)
	public.Rests = []*Entry{EverywherePublicPaths}
	if public.Security == OptionalBearer {
		public.Security = Bearer
	}
	if v.Parameters != nil {
		public.Parameters = v.Parameters
	}
	public.Parameters = slices.Clone(public.Parameters)
	for i, p := range public.Parameters {
		if p.In == "header" && p.Name == op.Family.RequestID {
			public.Parameters[i] = requestIDOf(public.Family)
		}
	}
	public.Request, public.FormOnly = cmp.Or(v.Request, op.Request), v.FormOnly
	public.Answers = slices.DeleteFunc(slices.Clone(op.Answers), func(a Answer) bool {
		if a.Switched == nil {
			return false
		}
		value := a.Switched.in(sim.DialectPublic).Value
		return value != "" && value != a.Value
	})
	if v.Answers != nil {
		public.Answers = v.Answers
	}
	public.Documented = nil
	public.Errors = slices.DeleteFunc(slices.Clone(op.Errors), func(status int) bool { // a switch has replaced it
		return status == http.StatusUnauthorized && op.Family.Unauthorized != nil
	})
	standard := sim.DefaultBehavior()
	behavior := SpokenIn(&standard, sim.DialectPublic)
	public.Refuses = slices.DeleteFunc(slices.Concat(op.Refuses, v.With), func(rule sim.Code) bool {
		r := public.Family.Refusal(rule)
		isNever := r.Entry.in(sim.DialectPublic).Value != "" && !r.AppliesUnder(behavior)
		return isNever || slices.Contains(v.Without, rule)
	})
	if !slices.Contains(public.Refuses, RequestIDMalformed) {
		public.Refuses = append(public.Refuses, RequestIDMalformed)
	}
	public.Uses = append(slices.Clone(op.Uses), EverywhereDialect)
	return &public
}

// UUID matches a UUID in either case of its letters.
var UUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// requestIDOf returns the header that identifies requests to a family of the public dialect.
func requestIDOf(f *Family) Parameter {
	p := inHeader(f.RequestID, "Identifies the request: a new UUID for each.", true)
	p.Type.Pattern = UUID.String()
	return p
}
