package scenario

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// switches checks the switches, and warns of values that the public API description rules out at the public paths.
func (c *checker) switches(block *yaml.Node) {
	at, limits := lookup(c.tree, "behavior"), c.behavior.Groups
	c.cors(lookup(at, "cors"))
	if limits.DefaultPageSize > limits.MaxPageSize {
		key := "maxPageSize"
		if setting(block, contract.GroupsListDefaultSize.Switch) != nil {
			key = "defaultPageSize"
		}
		c.add(lookup(at, "groups", key),
			"defaultPageSize %d is more than maxPageSize %d: write a lower defaultPageSize, or a higher maxPageSize",
			limits.DefaultPageSize, limits.MaxPageSize)
	}
	if c.behavior.ForcedDialect == sim.DialectDocument {
		return
	}
	for _, e := range contract.Ledger() {
		if e.Switch == nil || !slices.Contains(c.behavior.Explicit, e.Switch.Key) {
			continue
		}
		if value := e.Switch.Value(&c.behavior); e.RulesOut(value) {
			c.warn(lookup(at, strings.Split(e.Switch.Key, ".")...),
				"%s counts at the public paths, too, where the public API description has %s (%s)",
				value, e.Public.Default, e.ID)
		}
	}
}

// cors reports credentials for pages of all origins. Browsers refuse such answers (Fetch standard, CORS check).
func (c *checker) cors(at *yaml.Node) {
	if !c.behavior.CORS.Credentials {
		return
	}
	at = lookup(at, "credentials")
	if slices.Contains(c.behavior.CORS.Origins, sim.AnyOrigin) {
		c.add(at, "credentials don't go with the origin %s, which browsers refuse then: "+
			"list the origins by name, such as \"http://localhost:*\", or remove credentials",
			wording.Quote(sim.AnyOrigin))
	}
	if len(c.behavior.CORS.Origins) == 0 {
		c.warn(at, "credentials have no effect without origins: list them")
	}
}
