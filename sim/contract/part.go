package contract

import "slices"

// Part is a part of the ledger: the entries whose ids begin with its name, such as groups.
type Part struct {
	Name  string
	Title string // in documents
	About string // describes the operations whose names begin with the same word, or is empty if none do
}

// everywhere is the part about all operations.
var everywhere = Part{Name: "everywhere", Title: "Everywhere"}

// Parts returns the parts of the ledger. The part about all operations comes first; the others follow in the order of
// the operations.
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

// AboutKind describes the operations of a kind. See [Operation.Kind].
func AboutKind(kind string) string {
	all := Parts()
	return all[slices.IndexFunc(all, func(p Part) bool { return p.Name == kind })].About
}
