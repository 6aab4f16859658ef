package sim

// Policy has the switches of a scenario as they hold in one dialect. The bank judges a request by the policy of its
// dialect. A policy never changes.
type Policy struct {
	Dialect  Dialect // document or public
	Behavior         // the values of the switches
}

// Policies are the policies of a bank. They never change. Switches that no scenario sets may differ in the
// two.
type Policies struct {
	Document, Public *Policy
}

// In returns the policy of a dialect.
func (p *Policies) In(d Dialect) *Policy {
	if d == DialectPublic {
		return p.Public
	}
	return p.Document
}
