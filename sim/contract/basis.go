package contract

import "slices"

// Basis is the kind of source that an answer comes from.
type Basis string

// The bases, the firmest first.
const (
	Documented Basis = "document"
	Published  Basis = "published"
	Convention Basis = "convention"
	Choice     Basis = "choice"
)

// Bases lists all bases, the firmest first.
var Bases = []Basis{Documented, Published, Convention, Choice}

// WeakerThan reports whether other is the firmer basis.
func (b Basis) WeakerThan(other Basis) bool {
	return slices.Index(Bases, b) > slices.Index(Bases, other)
}

// About describes the basis in words.
func (b Basis) About() string { return basesAbout[b] }

var basesAbout = map[Basis]string{
	Documented: "the interface's document says it",
	Published:  "the service's public API description says it",
	Convention: "an RFC or the Fetch standard, or the framework that the answer's shape comes from",
	Choice:     "a choice of the simulator's own",
}
