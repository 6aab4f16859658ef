package bankapi

import (
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// parameter returns the value of a query parameter that must stand there once.
func (c *call) parameter(name string) (string, error) {
	value := c.query.Get(name)
	if value == "" {
		return "", sim.Refuse(contract.ParameterMissing, "query parameter %s is missing", name)
	}
	if slices.Contains(c.waived, contract.AlertsUser) { // which is about two values, too
		return value, nil
	}
	return value, c.notRepeated(contract.ParameterRepeated, name, "")
}

// notRepeated refuses a request by a rule if it has a query parameter more than once. If the scenario waives the rule,
// the first value counts.
func (c *call) notRepeated(rule sim.Code, name, remedy string) error {
	if len(c.query[name]) < 2 {
		return nil
	}
	return c.refuseUnlessWaived(rule, "query parameter %s is given more than once%s", name, remedy)
}

// noneRepeated refuses a request that has a parameter of the operation more than once.
func (c *call) noneRepeated() error {
	for _, p := range c.op.Parameters {
		if p.In != "query" || p.Name == "hostUserId" || p.Name == "loginId" { // alertOwner has checked these
			continue
		}
		if err := c.notRepeated(contract.ParameterRepeated, p.Name, ""); err != nil {
			return err
		}
	}
	return nil
}

// number reads a query parameter that is a number of 32 bits from low on. The first of several values counts.
func (c *call) number(name string, low, fallback int, noted *pageFacts) int {
	if len(c.query[name]) > 1 {
		c.lint("page-parameter-repeated", name+" is given more than once: the first value counts")
		noted.repeated = true
	}
	text := c.query.Get(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || int(n) < low {
		c.lint("page-parameter-ignored", name+" is not a number, or out of range: the default is used")
		noted.fellBack = true
		return fallback
	}
	return int(n)
}

// exactNumber reads a query parameter that is a number of 32 bits from low on. Anything else is refused.
func (c *call) exactNumber(name string, low, fallback int) (int, error) {
	if !c.query.Has(name) {
		return fallback, nil
	}
	n, err := strconv.ParseUint(c.query.Get(name), 10, 31)
	if err != nil || int(n) < low {
		return 0, sim.Refuse(contract.ParameterMalformed, "query parameter %s must be a number from %d on", name, low)
	}
	return int(n), nil
}

// flag reads a query parameter that is true or false. Anything else is refused.
func (c *call) flag(name string, fallback bool) (bool, error) {
	switch value := c.query.Get(name); {
	case !c.query.Has(name):
		return fallback, nil
	case value != "true" && value != "false":
		return false, sim.Refuse(contract.ParameterMalformed, "query parameter %s must be true or false", name)
	default:
		return value == "true", nil
	}
}
