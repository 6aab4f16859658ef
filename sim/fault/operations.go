package fault

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Operations says which operations a rule is for: it names one of them, a family or all (see [contract.Patterns]), or lists
// several such names. The zero value stands for all.
type Operations struct {
	Patterns []string
	List     bool // whether it is written as a list; if not, there is one pattern at most
}

// On returns what a pattern stands for. An empty one stands for all operations.
func On(pattern string) Operations {
	if pattern == "" {
		return Operations{}
	}
	return Operations{Patterns: []string{pattern}}
}

// OnAny returns what any of a list of patterns stands for.
func OnAny(patterns ...string) Operations { return Operations{Patterns: patterns, List: true} }

// IsZero reports whether nothing is named, which stands for all operations.
func (o Operations) IsZero() bool { return len(o.Patterns) == 0 && !o.List }

// Include reports whether an operation is one of them.
func (o Operations) Include(operation string) bool {
	return o.IsZero() || slices.ContainsFunc(o.Patterns, func(pattern string) bool { return contract.Matches(pattern, operation) })
}

// All returns the operations, in the order of the contract.
func (o Operations) All() []*contract.Operation {
	var all []*contract.Operation
	for _, op := range contract.Operations {
		if o.Include(op.Name) {
			all = append(all, op)
		}
	}
	return all
}

// String returns the names as they are written, separated by commas.
func (o Operations) String() string { return strings.Join(o.Patterns, ", ") }

// MarshalJSON writes a name or a list of names.
func (o Operations) MarshalJSON() ([]byte, error) {
	if o.List {
		return json.Marshal(slices.Concat([]string{}, o.Patterns)) // an empty list is [], not null
	}
	return json.Marshal(o.String())
}

// UnmarshalJSON reads a name or a list of names.
func (o *Operations) UnmarshalJSON(data []byte) error {
	*o = Operations{}
	if data[0] == '[' {
		o.List = true
		return json.Unmarshal(data, &o.Patterns)
	}
	var pattern string
	err := json.Unmarshal(data, &pattern)
	*o = On(pattern)
	return err
}
