package fault

import (
	"encoding/json"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Operations says which operations a rule is for: each name is that of one of them, of a family or of all (see
// [contract.Patterns]). No name stands for all. The JSON of one name is a text.
type Operations []string

// Include reports whether an operation is one of them.
func (o Operations) Include(operation string) bool {
	return len(o) == 0 || slices.ContainsFunc(o, func(pattern string) bool { return contract.Matches(pattern, operation) })
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

// MarshalJSON writes a name or a list of names.
func (o Operations) MarshalJSON() ([]byte, error) {
	if len(o) == 1 {
		return json.Marshal(o[0])
	}
	return json.Marshal([]string(o))
}

// UnmarshalJSON reads a name or a list of names.
func (o *Operations) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(o))
	}
	*o = Operations{""}
	return json.Unmarshal(data, &(*o)[0])
}
