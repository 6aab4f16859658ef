package bankapi

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// facts describe a request after its operation. The conditions of evidence read them.
type facts struct {
	*call
	served            *endpoint
	answer            answer // of an accepted request
	members           members
	unknownParameters []string // of the query, sorted
	oddities          []oddity // that hold
}

func newFacts(c *call, served *endpoint, a answer) facts {
	f := facts{
		call: c, served: served, answer: a,
		members: membersOf(c.request, c.op), unknownParameters: served.unknownParameters(c.query),
	}
	for _, o := range oddities {
		if o.holds(f) {
			f.oddities = append(f.oddities, o)
		}
	}
	return f
}

// condition is an entry of the ledger that the answer to an accepted request cites if the condition holds.
type condition struct {
	entry *contract.Entry
	holds func(facts) bool
}

// sentAtTop holds if the body has a member at its top, even if the dialect doesn't have the member.
func sentAtTop(name string) func(facts) bool {
	return func(f facts) bool { return f.members.have(name) || slices.Contains(f.members.unknown, name) }
}

// anyOf holds if the body has one of some members, given by their paths.
func anyOf(paths ...string) func(facts) bool {
	return func(f facts) bool {
		return slices.ContainsFunc(paths, f.members.have)
	}
}

// missing holds if the body lacks a member.
func missing(path string) func(facts) bool {
	return func(f facts) bool { return !f.members.have(path) }
}

// hasQuery holds if a query parameter of the operation is not empty.
func hasQuery(name string) func(facts) bool {
	return func(f facts) bool { return f.op.TakesQuery(name) && f.query.Get(name) != "" }
}

// when holds if the value that the answer is about fulfils a condition.
func when[T any](holds func(T) bool) func(facts) bool {
	return func(f facts) bool {
		about, ok := f.answer.subject.(T)
		return ok && holds(about)
	}
}

// isForm holds if the body is a form.
func isForm(f facts) bool { return f.media == mediaForm }

// isLonger reports whether a text has more characters than a limit.
func isLonger(text string, limit int) bool { return utf8.RuneCountInString(text) > limit }

// citedByRequest returns the entries about how a request is made. Its answer cites them also if it is refused.
func citedByRequest(f facts) (cited []*contract.Entry) {
	if f.op.Dialect != f.asked.Dialect {
		cited = append(cited, contract.EverywhereDialect)
	}
	if len(f.waived) > 0 {
		cited = append(append(cited, contract.EverywhereRefusals), f.waived...)
	}
	for _, o := range f.oddities {
		if o.entry != nil {
			cited = append(cited, o.entry)
		}
	}
	return cited
}

// memberEvidence is the evidence of any operation with a body.
var memberEvidence = []condition{
	{contract.EverywhereByteOrderMark, facts.hasMark},
	{contract.EverywhereUnknownMembers, func(f facts) bool { return f.members.hasUnknown }},
	{contract.EverywhereNullMembers, func(f facts) bool { return f.members.hasNull }},
	{contract.EverywhereIntegers, func(f facts) bool { return f.members.hasDecimal }},
}

// decision returns the decision on a request that is accepted, and whose answer cites some entries in any case. The
// operation's first entry is decisive, unless an entry with a weaker basis had to permit the request. If the answer
// comes beside the one that the policy selects, the answer's own entry is decisive.
func (e *endpoint) decision(f facts, cited []*contract.Entry) journal.Decision {
	decisive := e.op.Uses[0]
	if documented := f.answer.documented; documented.Beside {
		decisive = documented.Switched
	}
	basis := decisive.BasisUnder(f.policy)
	decision := journal.Decision{
		Outcome: journal.Accepted, Rule: e.op.Name, Basis: string(basis), Entries: slices.Clip(e.uses),
	}
	for _, c := range e.evidence {
		if c.holds(f) {
			cited = append(cited, c.entry)
		}
	}
	if len(cited) == 0 && decisive == e.op.Uses[0] {
		return decision
	}
	var permitting, others []string
	for _, entry := range cited {
		if !entry.Permits {
			others = append(others, entry.ID)
			continue
		}
		permitting = append(permitting, entry.ID)
		if weaker := entry.BasisUnder(f.policy); weaker.WeakerThan(basis) {
			decisive, basis = entry, weaker
		}
	}
	decision.Basis = string(basis)
	decision.Entries = union([]string{decisive.ID}, e.uses, permitting, others)
	return decision
}

// members says which members the body of a request has, whatever their values.
type members struct {
	present []string // their paths, such as alertPreferenceDetails.alertTypeName, without those that are null
	unknown []string // their names at the top, sorted
	// hasUnknown says whether a member anywhere is unknown, hasNull whether one is null, and hasDecimal whether an
	// integer is written as 7.0 or 7e0.
	hasUnknown, hasNull, hasDecimal bool
}

func (m members) have(path string) bool { return slices.Contains(m.present, path) }

// membersOf returns the members of a request's body, as far as the body can be read.
func membersOf(req *request, op *contract.Operation) members {
	if op.Request == nil || op.Multipart != nil || len(req.content.data) == 0 {
		return members{}
	}
	if req.media == mediaForm {
		return membersOfForm(string(req.content.data), op.Request)
	}
	var found members
	strictjson.EachMember(req.content.withoutMark(), func(path, text string) (enter bool) {
		member, known := find(op.Request, path)
		found.hasNull = found.hasNull || text == "null"
		if known && text != "null" {
			found.present = append(found.present, path)
		}
		found.hasDecimal = found.hasDecimal || member.Type.JSON == "integer" && strings.ContainsAny(text, ".eE")
		if known {
			return member.Type.Object != nil && !member.Type.Object.Free
		}
		found.hasUnknown = true
		if !strings.Contains(path, ".") {
			found.unknown = append(found.unknown, path)
		}
		return false
	})
	slices.Sort(found.unknown)
	return found
}

func membersOfForm(body string, of *contract.Object) (found members) {
	form, _ := url.ParseQuery(body)
	for _, name := range slices.Sorted(maps.Keys(form)) {
		switch {
		case of.Has(name):
			found.present = append(found.present, name)
		case name != tokenTypeHint:
			found.unknown = append(found.unknown, name)
		}
	}
	found.hasUnknown = len(found.unknown) > 0
	return found
}

// find returns a member of an object of the contract by its path.
func find(object *contract.Object, path string) (contract.Member, bool) {
	name, rest, nested := strings.Cut(path, ".")
	member, known := object.Member(name)
	if !known || !nested {
		return member, known
	}
	return find(member.Type.Object, rest)
}
