package contract

import "slices"

// Basis says what a fact rests on.
type Basis string

// The bases, the firmest first.
const (
	Document   Basis = "document"   // the interface's document says it
	Published  Basis = "published"  // the service's public API description says it
	Convention Basis = "convention" // an RFC, or the framework that the answer's shape comes from
	Choice     Basis = "choice"     // ours
)

// Bases are all of them, the firmest first.
var Bases = []Basis{Document, Published, Convention, Choice}

// WeakerThan reports whether a basis carries less than another one.
func (b Basis) WeakerThan(other Basis) bool {
	return slices.Index(Bases, b) > slices.Index(Bases, other)
}
