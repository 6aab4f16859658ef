package bankapi

import (
	"strings"
	"sync/atomic"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// speak puts a call to an operation into the dialect that its request is answered in: that of its path, unless the bank has
// one for all. An operation that isn't spoken in that one is answered in that of its path.
func (h *Handler) speak(c *call) {
	if c.asked == nil {
		return
	}
	own := c.World.Behavior()
	c.route = c.asked
	if d := contract.AnsweredIn(own, c.asked.Dialect); d != c.asked.Dialect && c.asked.spoken[d] != nil {
		c.route = c.asked.spoken[d]
	}
	c.family, c.spoken = c.Family, nil
	if c.Dialect == sim.DialectPublic {
		c.spoken = h.public.of(own)
	}
}

// publicBehaviors keeps the behaviour that a bank was last answered by in the public dialect: banks that come from the same
// scenario share it.
type publicBehaviors struct {
	last atomic.Pointer[struct{ own, public *sim.Behavior }]
}

func (all *publicBehaviors) of(own *sim.Behavior) *sim.Behavior {
	if last := all.last.Load(); last != nil && last.own == own {
		return last.public
	}
	public := contract.SpokenIn(own, sim.DialectPublic)
	all.last.Store(&struct{ own, public *sim.Behavior }{own, public})
	return public
}

// dialect returns the dialect that a request to an operation is answered in; empty: it is to none.
func (c *call) dialect() sim.Dialect {
	if c.route == nil {
		return ""
	}
	return c.Dialect
}

// leaveOut takes a member out of a body that the operation doesn't have in this dialect.
func (c *call) leaveOut(name string, value **string) {
	if *value != nil && !c.Request.Has(name) {
		*value = nil
		c.restsOn(contract.EverywhereUnknownMembers)
	}
}

// url returns the address of an operation on the base URL that the caller used, in the dialect of its path. Variables are
// given with their values.
func (c *call) url(op *contract.Operation, variables ...string) string {
	path := op.In(c.asked.Dialect).Path
	for i := 0; i < len(variables); i += 2 {
		path = strings.Replace(path, "{"+variables[i]+"}", variables[i+1], 1)
	}
	return c.baseURL + path
}
