package coverage

// Summary is what a file says of each operation, all runs together.
type Summary struct {
	Runs       int                `json:"runs"`
	Operations []OperationSummary `json:"operations"` // all, in the order of the contract
	Total      Share              `json:"total"`      // of the answers of operations that were called
	Entries    []EntryCount       `json:"entries"`    // those of the ledger that answers rested on, in its order
}

// OperationSummary is the coverage of an operation.
type OperationSummary struct {
	Operation   string `json:"operation"`
	Called      bool   `json:"called"`
	Answers     Share  `json:"answers"`     // accepted, refused, injected
	Connections Share  `json:"connections"` // connection faults
	Points      []Met  `json:"points"`
	Besides     []Met  `json:"besides"`
}

// Share is how many of the possible points were met.
type Share struct {
	Possible       int `json:"possible"`
	Met            int `json:"met"`            // naturally or by a fault
	OnlyByFault    int `json:"onlyByFault"`    // of Met
	NeverMet       int `json:"neverMet"`       // Possible - Met
	PercentRounded int `json:"percentRounded"` // rounded down; 100 if nothing is possible
}

// EntryCount is how many answers rested on an entry of the ledger.
type EntryCount struct {
	ID      string `json:"id"`
	Basis   string `json:"basis"`
	Answers uint64 `json:"answers"`
}

// Summarize sums a file up.
func Summarize(f File) Summary { return Summary{Runs: len(f.Runs)} }
