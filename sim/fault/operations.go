package fault

import (
	"encoding/json"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Operations are the operations of a rule, as patterns: the name of an operation, of a family, or * for all (see
// [contract.Patterns]). No pattern stands for all, too. The JSON of one pattern is a text.
type Operations []string

// Include reports whether an operation is one of them.
func (o Operations) Include(operation string) bool {
	matches := func(pattern string) bool { return contract.Matches(pattern, operation) }
	return len(o) == 0 || slices.ContainsFunc(o, matches)
}

// All returns the operations, in the order of the contract.
func (o Operations) All() []*contract.Operation {
	var all []*contract.Operation
	for _, op := range contract.Document().Operations {
		if o.Include(op.Name) {
			all = append(all, op)
		}
	}
	return all
}

// MarshalJSON writes a pattern or a list of patterns.
func (o Operations) MarshalJSON() ([]byte, error) {
	if len(o) == 1 {
		return json.Marshal(o[0])
	}
	return json.Marshal([]string(o))
}

// UnmarshalJSON reads a pattern or a list of patterns.
func (o *Operations) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(o))
	}
	*o = Operations{""}
	return json.Unmarshal(data, &(*o)[0])
}
