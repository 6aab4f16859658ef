package sim

// Dialect is one of the two descriptions of the interface. Their paths, parameters and answers differ.
type Dialect string

// The dialects. A scenario can force one of them: [DialectByPath] lets the path of a request decide.
const (
	DialectByPath   Dialect = "byPath"
	DialectDocument Dialect = "document" // of the interface's document, under its prefixed paths
	DialectPublic   Dialect = "public"   // of the service's public API description, under its bare paths
)
