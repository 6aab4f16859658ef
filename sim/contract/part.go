package contract

import "slices"

// Part is a part of the ledger: the entries whose ids begin with its name. The names of operations begin so, too.
type Part struct {
	Name  string // such as groups
	Title string // in documents
	About string // what its operations are about, or empty if its operations have the name of another part
}

// everywhere is the part about all operations.
var everywhere = Part{Name: "everywhere", Title: "Everywhere"}

// Parts returns the parts of the ledger in its order: what is about all operations, then family by family, in the order
// of the operations.
func Parts() []Part {
	all := []Part{everywhere}
	for _, op := range operations {
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
