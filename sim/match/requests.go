package match

import (
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Requests are the requests that an expectation or the condition of a fault is about. A regular expression and null
// are as in conditions.
type Requests struct {
	Operations []*contract.Operation // in each dialect that the requests may be answered in
	Outside    bool                  // whether the requests may also have a path that no operation has
	AnyPath    bool                  // whether a request to an operation may have its path of the other dialect
	OwnNames   bool                  // whether the body may have members that no operation has

	Method, Path  string
	Header, Query map[string]*string
	Body          map[string]any

	// Values returns the values that the bank has for a member or a parameter whose values the contract leaves to the
	// bank, such as alertTypeName. It may be nil.
	Values func(name string) []string
}

// Mistake is a reason why the conditions can't be fulfilled, or can't be meant.
type Mistake struct {
	Field []string // the condition: body, groupName
	Text  string   // what is wrong, and what was meant

	isRefutedBy func(got any) bool // nil if any value refutes the mistake
}

// IsRefutedBy reports whether a request has what the mistake says that requests don't have.
func (c *Conditions[R]) IsRefutedBy(m Mistake, request R) bool {
	field := strings.Join(m.Field, ".")
	return slices.ContainsFunc(c.All, func(one Condition[R]) bool {
		if one.Field != field && !strings.HasPrefix(one.Field, field+".") {
			return false
		}
		got := one.Got(request)
		return got != nil && (m.isRefutedBy == nil || m.isRefutedBy(got))
	})
}

// Mistakes compares the conditions with the contract. A client may send any header and, with OwnNames, any parameter
// and any member: a name that the contract doesn't have is a mistake only if it is a slip of one that it has.
func (r Requests) Mistakes() []Mistake {
	isOut := func(op *contract.Operation) bool { return !r.mayBe(op) }
	narrowed := r // to the operations that have the method and the path
	narrowed.Operations = slices.DeleteFunc(slices.Clone(r.Operations), isOut)
	return slices.Concat(r.checkPath(), r.checkMethod(),
		narrowed.checkHeaders(), narrowed.checkQuery(), narrowed.checkBody())
}

// ownNames says how to expect a name that no operation has.
const ownNames = "; to look for one of the app's own, give path instead of operation"

// isLiteral reports whether an expected text is a value to be equal to.
func isLiteral(text string) bool { return text != "" && !strings.HasPrefix(text, expressionMark) }

// mayBe reports whether a request with the method and the path can be one to the operation.
func (r Requests) mayBe(op *contract.Operation) bool {
	return (!isLiteral(r.Path) || r.hasPath(op)) && r.hasMethod(op.Methods())
}

func equals(value any) func(any) bool { return func(got any) bool { return got == value } }

// have says what the operations have.
func (r Requests) have(names []string) string {
	have := "the operations have "
	if r.isForOne() {
		have = r.Operations[0].Name + " has "
	}
	if len(names) == 0 {
		return have + "none"
	}
	sorted := slices.Sorted(slices.Values(names))
	return have + wording.Names(slices.Compact(sorted))
}

// isForOne reports whether the requests are to one operation, in any dialect.
func (r Requests) isForOne() bool {
	isOther := func(op *contract.Operation) bool { return op.Name != r.Operations[0].Name }
	return len(r.Operations) > 0 && !slices.ContainsFunc(r.Operations, isOther)
}
