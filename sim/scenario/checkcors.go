package scenario

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// defaultPorts are the ports that browsers leave out of an origin.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// cors checks the switches about pages of other origins.
func (c *checker) cors(at place, block *yaml.Node) {
	origins, effective := setting(block, contract.EverywhereCORS.Switch), c.behavior.CORS
	for i, origin := range effective.Origins {
		scheme, rest, _ := strings.Cut(origin, "://")
		if port := defaultPorts[scheme]; port != "" && strings.HasSuffix(rest, ":"+port) {
			c.add(place{origins}.item(i), "origins[%d] can't be %s: browsers leave the port %s out: write %s",
				i, phrase.Quote(origin), port, phrase.Quote(strings.TrimSuffix(origin, ":"+port)))
		}
	}
	if effective.Credentials && slices.Contains(effective.Origins, sim.AnyOrigin) {
		c.add(at.key("credentials"), "credentials can't be true with the origin *, which browsers refuse: list the origins that may send them, or remove credentials")
	}
}
