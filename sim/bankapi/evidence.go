package bankapi

import (
	"slices"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// facts describe a request after its operation. The conditions of evidence read them.
type facts struct {
	*call
	answer            answer // zero if the request is refused
	members           members
	unknownParameters []string // of the query, sorted
}

func newFacts(c *call, a answer) facts {
	return facts{call: c, answer: a, members: membersOf(c.request, c.op), unknownParameters: unknownParameters(c)}
}

// condition is an entry of the ledger that the answer to an accepted request cites if the condition holds.
type condition struct {
	entry *contract.Entry
	holds func(facts) bool
}

// sent holds if the body has a member at its top, also one that the dialect doesn't have.
func sent(name string) func(facts) bool {
	return func(f facts) bool { return f.members.present[name] || slices.Contains(f.members.unknown, name) }
}

// anyOf holds if the body has one of some members, given by their paths.
func anyOf(paths ...string) func(facts) bool {
	return func(f facts) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return f.members.present[path] })
	}
}

// missing holds if the body lacks a member.
func missing(path string) func(facts) bool {
	return func(f facts) bool { return !f.members.present[path] }
}

// hasQuery holds if a query parameter of the operation is not empty.
func hasQuery(name string) func(facts) bool {
	return func(f facts) bool { return f.op.TakesQuery(name) && f.query.Get(name) != "" }
}

// when holds if the value that the answer is about fulfils a condition.
func when[T any](holds func(T) bool) func(facts) bool {
	return func(f facts) bool {
		about, ok := f.answer.about.(T)
		return ok && holds(about)
	}
}

// isForm holds if the body is a form.
func isForm(f facts) bool { return f.mediaType() == mediaForm }

// isLonger reports whether a text has more characters than a limit.
func isLonger(text string, limit int) bool { return utf8.RuneCountInString(text) > limit }

// citedByRequest returns the entries about how a request is made. Its answer cites them also if it is refused.
func citedByRequest(f facts) (cited []*contract.Entry) {
	if f.op.Dialect != f.asked.Dialect {
		cited = append(cited, contract.EverywhereDialect)
	}
	if f.wrapped {
		cited = append(cited, contract.GroupsListPageable)
	}
	if f.unread || len(f.unknownParameters) > 0 {
		cited = append(cited, contract.EverywhereUnknownParameters)
	}
	return cited
}

// memberEvidence is the evidence of any operation with a body.
var memberEvidence = []condition{
	{contract.EverywhereByteOrderMark, func(f facts) bool { return f.hasMark() }},
	{contract.EverywhereUnknownMembers, func(f facts) bool { return f.members.hasUnknown }},
	{contract.EverywhereNullMembers, func(f facts) bool { return f.members.hasNull }},
}

// accept returns the decision on a request that is accepted. The operation's first entry decides, or one that rests on
// less and had to permit the request. An answer that comes beside the selected one is decided by its own entry.
func (e *endpoint) accept(f facts) journal.Decision {
	decisive := e.op.Uses[0]
	if documented := f.answer.documented; documented.Beside {
		decisive = documented.Switched
	}
	basis := decisive.BasisUnder(f.policy)
	decision := journal.Decision{
		Outcome: journal.Accepted, Rule: e.op.Name, Basis: string(basis), Entries: slices.Clip(e.uses),
	}
	cited := citedByRequest(f)
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
