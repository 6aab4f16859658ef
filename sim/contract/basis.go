package contract

import "slices"

// Basis says what a fact rests on.
type Basis string

// The bases, the firmest first.
const (
	Documented Basis = "document"
	Published  Basis = "published"
	Convention Basis = "convention"
	Choice     Basis = "choice"
)

// Bases are all of them, the firmest first.
var Bases = []Basis{Documented, Published, Convention, Choice}

// WeakerThan reports whether a basis carries less than another one.
func (b Basis) WeakerThan(other Basis) bool {
	return slices.Index(Bases, b) > slices.Index(Bases, other)
}

// About says what an answer with the basis rests on.
func (b Basis) About() string { return basesAbout[b] }

var basesAbout = map[Basis]string{
	Documented: "the interface's document says it",
	Published:  "the service's public API description says it",
	Convention: "an RFC or the Fetch standard, or the framework that the answer's shape comes from",
	Choice:     "a choice of the simulator's own",
}
