package sim

// Basis says what an answer of the simulator rests on.
type Basis string

// The bases, from the firmest on.
const (
	BasisDocument   Basis = "document"   // the interface document says it
	BasisPublished  Basis = "published"  // the service's public API description says it
	BasisConvention Basis = "convention" // an RFC, or the convention of the framework that the answer's shape comes from
	BasisChoice     Basis = "choice"     // ours
)
