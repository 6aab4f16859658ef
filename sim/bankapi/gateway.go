package bankapi

import (
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// passGateway refuses what the gateway in front of the public interface refuses, before the operation looks at the
// request (published).
func (c *call) passGateway() error {
	if c.op.Dialect != sim.DialectPublic {
		return nil
	}
	isLong := func(value string) bool { return len(value) > contract.MaxHeader }
	if name, found := c.headerThat(isLong); found {
		return sim.Refuse(contract.HeaderTooLong, "header %s is longer than %d bytes", name, contract.MaxHeader)
	}
	return nil
}

// headerThat returns the first header, in the order of their names, with a value that fulfils a condition.
func (r *request) headerThat(fulfils func(value string) bool) (name string, found bool) {
	for other, values := range r.Header {
		if (!found || other < name) && slices.ContainsFunc(values, fulfils) {
			name, found = other, true
		}
	}
	return name, found
}
