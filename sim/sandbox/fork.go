package sandbox

// Fork says what a sandbox was forked from. The zero value: it starts from a scenario.
type Fork struct {
	Of string // the name of the sandbox, which may have been deleted since

	// Before or After is the exchange around which it was forked. Both empty: it was forked as it was then.
	Before, After string
}

// ForkOf returns what the sandbox was forked from. A fork that is given another scenario starts from that, and is none any more.
func (s *Sandbox) ForkOf() Fork { return s.state.Load().generation.start.origin }
