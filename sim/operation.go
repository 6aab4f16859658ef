package sim

import "slices"

// Operation is what others than its server know of an endpoint of the interface.
type Operation struct {
	Name    string // its route's name, its address for faults, its name in the journal
	Success []int  // the statuses of a request that is accepted, under any behaviour
	Errors  []int  // the error statuses that its description lists
}

// Operations are the endpoints of the interface, in the order of its document: section 4, and the token operation
// that section 5 leaves open. The errors of tokens.revoke and groups.list are the document's (4.4, 4.6), those of the
// others are published or, for the statuses that no description gives, the simulator's own (choice).
var Operations = []Operation{
	{"estatements.getDisclosures", []int{200}, []int{400, 401, 403, 404}},
	{"estatements.updateAccount", []int{200, 204}, []int{400, 401, 403, 404}},
	{"estatements.updateUser", []int{204}, []int{400, 401, 403, 404}},
	{"tokens.issue", []int{200}, []int{400, 401, 403, 500}},
	{"tokens.revoke", []int{200, 204}, []int{400, 401, 500}},
	{"groups.create", []int{200, 201}, []int{400, 401, 500}},
	{"groups.list", []int{200}, []int{401, 500}},
	{"alerts.createPreference", []int{200, 201}, []int{400, 401}},
}

// OperationNames returns the names of all operations.
func OperationNames() []string {
	names := make([]string, len(Operations))
	for i, op := range Operations {
		names[i] = op.Name
	}
	return names
}

// FindOperation returns an operation by its name.
func FindOperation(name string) (op Operation, ok bool) {
	i := slices.IndexFunc(Operations, func(op Operation) bool { return op.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return Operations[i], true
}

// Answers tells whether a status is one that the operation's description gives.
func (op Operation) Answers(status int) bool {
	return slices.Contains(op.Success, status) || slices.Contains(op.Errors, status)
}
