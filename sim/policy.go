package sim

// Policy is what the requests in one dialect are judged by: the switches of a scenario as they hold in that dialect. It
// never changes.
type Policy struct {
	Dialect  Dialect // document or public
	Behavior         // the values of the switches
}

// Policies are the policies of a bank. They never change. The document's has the switches as the scenario sets them: the
// document fixes no switch.
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
